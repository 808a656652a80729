"""Compare the core with the engine: the same answers, and how many times as fast.

    make core && PYTHONPATH=gym/core .venv/bin/python -m skye_core.measure

It needs skye-engine and skye-gym, which are compiled where they were built with SKYE_COMPILE=1. A position is
a game of bots in which a seat places a tile; all placements of each tile in its hand are asked for. The same
arguments give the same positions.
"""

from __future__ import annotations

import argparse
import gc
from collections.abc import Callable, Iterator, Sequence
from hashlib import sha256
from itertools import islice, pairwise
from random import Random
from statistics import median
from struct import Struct, iter_unpack
from time import process_time
from typing import Final, NamedTuple

import skye
from skye import GameState, Options, Phase, Place, choose_move
from skye.rules.income import whisky_joined
from skye.rulesets import BASE, Ruleset
from skye.scoring import tile_points
from skye.views import placement_gains_view
from skye_core import Answers, Core
from skye_gym.envs.gains import Gain, territory_gains

_BOTS: Final = ("random", "greedy", "strategist")
_VIEWED: Final = 300
"""For how many positions the slow view is measured."""


class Position(NamedTuple):
    """A game, and a seat that places tiles."""

    game: GameState
    seat: int

    @property
    def tiles(self) -> tuple[str, ...]:
        """The tiles in hand."""
        return self.game.players[self.seat].tiles_to_build


def positions(seed: str, ruleset: Ruleset = BASE) -> Iterator[Position]:
    """Yield the positions of games of bots, without an end, with each number of players in turn."""
    number = 0
    while True:
        rng = Random(f"{seed} {number}")
        players = ruleset.players[number % len(ruleset.players)]
        bots = [rng.choice(_BOTS) for _ in range(players)]
        game = skye.new_game(players, seed=f"{seed} {number}", options=Options(ruleset=ruleset.id)).game
        while not game.is_over:
            seat = game.waiting_for[0]
            if game.phase is Phase.BUILDING and game.players[seat].tiles_to_build:
                yield Position(game, seat)
            game = skye.play(game, seat, choose_move(bots[seat], game, seat, rng)).game
        number += 1


def queries(asked: Sequence[Position]) -> Iterator[tuple[GameState, int, str]]:
    """Yield what to ask a core: each tile in hand."""
    return ((each.game, each.seat, tile) for each in asked for tile in each.tiles)


def by_engine(asked: Sequence[Position]) -> Iterator[dict[Place, Gain]]:
    """Yield the gains of all placements of each tile in hand."""
    for each in asked:
        gains = territory_gains(each.game, each.seat)
        for tile in each.tiles:
            yield gains.gains(tile)


def by_core(asked: Sequence[Position], answers: Answers, slots: int) -> Iterator[dict[Place, Gain]]:
    """Yield the answers of a core in the form of the engine's."""
    offsets = iter_unpack("=i", answers.offsets)
    rows = iter_unpack(f"={slots + 5}h", answers.placements)
    (first,) = next(offsets)
    for (_, _, tile), (end,) in zip(queries(asked), offsets, strict=True):
        yield {
            Place(tile, x, y, 90 * turns): Gain(tuple(points), whisky, scrolls)
            for x, y, turns, *points, whisky, scrolls in islice(rows, end - first)
        }
        first = end


def bytes_by_engine(asked: Sequence[Position]) -> bytes:
    """Return the answers of the engine as `bytes_by_core` does those of a core."""
    written = []
    answers = by_engine(asked)
    for game, seat, _ in queries(asked):
        ruleset, slots = game.ruleset, len(game.scoring_tiles)
        summaries = [player.territory.summary for player in game.players]
        golds = [player.gold for player in game.players]
        points = [
            tile_points(ruleset.scoring_tiles[tile], summaries, golds)[seat] for tile in game.scoring_tiles
        ]
        scrolls = ruleset.final.score(summaries[seat], 0).scroll_points
        written.append(Struct(f"={slots + 2}h").pack(*points, whisky_joined(summaries[seat]), scrolls))
        row = Struct(f"={slots + 5}h")
        written += [
            row.pack(place.x, place.y, place.rotation // 90, *gain.slots, gain.whisky, gain.scrolls)
            for place, gain in next(answers).items()
        ]
    return b"".join(written)


def bytes_by_core(answers: Answers, slots: int) -> bytes:
    """Return the answers of a core: for each tile in hand the points now, then its placements."""
    offsets = [offset for (offset,) in iter_unpack("=i", answers.offsets)]
    now, row = 2 * (slots + 2), 2 * (slots + 5)
    return b"".join(
        answers.now[query * now : (query + 1) * now] + answers.placements[first * row : end * row]
        for query, (first, end) in enumerate(pairwise(offsets))
    )


def _ways(core: Core, asked: list[Position]) -> dict[str, tuple[int, Callable[[], object]]]:
    """Return by name the ways to answer, each with the number of its positions."""
    batch, slots = core.batch(queries(asked)), len(core.ruleset.slots)
    few = asked[:: max(1, len(asked) // _VIEWED)]
    parts = [asked[start : start + 64] for start in range(0, len(asked), 64)]

    def to_dictionaries() -> object:
        return list(by_core(asked, core.answer(core.batch(queries(asked))), slots))

    return {
        "engine, gains of the gym": (len(asked), lambda: list(by_engine(asked))),
        "core, arrays to arrays": (len(asked), lambda: core.answer(batch)),
        "core, games to arrays": (len(asked), lambda: core.answer(core.batch(queries(asked)))),
        "core, games to arrays, 64 positions a call": (
            len(asked),
            lambda: [core.answer(core.batch(queries(part))) for part in parts],
        ),
        "core, games to the engine's dictionaries": (len(asked), to_dictionaries),
        "engine, placement_gains_view": (
            len(few),
            lambda: [placement_gains_view(*query) for query in queries(few)],
        ),
    }


def _cpu_seconds(work: Callable[[], object]) -> float:
    gc.collect()
    before = process_time()
    work()
    return process_time() - before


def main() -> None:
    """Compare and measure."""
    parser = argparse.ArgumentParser(description="Compare the core with the engine, and measure both.")
    parser.add_argument("--positions", type=int, default=10_000)
    parser.add_argument("--seed", default="core")
    parser.add_argument("--turns", type=int, default=9, help="how often each way is measured, in turn")
    options = parser.parse_args()
    asked = list(islice(positions(options.seed), options.positions))
    gc.freeze()  # a collection would go through the positions again and again
    core = Core(BASE)
    answers = core.answer(core.batch(queries(asked)))
    slots = len(BASE.slots)
    hashes = [sha256(each).hexdigest() for each in (bytes_by_engine(asked), bytes_by_core(answers, slots))]
    if hashes[0] != hashes[1]:
        raise SystemExit(f"The answers differ: SHA-256 {hashes[0]} by the engine, {hashes[1]} by the core.")
    placements = len(answers.placements) // (2 * (slots + 5))
    print(f"{len(asked)} positions, {sum(1 for _ in queries(asked))} tiles in hand, {placements} placements")
    print(f"SHA-256 of the answers, of the engine and of the core: {hashes[0]}")
    print(f"tables of the ruleset: {_cpu_seconds(lambda: Core(BASE)):.2f} s")

    measured: dict[str, list[float]] = {}
    ways = _ways(core, asked)
    for _ in range(options.turns):
        for way, (number, work) in ways.items():
            measured.setdefault(way, []).append(_cpu_seconds(work) / number * 1e6)
    engine = next(iter(measured.values()))
    for way, costs in measured.items():
        ratios = sorted(theirs / own for theirs, own in zip(engine, costs, strict=True))
        print(
            f"{way}: {median(costs):.1f} µs of CPU for a position [{min(costs):.1f}, {max(costs):.1f}], "
            f"{median(ratios):.2f} times as fast as the engine [{ratios[0]:.2f}, {ratios[-1]:.2f}]"
        )


if __name__ == "__main__":
    main()
