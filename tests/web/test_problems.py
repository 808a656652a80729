"""Every problem: provoked by a request, rendered as RFC 9457 says, and without a trace in the store."""

import pytest

from service.matches.errors import ERROR_CODES
from skye import RULE_ERRORS
from tests.support import refused_faults, refused_lab, refused_moves, refused_requests
from tests.support.playing import code_of
from tests.support.refused import PROVOKED

ELSEWHERE = {
    "request_timeout": "nobody is slow here; see tests/system/test_slow_clients",
    "uri_too_long": "the server refuses it; see tests/system/test_unreadable",
    "headers_too_large": "and these",
    "server_busy": "nothing else is computed here; see test_cooperative_yield",
    "too_many_requests": "nothing is limited here; see test_limits",
    "too_many_streams": "nor are streams; see test_open_streams",
}
"""Codes that no request here can provoke."""

assert refused_faults
assert refused_lab
assert refused_moves
assert refused_requests


@pytest.mark.parametrize("sentence", PROVOKED)
def test_refused(sentence, service):
    code, prepare = PROVOKED[sentence]
    send = prepare(service)
    before = service.stored()
    answer = send()
    assert code_of(answer) == code
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
