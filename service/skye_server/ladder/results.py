"""The results of a ladder on Redis, and the ratings that follow from them.

    skye:{sN}:ladder.LADDER:results     stream  NUMBER-0: `data`, a `Result`
    skye:{sN}:ladder.LADDER:numbers     hash    the number of each game that has a result
    skye:{sN}:ladder.LADDER:positions   hash    `last`: the last number that was given; `ratings`,
                                                `checkpoint`: the number up to which each has the results
    skye:{sN}:ladder.LADDER:ratings     hash    the ratings of players by their ids
    skye:{sN}:ladder.LADDER:checkpoint  hash    likewise, at the position of the checkpoint
    skye:{sN}:ladder.LADDER:changes     hash    the `Change` of ratings by the number of the result
    skye:{sN}:ladder.LADDER:board       zset    players whose rating is not provisional, by mu
    skye:{sN}:ladder.LADDER:names       hash    the `Shown` of players by their ids
    skye:{sN}:ladder.LADDER:of.PLAYER   zset    the numbers of a player's results
    skye:{sN}:ladder.LADDER:met.DAY.PAIR  set   the games that two players began on a day, by their tickets

{sN} is the shard of the ladder: all that one script reads or writes lies in one slot. What bounds each key:

    results, numbers, changes, of.PLAYER   an entry for each result, until the checkpoint passes it (`forget`)
    ratings, checkpoint, board, names      an entry for each player who has finished a game of the ladder
    met.DAY.PAIR                           `pairing.MAX_MEETINGS` entries, and ends after two days
    positions                              three fields
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from typing import Any, Final, NamedTuple

import msgspec
import redis

from skye_server.error_codes import Problem
from skye_server.ladder.ratings import Rating, after_game
from skye_server.players.codec import RecordCodec
from skye_server.store.commit import MAX_ATTEMPTS, back_off
from skye_server.store.connection.batching import read_together
from skye_server.store.connection.calls import RedisCalls
from skye_server.store.connection.failures import expect_bytes
from skye_server.store.lua_scripts import REPLICATE, Script
from skye_server.store.shards import key_of, keys_of

KEPT_MS: Final = 400 * 86_400_000
"""For how many milliseconds a ladder has a result, after the end of its game."""

_AT_ONCE: Final = 50
"""How many results one step of a fold takes."""

_MET_S: Final = 2 * 86_400

# KEYS: results, numbers, positions, then the results of each player. ARGV: 1 the game, 2 the result. Returns
# the number of the game's result: that of the first one.
_APPEND: Final = Script(
    REPLICATE
    + """
redis.call('XLEN', KEYS[1])
redis.call('HLEN', KEYS[3])
for at = 4, #KEYS do redis.call('ZCARD', KEYS[at]) end
local known = redis.call('HGET', KEYS[2], ARGV[1])
if known then
  replicate(KEYS[1])
  return tonumber(known)
end
local number = redis.call('HINCRBY', KEYS[3], 'last', 1)
redis.call('XADD', KEYS[1], number .. '-0', 'data', ARGV[2])
redis.call('HSET', KEYS[2], ARGV[1], number)
for at = 4, #KEYS do redis.call('ZADD', KEYS[at], number, number) end
return number
"""
)

# KEYS: positions, ratings, board, changes. ARGV: 1 whose position, 2 its number as it was read (empty: none),
# 3 the new one, 4 where the players begin; for each result its number and its change; for each player the id,
# the rating, and the score on the board (empty: none). Returns 0 if another process has moved the position.
_FOLD: Final = Script(
    REPLICATE
    + """
redis.call('HLEN', KEYS[2])
redis.call('ZCARD', KEYS[3])
redis.call('HLEN', KEYS[4])
local position = redis.call('HGET', KEYS[1], ARGV[1]) or ''
if position == ARGV[3] then
  replicate(KEYS[1])
  return 1
end
if position ~= ARGV[2] then return 0 end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[3])
for at = 5, ARGV[4] - 1, 2 do redis.call('HSET', KEYS[4], ARGV[at], ARGV[at + 1]) end
for at = ARGV[4], #ARGV, 3 do
  redis.call('HSET', KEYS[2], ARGV[at], ARGV[at + 1])
  if ARGV[at + 2] ~= '' then redis.call('ZADD', KEYS[3], ARGV[at + 2], ARGV[at]) end
end
return 1
"""
)

# KEYS: positions, results, numbers, changes, then the results of each player. ARGV: 1 the last number to
# remove, then each game and its number. The checkpoint has passed the results.
_FORGET: Final = Script(
    """
if tonumber(redis.call('HGET', KEYS[1], 'checkpoint') or 0) < tonumber(ARGV[1]) then return 0 end
redis.call('XTRIM', KEYS[2], 'MINID', (ARGV[1] + 1) .. '-0')
for at = 2, #ARGV, 2 do
  redis.call('HDEL', KEYS[3], ARGV[at])
  redis.call('HDEL', KEYS[4], ARGV[at + 1])
end
for at = 5, #KEYS do redis.call('ZREMRANGEBYSCORE', KEYS[at], '-inf', ARGV[1]) end
return 1
"""
)


# KEYS: the games of each pair of players. ARGV: 1 the name of a game, 2 how many games a pair may begin, 3
# the TTL in seconds. Returns 0 if a pair has begun so many others.
_MEET: Final = Script(
    """
for _, key in ipairs(KEYS) do
  local is_known = redis.call('SISMEMBER', key, ARGV[1]) == 1
  if not is_known and redis.call('SCARD', key) >= tonumber(ARGV[2]) then return 0 end
end
for _, key in ipairs(KEYS) do
  redis.call('SADD', key, ARGV[1])
  redis.call('EXPIRE', key, ARGV[3])
end
return 1
"""
)


class Result(msgspec.Struct, array_like=True, frozen=True):
    """A finished game of a ladder. Times are milliseconds since 1970, UTC.

    :param players: the id of the player of each seat.
    :param names: the names of their profiles when the game began.
    :param places: the place of each seat.
    :param gave_up: whether the player of each seat gave it up.
    :param record: the record of the game as JSON, compressed.
    """

    game_id: str
    finished_ms: int
    players: tuple[str, ...]
    names: tuple[str, ...]
    places: tuple[int, ...]
    gave_up: tuple[bool, ...]
    has_winner: bool
    record: bytes

    def rated(self, before: Sequence[Rating]) -> list[Rating]:
        """Return the ratings of the players after the game."""
        return after_game(before, self.places, self.gave_up, has_winner=self.has_winner)

    @property
    def record_json(self) -> bytes:
        """The record of the game as JSON."""
        return zlib.decompress(self.record)


class Change(msgspec.Struct, array_like=True, frozen=True):
    """The ratings of the players before and after a result, by seat, in the points that a ladder shows."""

    before: tuple[int, ...]
    after: tuple[int, ...]


class Shown(msgspec.Struct, array_like=True, frozen=True):
    """What the pages of a ladder show of a player beside the rating: the profile; no name once it is gone."""

    name: str | None
    is_bot: bool


class Size(NamedTuple):
    """How many players have a rating that is not provisional, and the number of the last result."""

    players: int
    results: int


class Standing(NamedTuple):
    """A player on a page of a ladder."""

    shown: Shown
    rating: Rating


results: Final = RecordCodec(Result, "result of a ladder")
ratings: Final = RecordCodec(Rating, "rating")
_changes: Final = RecordCodec(Change, "change of ratings")
shown_profiles: Final = RecordCodec(Shown, "name on a ladder")

NOBODY: Final = Shown(None, False)


@lru_cache(maxsize=1000)
def _standing(rating: bytes, shown: bytes | None) -> Standing:
    """Return a player on a page, by what is stored; most requests are for pages that were read before."""
    return Standing(NOBODY if shown is None else shown_profiles.decode(shown), ratings.decode(rating))


class LadderResults:
    """The results and ratings of one ladder. Every method raises Problem store_unavailable."""

    def __init__(self, calls: RedisCalls, ladder: str) -> None:
        self._calls = calls
        self._owner = f"ladder.{ladder}"

    # Writes.

    def append(self, result: Result) -> int:
        """Add the result of a game, unless the ladder has one of it; return its number."""
        keys = self._keys("results", "numbers", "positions", *(f"of.{each}" for each in result.players))
        return self._calls.run_script(_APPEND, keys, [result.game_id, results.encode(result)])

    def rate(self) -> None:
        """Fold the results that no rating has yet.

        :raises Problem: too_much_contention; data_corrupt, data_newer.
        """
        self._fold("ratings", "board", lambda _: True)

    def forget(self, before_ms: int) -> None:
        """Move the checkpoint past the results of games that ended before a time, and remove these.

        :raises Problem: as `rate`.
        """
        self._fold("checkpoint", "", lambda result: result.finished_ms < before_ms)
        position = self.position("checkpoint")
        passed = [each for each in self.after(0, _AT_ONCE) if each[0] <= position]
        if passed:
            players = {player for _, result in passed for player in result.players}
            of_players = (f"of.{player}" for player in players)
            keys = self._keys("positions", "results", "numbers", "changes", *of_players)
            games = [part for number, result in passed for part in (result.game_id, number)]
            self._calls.run_script(_FORGET, keys, [passed[-1][0], *games])

    def _fold(self, kind: str, board: str, takes: Callable[[Result], bool]) -> None:
        for attempt in range(MAX_ATTEMPTS):
            position = self.position(kind)
            found = []
            for number, result in self.after(position, _AT_ONCE):
                if not takes(result):
                    break
                found.append((number, result))
            if not found:
                return
            players = sorted({player for _, result in found for player in result.players})
            known = dict(zip(players, self.ratings(players, kind), strict=True))
            changes: list[Any] = []
            for number, result in found:
                before = [known[player] for player in result.players]
                after = result.rated(before)
                known |= dict(zip(result.players, after, strict=True))
                if board:
                    change = Change(*(tuple(rating.shown for rating in each) for each in (before, after)))
                    changes += [number, _changes.encode(change)]
            arguments = [kind, position or "", found[-1][0], 5 + len(changes), *changes]
            for player, rating in known.items():
                score = repr(rating.mu) if board and not rating.is_provisional else ""
                arguments += [player, ratings.encode(rating), score]
            keys = self._keys("positions", kind, board or "board", "changes")
            if not self._calls.run_script(_FOLD, keys, arguments):
                back_off(attempt)
        if next(iter(self.after(self.position(kind), 1)), None):
            raise Problem("too_much_contention")

    def show(self, player: str, shown: Shown) -> None:
        """Write the profile of a player that the pages of the ladder show."""
        key = self._key("names")
        self._calls.call(
            key, lambda server: server.hset(key, player, shown_profiles.encode(shown)), writes=True
        )

    def meet(self, players: Sequence[str], tickets: Sequence[str], day: int, limit: int) -> bool:
        """Note that players begin a game; return False if two of them have begun enough games on the day.

        :param tickets: those of the players, which name the game.
        :param limit: how many games two players begin on a day.
        """
        keys = [self._met(day, *pair) for pair in _pairs(players)]
        return bool(self._calls.run_script(_MEET, keys, [" ".join(sorted(tickets)), limit, _MET_S]))

    # Reads.

    def position(self, kind: str) -> int:
        """Return the number of the last result that ratings or checkpoint have; or of the `last` there is."""
        key = self._key("positions")
        return int(self._calls.call(key, lambda server: expect_bytes(server.hget(key, kind))) or 0)

    def after(self, number: int, limit: int) -> Iterator[tuple[int, Result]]:
        """Yield the results after a number."""
        key = self._key("results")
        found: Any = self._calls.call(key, lambda server: server.xrange(key, f"({number}-0", "+", limit))
        for entry_id, fields in found:
            yield int(entry_id.partition(b"-")[0]), results.decode(fields[b"data"])

    def result(self, number: int) -> Result | None:
        """Return a result by its number; None if the ladder no longer has it."""
        key = self._key("results")
        found: Any = self._calls.call(key, lambda server: server.xrange(key, f"{number}-0", f"{number}-0"))
        return results.decode(found[0][1][b"data"]) if found else None

    def changes(self, numbers: Sequence[int]) -> list[Change | None]:
        """Return what results changed by their numbers; None for one that the ratings do not have yet."""
        if not numbers:
            return []
        key = self._key("changes")
        found: Any = self._calls.call(key, lambda server: server.hmget(key, list(numbers)))
        return [None if stored is None else _changes.decode(stored) for stored in found]

    def numbers_of(self, player: str, before: int | None, limit: int) -> list[int]:
        """Return the numbers of a player's results, the last first.

        :param before: only numbers below this one.
        """
        key, highest = self._key(f"of.{player}"), "+inf" if before is None else f"({before}"
        found: Any = self._calls.call(
            key, lambda server: server.zrevrangebyscore(key, highest, "-inf", 0, limit)
        )
        return [int(number) for number in found]

    def ratings(self, players: Sequence[str], kind: str = "ratings") -> list[Rating]:
        """Return the ratings of players; that of a new player for each who has none."""
        if not players:
            return []
        key = self._key(kind)
        found: Any = self._calls.call(key, lambda server: server.hmget(key, list(players)))
        return [Rating() if stored is None else ratings.decode(stored) for stored in found]

    def standing(self, kind: str) -> tuple[int, dict[str, Rating]]:
        """Return the position of the `ratings` or of the `checkpoint`, and the ratings there, in one step."""
        positions, key = self._keys("positions", kind)

        def read(server: redis.Redis) -> Any:
            pipeline: Any = server.pipeline()
            return pipeline.hget(positions, kind).hgetall(key).execute()

        position, found = self._calls.call(key, read)
        return int(position or 0), {player.decode(): ratings.decode(each) for player, each in found.items()}

    def page(self, start: int, limit: int) -> tuple[Size, list[Standing]]:
        """Return the size of the ladder, and players by their rating, the highest first.

        :param start: how many to leave out.
        """
        board, positions, all_ratings, names = self._keys("board", "positions", "ratings", "names")
        page = ("ZREVRANGE", board, start, start + limit - 1)

        def read(server: redis.Redis) -> Any:
            count, last, players = read_together(
                server, [("ZCARD", board), ("HGET", positions, "last"), page]
            )
            if not players:
                return count, last, ([], [])
            stored = read_together(server, [("HMGET", key, *players) for key in (all_ratings, names)])
            return count, last, stored

        count, last, columns = self._calls.call(board, read)
        return Size(count, int(last or 0)), [_standing(*stored) for stored in zip(*columns, strict=True)]

    def size(self) -> Size:
        """Return how many players and results the ladder has."""
        board, positions = self._keys("board", "positions")

        def read(server: redis.Redis) -> Any:
            pipeline: Any = server.pipeline(transaction=False)
            return pipeline.zcard(board).hget(positions, "last").execute()

        count, last = self._calls.call(board, read)
        return Size(count, int(last or 0))

    def rank(self, player: str) -> int | None:
        """Return the rank of a player on the board, from 1; None if the rating is provisional."""
        key = self._key("board")
        found: Any = self._calls.call(key, lambda server: server.zrevrank(key, player))
        return None if found is None else int(found) + 1

    def meetings(self, pairs: Sequence[tuple[str, str]], day: int) -> list[int]:
        """Return how many games each pair of players has begun on a day."""
        if not pairs:
            return []
        keys = [self._met(day, *sorted(pair)) for pair in pairs]

        def read(server: redis.Redis) -> Any:
            pipeline: Any = server.pipeline(transaction=False)
            for key in keys:
                pipeline.scard(key)
            return pipeline.execute()

        return [int(number) for number in self._calls.call(keys[0], read)]

    def _met(self, day: int, first: str, second: str) -> str:
        return self._key(f"met.{day}.{first}.{second}")

    def _key(self, kind: str) -> str:
        return key_of(self._owner, kind)

    def _keys(self, *kinds: str) -> list[str]:
        return keys_of(self._owner, *kinds)


def _pairs(players: Sequence[str]) -> list[tuple[str, str]]:
    ordered = sorted(players)
    return [(one, other) for at, one in enumerate(ordered) for other in ordered[at + 1 :]]
