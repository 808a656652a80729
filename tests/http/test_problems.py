"""Every problem: provoked by a request, rendered as in RFC 9457, without a change of the store."""

import pytest

from skye.errors import RULE_ERRORS
from skye_server.error_codes import ERROR_CODES
from tests.support import provoked_by_faults, provoked_by_lab, provoked_by_moves, provoked_by_requests
from tests.support.playing import problem_code
from tests.support.provoked_problems import PROVOKED

ELSEWHERE = {
    "request_timeout": "nobody is slow here; see tests/system/test_slow_clients",
    "uri_too_long": "the server refuses it; see tests/system/test_malformed_requests",
    "headers_too_large": "and these",
    "server_busy": "nothing else is computed here; see test_cooperative_yield",
    "too_many_requests": "nothing is limited here; see test_limits",
    "too_many_streams": "nor are streams; see test_open_streams",
}
"""Codes that no request here can provoke."""

assert provoked_by_faults
assert provoked_by_lab
assert provoked_by_moves
assert provoked_by_requests


@pytest.mark.parametrize("sentence", PROVOKED)
def test_provoked_problem_has_its_code_and_changes_nothing(sentence, service):
    code, prepare = PROVOKED[sentence]
    send = prepare(service)
    before = service.stored()
    answer = send()
    assert problem_code(answer) == code
    assert answer.status_code == ERROR_CODES[code].status
    assert answer.headers["Cache-Control"] == "no-store"
    assert ("WWW-Authenticate" in answer.headers) == (answer.status_code == 401)
    assert ("Retry-After" in answer.headers) == (answer.status_code in (429, 503))
    assert service.stored() == before


def test_every_code_is_provoked():
    provoked = {code for code, _ in PROVOKED.values()}
    assert provoked | ELSEWHERE.keys() == ERROR_CODES.keys()
    assert not provoked & ELSEWHERE.keys()


def test_every_reason_of_the_rules_has_a_code():
    assert {error.code for error in RULE_ERRORS} <= ERROR_CODES.keys()


def test_instance_of_a_problem_names_the_request(service):
    answer = service.call("GET", "/v1/games/none", headers={"X-Request-Id": "mine"})
    assert answer.json["instance"] == "urn:skye:request:mine"
    answer = service.call("GET", "/v1/games/none")
    assert answer.json["instance"] == f"urn:skye:request:{answer.headers['X-Request-Id']}"
