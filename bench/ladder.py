"""Pages of a ladder with many profiles, in turn with the view of a game."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

import redis

from bench.load import Contender, Load, Request
from bench.rows import Row, in_turn, row
from bench.subjects import HOT, Place, Subject, fresh_place, ours, stored_copies, view
from skye_server.ladder.ratings import MU, PROVISIONAL_GAMES, Rating
from skye_server.ladder.results import Shown, ratings, shown_profiles
from skye_server.store.shards import key_of

_LADDER, _BATCH_SIZE, _GAME_VIEW = "live_2", 10_000, "game view"


def ladder_rows(place: Place) -> list[Row]:
    """Compare the first page of a ladder, and one from its middle, with a game view."""
    profiles = place.plan.profiles
    with fresh_place(place, partial(_fill, profiles=profiles)) as full:
        contenders = {_GAME_VIEW: ours(full, Subject(_GAME_VIEW, stored_copies(full, "page", HOT), view))}
        for name, query in (("first page", ""), (f"page at {profiles // 2:,}", f"?cursor={profiles // 2}")):
            request = Request("GET", f"/v1/ladders/{_LADDER}{query}")
            contenders[f"ladder of {profiles:,}, {name}"] = Contender(full.ours, [request])
        loads = in_turn({name: each.runner(place.plan) for name, each in contenders.items()}, place.plan.runs)
    against = loads.pop(_GAME_VIEW)
    return [each for name, seen in loads.items() for each in _rows(name, seen, against)]


def _rows(name: str, seen: Iterable[Load], against: Iterable[Load]) -> list[Row]:
    return [
        row(
            f"{name}: {what}",
            [figure(load) for load in seen],
            "us/request",
            against=(_GAME_VIEW, [figure(load) for load in against]),
            goal=goal,
        )
        for what, figure, goal in (
            ("time", lambda load: 1e6 / load.rate, None),
            ("CPU with Redis", lambda load: load.cpu + load.redis_cpu, "<= 1.2"),
        )
    ]


def _fill(store: redis.Redis, profiles: int) -> None:
    """Store players whose ratings are no longer provisional."""
    all_ratings, names, board = (key_of(f"ladder.{_LADDER}", kind) for kind in ("ratings", "names", "board"))
    for first in range(0, profiles, _BATCH_SIZE):
        numbers = range(first, min(first + _BATCH_SIZE, profiles))
        found = {f"player-{number:08}": _rating(number) for number in numbers}
        store.hset(all_ratings, mapping={player: ratings.encode(each) for player, each in found.items()})
        store.hset(names, mapping={player: shown_profiles.encode(Shown(player, False)) for player in found})
        store.zadd(board, {player: rating.mu for player, rating in found.items()})


def _rating(number: int) -> Rating:
    mu = round(MU + (number % 10_007) / 1000, 6)
    return Rating(mu=mu, sigma=1.234567, games=2 * PROVISIONAL_GAMES, last=(False,) * PROVISIONAL_GAMES)
