"""The decoded-game cache returns a match only for the bytes from which it was decoded."""

import json

import fakeredis
import pytest

from skye import BASE, offer_limits
from skye.rules.moves import SetOffer
from skye_server.commands.current_games import Games
from skye_server.commands.views import rendered_view
from skye_server.games.authorization import SPECTATOR, Caller
from skye_server.games.game import Game, GameOptions, Seat
from skye_server.games.lobby import join, open_game, start
from skye_server.games.transitions import make_move
from skye_server.games.views.game import game_view
from skye_server.settings import Settings
from skye_server.store.codec import decode_game, encode_game
from skye_server.store.games import GameCache, version_header
from skye_server.store.redis_store import RedisStore


def opened(game_id="game", players=4):
    table = Game(game_id, "A game", "host", GameOptions("seed"), created_ms=1000, start_when_full=False)
    step = open_game(table, (), 1000)
    for number, color in enumerate(BASE.colors[:players]):
        step = step.then(join(step.game, Seat(f"Player {number}", color), 1000))
    return start(step.game, 1000).game


def test_cached_match_is_found_only_by_its_stored_bytes():
    recent, table = GameCache(), opened()
    stored = encode_game(table)
    recent.put(stored, table)
    assert recent.decoded("game", stored) is table
    later = encode_game(opened(players=3))
    assert recent.decoded("game", later) == decode_game(later)
    assert recent.decoded("game", stored) is not table


def test_least_recently_used_game_is_evicted_from_a_full_cache():
    recent = GameCache(max_size=2)
    a, b, c = (opened(name) for name in ("a", "b", "c"))
    recent.put(encode_game(a), a)
    recent.put(encode_game(b), b)
    assert recent.decoded("a", encode_game(a)) is a
    recent.put(encode_game(c), c)
    assert recent.decoded("a", encode_game(a)) is a
    assert recent.decoded("b", encode_game(b)) is not b


def test_header_of_a_match_has_the_checksum_only_while_it_is_cached():
    recent, before = GameCache(), opened()
    stored = encode_game(before)
    recent.put(stored, before)
    header = recent.stored_header(before)
    assert stored.startswith(header)
    recent.put(encode_game(priced()), priced())
    assert recent.stored_header(before) == version_header(before)
    assert header != version_header(before)


# Views.

ROLES = (SPECTATOR, Caller(host=True), *(Caller(seat) for seat in range(4)))


def priced():
    """Return a table at which one seat has set its offer, and the others have not."""
    table = opened()
    discard, one, other = offer_limits(table.state, 1).tiles
    return make_move(table, 1, SetOffer(discard, ((one, 1), (other, 2))), 2000).game


def rendering():
    """Return games that render views, and their cache."""
    games = Games(RedisStore(fakeredis.FakeRedis()), Settings())
    return games, games.stored.cache


@pytest.mark.parametrize("remembered", [True, False])
def test_cached_view_is_that_of_the_caller(remembered):
    games, recent, table = *rendering(), priced()
    if remembered:
        recent.put(encode_game(table), table)
    callers = [role.in_game(table) for role in ROLES]
    for first in callers:
        for caller in (first, *callers):
            expected = json.loads(json.dumps(game_view(table, caller)))
            assert json.loads(rendered_view(games, table, caller)) == expected, (first, caller)


def test_view_is_rendered_once_while_its_match_is_cached():
    games, recent, table = *rendering(), priced()
    recent.put(encode_game(table), table)
    rendered = rendered_view(games, table, Caller(0))
    assert rendered_view(games, table, Caller(0)) is rendered
    recent.put(encode_game(table), table)
    assert rendered_view(games, table, Caller(0)) is not rendered


def test_view_is_never_one_of_another_state_of_the_game():
    games, recent, before, after = *rendering(), opened(), priced()
    for table in (before, after, before):
        recent.put(encode_game(table), table)
        for other in (before, after):
            for role in ROLES:
                caller = role.in_game(other)
                assert json.loads(rendered_view(games, other, caller))["version"] == other.version
