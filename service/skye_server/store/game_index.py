"""The lists of public games on Redis, all in one slot of a cluster.

    skye:{index}:STATUS[:ORIGIN]  zset  ids of games by time (see `commands.listing`)
    skye:{index}:versions         hash  the versions of the listed games

The relay writes them (see `relay.consumers`). `FinishedGames` pages through the finished games of such a set.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from operator import index
from typing import Any, Final, NamedTuple, TypeAlias

import redis

from skye.events import GameFinished
from skye_server.games.game import Change, Game
from skye_server.store.connection.calls import RedisCalls
from skye_server.store.lua_scripts import REPLICATE, Script

_PAGE: Final = 1_000
"""How many games of a list one step reads at once."""

# KEYS: versions, then the lists that do not have the game from now on, then the list that has it. ARGV: 1 the
# game, 2 its version, 3 its score (empty: it is in none of the lists), 4 whether to write also if a later
# version was written before. Returns whether it is written.
_PUT: Final = Script(
    REPLICATE
    + """
local known = tonumber(redis.call('HGET', KEYS[1], ARGV[1]) or 0)
for at = 2, #KEYS do redis.call('ZCARD', KEYS[at]) end
if ARGV[4] ~= '1' and known > tonumber(ARGV[2]) then return 0 end
local others = ARGV[3] == '' and #KEYS or #KEYS - 1
for at = 2, others do redis.call('ZREM', KEYS[at], ARGV[1]) end
if ARGV[3] == '' then
  redis.call('HDEL', KEYS[1], ARGV[1])
  replicate(KEYS[1])
else
  redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
  redis.call('ZADD', KEYS[#KEYS], ARGV[3], ARGV[1])
end
return 1
"""
)


class Listed(NamedTuple):
    """A version of a game, the list that has it, and its score there."""

    game_id: str
    version: int
    name: str
    score: float


class GameIndex:
    """The lists of public games. Every method raises Problem store_unavailable."""

    def __init__(self, calls: RedisCalls) -> None:
        self._calls = calls

    def put(self, listed: Listed, others: Sequence[str], *, forced: bool) -> bool:
        """Put a game into a list, and remove it from others; return False if a later version was put before.

        :param forced: put it all the same.
        """
        keys = [_key("versions"), *map(_key, others), _key(listed.name)]
        arguments = [listed.game_id, listed.version, repr(listed.score), int(forced)]
        return bool(self._calls.run_script(_PUT, keys, arguments))

    def remove(self, game_id: str, names: Sequence[str]) -> None:
        """Remove a game from lists."""
        self._calls.run_script(_PUT, [_key("versions"), *map(_key, names)], [game_id, 0, "", 1])

    def newest(self, name: str, highest: float | None, limit: int) -> list[tuple[str, float]]:
        """Return ids and scores of the games of a list up to a score, highest score first."""
        return highest_first(self._calls, _key(name), highest, limit)

    def members(self, name: str) -> Iterator[str]:
        """Yield the ids of the games of a list, in bounded steps; some may be yielded twice."""
        key, cursor, is_first = _key(name), 0, True
        while cursor or is_first:
            is_first = False

            def scan(server: redis.Redis, cursor: int = cursor) -> tuple[int, list[tuple[bytes, float]]]:
                found: Any = server.zscan(key, cursor, count=_PAGE)
                return found  # type: ignore[no-any-return]  # redis-py's

            cursor, page = self._calls.call(key, scan)
            yield from (game_id.decode() for game_id, _ in page)

    def sizes(self, names: Sequence[str]) -> list[int]:
        """Return how many games each list has."""
        keys = [_key(name) for name in names]

        def read(reply: Any) -> int:
            return 0 if reply is None else index(reply)  # None: a value of another type

        return self._calls.call_each(keys, lambda server, key: server.zcard(key), read, retries=False)


def highest_first(calls: RedisCalls, key: str, highest: float | None, limit: int) -> list[tuple[str, float]]:
    """Return ids and scores of a sorted set up to a score, highest score first."""
    top = "+inf" if highest is None else repr(highest)

    def read(server: redis.Redis) -> list[tuple[str, float]]:
        found: Any = server.zrevrangebyscore(key, top, "-inf", start=0, num=limit, withscores=True)
        return [(game_id.decode(), float(score)) for game_id, score in found]

    return calls.call(key, read)


def _key(name: str) -> str:
    return f"skye:{{index}}:{name}"


Place: TypeAlias = tuple[float, str]
"""The position of a game in a sorted set, highest first: its score, and its id."""

ReadSet: TypeAlias = Callable[[float | None, int], list[tuple[str, float]]]
"""Returns up to a number of ids and scores up to a score (None: the highest), highest first."""


def cursor_of(place: Place) -> str:
    """Return the cursor of the games after a place.

    >>> cursor_of((1_500.0, "g")), place_of("1500-g")
    ('1500-g', (1500.0, 'g'))
    """
    return f"{place[0]:.0f}-{place[1]}"


def place_of(cursor: str | None) -> Place | None:
    """Return the place that a cursor encodes; None without a cursor."""
    if cursor is None:
        return None
    score, _, game_id = cursor.partition("-")
    return float(score), game_id


def next_places(read: ReadSet, limit: int, after: Place | None) -> list[Place]:
    """Return the next places of a set: games of one score are in the order of their ids.

    :param after: the place before the first one.
    :raises Problem: store_unavailable.
    """
    highest, extra = None if after is None else after[0], 0
    while True:
        found = read(highest, limit + extra)
        places = [(score, game_id) for game_id, score in found]
        later = [place for place in places if after is None or place < after]
        if len(later) >= limit or len(found) < limit + extra:
            return later[:limit]
        extra += limit


class FinishedGames(NamedTuple):
    """A set of games in which those that are finished have the time of their end as scores.

    :param load: returns the games at some places, None for each that is not to be shown.
    :param highest: a score above those of finished games.
    :param units_per_ms: how much higher the score of a game is that ends a millisecond later.
    """

    read: ReadSet
    load: Callable[[Sequence[Place]], list[Game | None]]
    highest: float = math.inf
    units_per_ms: int = 1

    def after(
        self, place: Place | None, batch: int, since_ms: int = 0, until_ms: int | None = None
    ) -> Iterator[tuple[Place, Game]]:
        """Yield finished games with their places, the latest end first.

        :param place: the place of the game before the first one.
        :param batch: how many games are loaded at once.
        :param since_ms: only games that ended then or later, in milliseconds since 1970.
        :param until_ms: only games that ended before.
        :raises Problem: store_unavailable.
        """
        until = self.highest if until_ms is None else min(until_ms * self.units_per_ms, self.highest)
        place = (until, "") if place is None else min(place, (until, ""))
        while places := next_places(self.read, batch, place):
            for place, game in zip(places, self.load(places), strict=True):
                if place[0] < since_ms * self.units_per_ms:
                    return
                if game is not None:
                    yield place, game


def end_of(changes: Iterable[Change]) -> int | None:
    """Return when a game finished, in milliseconds since 1970 by its clock; None if it did not."""
    ends = (each for each in changes if any(isinstance(event, GameFinished) for event in each.events))
    return next((change.at_ms for change in ends), None)
