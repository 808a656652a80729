"""The decoded-game cache returns a match only for the bytes from which it was decoded."""

import json
import random

import pytest

from skye import COLORS, legal_moves, offer_limits
from skye.rules.moves import SetOffer
from skye_server.commands.game_repository import MatchCache
from skye_server.games.authorization import SPECTATOR, Caller
from skye_server.games.game import GameOptions, Match, Seat
from skye_server.games.lobby import join, open_match, start
from skye_server.games.transitions import make_move
from skye_server.games.views import game
from skye_server.storage.codec import decode_match, encode_match


def opened(game_id="game", players=4):
    table = Match(game_id, "A game", "host", GameOptions("seed"), created_ms=1000, start_when_full=False)
    step = open_match(table, (), 1000)
    for number, color in enumerate(COLORS[:players]):
        step = step.then(join(step.match, Seat(f"Player {number}", color), 1000))
    return start(step.match, 1000).match


def test_cached_match_equals_the_stored_one_through_a_whole_game():
    table, dice = opened(), random.Random(1)
    while table.waiting_for:
        seat = table.waiting_for[0]
        limits = offer_limits(table.game, seat)
        if limits is None:
            move = dice.choice(legal_moves(table.game, seat))
        else:
            discard, one, other = limits.tiles
            move = SetOffer(discard, ((one, 1), (other, 2)))
        table = make_move(table, seat, move, 2000).match
        assert decode_match(encode_match(table)) == table
    assert encode_match(decode_match(encode_match(table))) == encode_match(table)


def test_cached_match_is_found_only_by_its_stored_bytes():
    recent, table = MatchCache(), opened()
    stored = encode_match(table)
    recent.put(stored, table)
    assert recent.decoded("game", stored) is table
    later = encode_match(opened(players=3))
    assert recent.decoded("game", later) == decode_match(later)
    assert recent.decoded("game", stored) is not table


def test_oldest_match_is_evicted_from_a_full_cache():
    recent = MatchCache(max_size=2)
    tables = [opened(name) for name in ("a", "b", "c")]
    for table in tables:
        recent.put(encode_match(table), table)
    assert recent.decoded("a", encode_match(tables[0])) is not tables[0]
    assert recent.decoded("c", encode_match(tables[2])) is tables[2]


# Views.

CALLERS = (SPECTATOR, Caller(host=True), *(Caller(seat) for seat in range(4)))


def priced():
    """Return a table at which one seat has set its offer, and the others have not."""
    table = opened()
    discard, one, other = offer_limits(table.game, 1).tiles
    return make_move(table, 1, SetOffer(discard, ((one, 1), (other, 2))), 2000).match


@pytest.mark.parametrize("remembered", [True, False])
def test_cached_view_is_that_of_the_caller(remembered):
    recent, table = MatchCache(), priced()
    if remembered:
        recent.put(encode_match(table), table)
    for first in CALLERS:
        for caller in (first, *CALLERS):
            expected = json.loads(json.dumps(game.game_view(table, caller)))
            assert json.loads(recent.view(table, caller)) == expected, (first, caller)


def test_view_is_rendered_once_while_its_match_is_cached():
    recent, table = MatchCache(), priced()
    recent.put(encode_match(table), table)
    rendered = recent.view(table, Caller(0))
    assert recent.view(table, Caller(0)) is rendered
    recent.put(encode_match(table), table)
    assert recent.view(table, Caller(0)) is not rendered


def test_view_is_never_one_of_another_state_of_the_game():
    recent, before, after = MatchCache(), opened(), priced()
    for table in (before, after, before):
        recent.put(encode_match(table), table)
        for other in (before, after):
            for caller in CALLERS:
                assert json.loads(recent.view(other, caller))["version"] == other.version
