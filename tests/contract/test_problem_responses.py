"""Every problem: provoked, rendered as in RFC 9457 and openapi.yaml, without a change of the store."""

from importlib.metadata import entry_points

import pytest

from skye.errors import RULE_ERRORS
from skye_server.error_codes import ERROR_CODES
from skye_server.features import PLUGINS
from tests.support.playing import KEY, problem_code
from tests.support.provoked import PROVOKED

ELSEWHERE = {
    "request_timeout": "nobody is slow here; see tests/system/test_slow_clients",
    "uri_too_long": "the server refuses it; see tests/system/test_malformed_requests",
    "headers_too_large": "and these",
    "server_busy": "nothing else is computed here; see test_cooperative_yield",
    "too_many_requests": "nothing is limited here; see test_rate_limits",
    "too_many_streams": "nor are streams; see test_open_streams",
}
"""Codes that no request here can provoke."""


def test_players_who_cannot_all_be_seated_at_creation_are_refused(service):
    crowd = [{"name": "Ann", "color": "red"}, {"name": "Bob"}, {"name": "Cy", "color": "red"}]
    for seats, code in ((2, "game_full"), (3, "color_taken")):
        answer = service.call(
            "POST", "/v1/games", {"seat_count": seats, "players": crowd, "auto_start": True}
        )
        assert (answer.status_code, answer.json["code"]) == (409, code)


def test_authorization_precedes_preconditions(service):
    """As RFC 9110 wants it: a precondition counts only where the request would do without it."""
    game = service.create_game(2)
    body = {"tile": None}
    assert game.offer(0, 1, 1, headers=KEY).status_code == 200
    for token, status in ((None, 401), (game.tokens[1], 403)):
        for condition in ({"If-Match": '"1"'}, KEY):
            answer = game.service.call("PUT", game.path("purchase", 0), body, token, headers=condition)
            assert answer.status_code == status
    assert game.call("PUT", "purchase", body, seat=0, headers={"If-Match": '"1"'}).status_code == 412
    assert game.call("PUT", "purchase", body, seat=0, headers=KEY).status_code == 422


@pytest.mark.parametrize("sentence", PROVOKED)
def test_provoked_problem_has_its_code_and_changes_nothing(sentence, service):
    check_provoked(service, *PROVOKED[sentence])


def check_provoked(service, code, prepare):
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
    of_plugins = {code for plugin in entry_points(group=PLUGINS) for code in plugin.load().errors}
    assert provoked | ELSEWHERE.keys() == ERROR_CODES.keys() - of_plugins
    assert not provoked & ELSEWHERE.keys()


def test_every_reason_of_the_rules_has_a_code():
    assert {error.code for error in RULE_ERRORS} <= ERROR_CODES.keys()


def test_instance_of_a_problem_names_the_request(service):
    answer = service.call("GET", "/v1/games/none", headers={"X-Request-Id": "mine"})
    assert answer.json["instance"] == "urn:skye:request:mine"
    answer = service.call("GET", "/v1/games/none")
    assert answer.json["instance"] == f"urn:skye:request:{answer.headers['X-Request-Id']}"
