"""The engine on one core: random games in which every legal action is listed, and those of other engines."""

from __future__ import annotations

import itertools
import random
import statistics
import time
import tracemalloc
from collections import defaultdict
from collections.abc import Callable, Iterator
from typing import NamedTuple

from bench.environments import environment_rows
from bench.opponents import NAMES, opponents
from bench.plan import Plan
from bench.rows import Row, in_turn, row
from skye import (
    BOTS,
    COLORS,
    PLAYERS,
    GameState,
    Move,
    SetOffer,
    TakeBack,
    game_view,
    legal_moves,
    new_game,
    offer_limits,
    play,
)

OURS = "random games, 4 players"
GOALS = {"python-chess": ">= 1.9", "OpenSpiel backgammon": ">= 1.0"}


_new_seeds = map(str, itertools.count())
"""Each game has another seed, so that no cached value of one game helps the next."""


def choose(game: GameState, seat: int, dice: random.Random) -> Move:
    """List the legal moves of a seat; return a random one except `TakeBack`."""
    limits = offer_limits(game, seat)
    if limits is not None:
        discard, one, other = limits.tiles
        price = dice.randint(1, limits.gold - 1)
        return SetOffer(discard, ((one, price), (other, dice.randint(1, limits.gold - price))))
    moves = legal_moves(game, seat)
    if isinstance(moves[-1], TakeBack):
        moves.pop()
    return dice.choice(moves)


def decisions(players: int, dice: random.Random, seed: str) -> Iterator[tuple[GameState, int, Move]]:
    """Play a random game, listing the legal moves; yield each decision with the game before it."""
    game = new_game(COLORS[:players], seed=seed).game
    while not game.is_over:
        seat = game.waiting_for[0]
        move = choose(game, seat, dice)
        yield game, seat, move
        game = play(game, seat, move).game


class Speed(NamedTuple):
    """Decisions and games per second of CPU time."""

    decisions: float
    games: float


def _speeds(plan: Plan) -> dict[str, Callable[[], Speed]]:
    dice = random.Random(1)

    def ours(players: int) -> Callable[[], int]:
        return lambda: sum(1 for _ in decisions(players, dice, next(_new_seeds)))

    games = {f"random games, {n} players": ours(n) for n in PLAYERS} | opponents(dice)
    return {name: _speed(game, plan.games) for name, game in games.items()}


def _speed(one_game: Callable[[], int], games: int) -> Callable[[], Speed]:
    def measure() -> Speed:
        before = time.process_time()
        number = sum(one_game() for _ in range(games))
        spent = time.process_time() - before
        return Speed(number / spent, games / spent)

    return measure


def _speed_rows(plan: Plan) -> list[Row]:
    measured = in_turn(_speeds(plan), plan.runs)
    rows = []
    for name in (f"random games, {n} players" for n in PLAYERS):
        rows.append(row(name, [speed.decisions for speed in measured[name]], "decisions/s"))
        rows.append(row(name, [speed.games for speed in measured[name]], "games/s"))
    ours = [speed.decisions for speed in measured[OURS]]
    for other in NAMES:
        goal = GOALS.get(other)
        if other not in measured:
            rows.append(Row(OURS, None, "decisions/s", f"{other}: not installed", goal=goal))
            continue
        theirs = [speed.decisions for speed in measured[other]]
        rows.append(row(OURS, ours, "decisions/s", against=(other, theirs), goal=goal))
    return rows


class Clock:
    """Sums CPU time and the number of calls by part, without its own overhead."""

    def __init__(self) -> None:
        self.seconds: defaultdict[str, float] = defaultdict(float)
        self.times: defaultdict[str, int] = defaultdict(int)
        started = time.thread_time_ns()
        for _ in range(1000):
            last = time.thread_time_ns()
        self._own = (last - started) / 1000

    def add(self, part: str, nanoseconds: int) -> None:
        """Add one call."""
        self.seconds[part] += (nanoseconds - self._own) / 1e9
        self.times[part] += 1

    def us(self, *parts: str) -> float:
        """Return microseconds for each time that any of the parts came up."""
        return sum(self.seconds[part] for part in parts) / sum(self.times[part] for part in parts) * 1e6


def _timed_games(games: int, bot: Callable[..., Move] = choose) -> Clock:
    """Play whole games of four, the time taken by what chooses, by kind of move and by round."""
    clock, now = Clock(), time.thread_time_ns
    for seed in itertools.islice(_new_seeds, games):
        game, dice = new_game(COLORS[:4], seed=seed).game, random.Random(seed)
        while not game.is_over:
            seat, number = game.waiting_for[0], game.round
            start = now()
            move = bot(game, seat, dice)
            chosen = now()
            after = play(game, seat, move).game
            played = now()
            clock.add("choose", chosen - start)
            clock.add(f"play {type(move).__name__}", played - chosen)
            clock.add(f"round {number}", played - chosen)
            game = after
    return clock


def _timed_views(games: int) -> Clock:
    clock, now = Clock(), time.thread_time_ns
    for seed in itertools.islice(_new_seeds, games):
        for game, seat, _ in decisions(4, random.Random(seed), seed):
            start = now()
            game_view(game, seat)
            clock.add("view", now() - start)
    return clock


def _part_rows(plan: Plan) -> list[Row]:
    """Measure each part of a random game: its share of the time, and the time of one call."""
    clocks = [_timed_games(plan.games) for _ in range(plan.runs + 1)][1:]
    kinds = sorted(part for part in clocks[0].seconds if part.startswith("play "))
    whole = [sum(clock.seconds[part] for part in ("choose", *kinds)) for clock in clocks]
    names = {"choose": "list legal actions and choose", **{kind: kind for kind in kinds}}
    rows = []
    for part, name in names.items():
        shares = [clock.seconds[part] for clock in clocks]
        shown = row(f"{name}: share", shares, "", against=("a random game of 4", whole))
        us = row(f"{name}", [clock.us(part) for clock in clocks], "us")
        rows += [us, Row(shown.name, shown.ratio, "of the time", spread=shown.spread)]
    views = [_timed_views(plan.games) for _ in range(plan.runs)]
    rows.append(row("view of a seat", [clock.us("view") for clock in views], "us"))
    first, last = ([clock.us(f"round {number}") for clock in clocks] for number in (1, 6))
    rows.append(row("play in round 1", first, "us"))
    rows.append(row("play in round 6", last, "us", against=("play in round 1", first), goal="<= 1.3"))
    return rows


BUDGETS = {2: "<= 50", 4: "<= 100"}
"""By number of players: the goal for the 99th percentile of a bot's decisions in milliseconds."""


def _bot_rows(plan: Plan) -> list[Row]:
    """Measure the decisions of each bot in games in which it has every seat."""
    rows = []
    for name, bot in BOTS.items():
        clocks = [_timed_games(max(1, plan.games // 5), bot) for _ in range(plan.runs + 1)][1:]
        rows.append(row(f"{name} bot, one move", [clock.us("choose") for clock in clocks], "us"))
        for players, budget in BUDGETS.items():
            times = [_p99_ms(bot, players, max(1, plan.games // 3)) for _ in range(plan.runs)]
            rows.append(row(f"{name} bot, {players} players: p99 of a decision", times, "ms", goal=budget))
    return rows


def _p99_ms(bot: Callable[..., Move], players: int, games: int) -> float:
    """Return the 99th percentile of the CPU time of a bot's decisions over whole games."""
    taken = []
    for seed in itertools.islice(_new_seeds, games):
        game, dice = new_game(COLORS[:players], seed=seed).game, random.Random(seed)
        while not game.is_over:
            seat = game.waiting_for[0]
            start = time.thread_time_ns()
            move = bot(game, seat, dice)
            taken.append(time.thread_time_ns() - start)
            game = play(game, seat, move).game
    return sorted(taken)[int(0.99 * len(taken))] / 1e6


def _memory_rows(plan: Plan) -> list[Row]:
    """Measure the memory of a game in its last round, with its cached values."""
    rows = []
    for players in PLAYERS:
        games, sizes = [], []
        tracemalloc.start()
        for number in range(plan.games):
            before = tracemalloc.get_traced_memory()[0]
            *_, (game, _, _) = decisions(players, random.Random(number), str(number))
            games.append(game)
            sizes.append(tracemalloc.get_traced_memory()[0] - before)
        tracemalloc.stop()
        # The median, because the first games also fill caches that all games share.
        rows.append(row(f"memory of a {players}-player game at its end", [statistics.median(sizes)], "bytes"))
    return rows


def engine_rows(plan: Plan) -> list[Row]:
    """Measure the engine."""
    return [
        *_speed_rows(plan),
        *_part_rows(plan),
        *_bot_rows(plan),
        *_memory_rows(plan),
        *environment_rows(plan),
    ]
