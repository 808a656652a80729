"""Callers without the right to an operation are refused, whatever else is right, and nothing changes."""

import pytest

from tests.support.endpoints import BY_NAME, HOST, PLAYER
from tests.support.playing import client_error_code

OF_HOST = [name for name, endpoint in BY_NAME.items() if endpoint.who == HOST]
AT_SEAT = [name for name, endpoint in BY_NAME.items() if "<seat:seat>" in endpoint.rule]
OF_PLAYER = [name for name, endpoint in BY_NAME.items() if endpoint.who == PLAYER]
OF_SEAT = [name for name in AT_SEAT if not name.startswith("GET") or name.endswith("/actions")]
FOR_HOSTS_TOO = {"DELETE /v1/games/<game>/players/<seat:seat>"}
"""What the host may do at every seat."""
CHANGES = [
    name
    for name, endpoint in BY_NAME.items()
    if endpoint.changes_game and endpoint.stage not in ("aborted", "manual")
]
STRANGER = "skye_key_" + 22 * "S"

pytestmark = pytest.mark.usefixtures("unchanged")


def refused(name, games, token, **more):
    """Send a request that is right but for its caller; return the code of the refusal."""
    endpoint = BY_NAME[name]
    game = games[endpoint.stage]
    answer = endpoint.send(game, token=token(game), json=endpoint.right_body(game), **more)
    return client_error_code(answer)


def nobody(_game):
    return None


def stranger(_game):
    return STRANGER


def other(game):
    return game.tokens[1]


def host(game):
    return game.host


@pytest.mark.parametrize("name", OF_HOST)
def test_operation_of_the_host_is_refused_to_others(name, games):
    codes = [refused(name, games, token) for token in (nobody, other, stranger)]
    assert codes == ["token_required", "host_only", "host_only"]


@pytest.mark.parametrize("name", OF_SEAT)
def test_operation_of_a_seat_is_refused_to_others(name, games):
    callers = (nobody, other, stranger, *(() if name in FOR_HOSTS_TOO else (host,)))
    codes = [refused(name, games, token) for token in callers]
    assert codes == ["token_required", *["not_your_seat"] * (len(callers) - 1)]


@pytest.mark.parametrize("name", OF_PLAYER)
def test_operation_of_a_player_is_refused_without_a_player_key(name, games):
    codes = [refused(name, games, token) for token in (nobody, other, host)]
    assert codes == ["player_key_required", "player_key_only", "player_key_only"]
    for key in ("skye_key_short", "skye_key_" + 65 * "a", "skye_key_" + 22 * "!", "key"):
        assert refused(name, games, lambda _, sent=key: sent) == "token_unknown"


@pytest.mark.parametrize("name", CHANGES)
def test_change_of_a_game_that_is_over_is_refused(name, games):
    endpoint, game = BY_NAME[name], games["aborted"]
    body = endpoint.right_body(games[endpoint.stage])
    assert client_error_code(endpoint.send(game, json=body)) == "game_aborted"


@pytest.mark.parametrize("name", AT_SEAT)
def test_seat_that_the_game_does_not_have_is_not_found(name, games):
    assert refused(name, games, nobody, parts={"seat:seat": "5"}) == "seat_not_found"
