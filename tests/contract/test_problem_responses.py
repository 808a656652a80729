"""Every error response that can be provoked conforms to openapi.yaml."""

import pytest

from tests.support import provoked_by_faults, provoked_by_lab, provoked_by_moves, provoked_by_requests
from tests.support.provoked_problems import PROVOKED

assert provoked_by_faults
assert provoked_by_lab
assert provoked_by_moves
assert provoked_by_requests


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
    key = {"Idempotency-Key": "mine-0123456789abcdefghijk"}
    assert game.offer(0, 1, 1, headers=key).status_code == 200
    for token, status in ((None, 401), (game.tokens[1], 403)):
        for condition in ({"If-Match": '"1"'}, key):
            answer = game.service.call("PUT", game.path("purchase", 0), body, token, headers=condition)
            assert answer.status_code == status
    assert game.call("PUT", "purchase", body, seat=0, headers={"If-Match": '"1"'}).status_code == 412
    assert game.call("PUT", "purchase", body, seat=0, headers=key).status_code == 422


@pytest.mark.parametrize("sentence", PROVOKED)
def test_error_response_matches_the_contract(sentence, service):
    code, prepare = PROVOKED[sentence]
    assert prepare(service)().json["code"] == code
