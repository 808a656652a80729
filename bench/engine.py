"""The engine on one core: random games in which every legal action is listed, beside other engines."""

from __future__ import annotations

import itertools
import random
import time
from collections import defaultdict
from collections.abc import Callable, Iterator

from bench.environments import environment_rows
from bench.plan import Plan
from bench.rows import Row, in_turn, row
from skye import (
    BOTS,
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
from skye.rulesets import BASE

OURS = "random games, 4 players"
GOALS = {"python-chess": ">= 1.9", "OpenSpiel backgammon": ">= 1.0"}
"""By the engine to compare with: the goal for the ratio of decisions per second."""

BUDGETS = {2: "<= 50", 4: "<= 100"}
"""By number of players: the goal for the 99th percentile of a bot's decisions in milliseconds."""

_new_seeds = map(str, itertools.count())
"""Each game has another seed, so that no cached value of one game helps the next."""


def engine_rows(plan: Plan) -> list[Row]:
    """Measure the engine."""
    return [*_speed_rows(plan), *_part_rows(plan), *_bot_rows(plan), *environment_rows(plan)]


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
    game = new_game(BASE.colors[:players], seed=seed).game
    while not game.is_over:
        seat = game.waiting_for[0]
        move = choose(game, seat, dice)
        yield game, seat, move
        game = play(game, seat, move).game


def opponents(dice: random.Random) -> dict[str, Callable[[], int]]:
    """Return by name, if installed, a function that plays a game and returns the number of its decisions."""
    found: dict[str, Callable[[], int]] = {}
    try:
        import chess

        found["python-chess"] = lambda: _chess(chess, dice)
    except ImportError:
        pass
    try:
        import pyspiel

        found["OpenSpiel backgammon"] = lambda: _openspiel(pyspiel.load_game("backgammon"), dice)
    except ImportError:
        pass
    return found


def _chess(chess, dice: random.Random) -> int:
    board, number = chess.Board(), 0
    while number < 400 and not board.is_game_over():
        board.push(dice.choice(list(board.legal_moves)))
        number += 1
    return number


def _openspiel(game, dice: random.Random) -> int:
    state, number = game.new_initial_state(), 0
    while not state.is_terminal():
        if state.is_chance_node():
            outcomes, weights = zip(*state.chance_outcomes(), strict=True)
            state.apply_action(dice.choices(outcomes, weights)[0])
        else:
            state.apply_action(dice.choice(state.legal_actions()))
            number += 1
    return number


def _speed_rows(plan: Plan) -> list[Row]:
    """Measure the decisions per second of CPU time in whole games."""
    dice = random.Random(1)
    games = {
        f"random games, {players} players": lambda players=players: sum(
            1 for _ in decisions(players, dice, next(_new_seeds))
        )
        for players in BASE.players
    }
    games |= opponents(dice)
    measured = in_turn({name: _speed(game, plan.games) for name, game in games.items()}, plan.runs)
    rows = [
        row(f"random games, {players} players", measured[f"random games, {players} players"], "decisions/s")
        for players in BASE.players
    ]
    for other, goal in GOALS.items():
        if other in measured:
            against = other, measured[other]
            rows.append(row(OURS, measured[OURS], "decisions/s", against=against, goal=goal))
        else:
            rows.append(Row(OURS, None, "decisions/s", f"{other}: not installed", goal=goal))
    return rows


def _speed(one_game: Callable[[], int], games: int) -> Callable[[], float]:
    def measure() -> float:
        before = time.process_time()
        number = sum(one_game() for _ in range(games))
        return number / (time.process_time() - before)

    return measure


def _part_rows(plan: Plan) -> list[Row]:
    """Measure one call of each part of a random game."""
    runs = [_timed_parts(plan.games) for _ in range(plan.runs + 1)][1:]
    names = ["list legal actions and choose", "play a move", "view of a seat", "play in round 1"]
    rows = [row(name, [run[name] for run in runs], "us") for name in names]
    first, last = ([run[f"play in round {number}"] for run in runs] for number in (1, 6))
    return [*rows, row("play in round 6", last, "us", against=("play in round 1", first), goal="<= 1.3")]


def _timed_parts(games: int) -> dict[str, float]:
    """Play whole games of four; return the mean CPU time of each part in microseconds."""
    taken: defaultdict[str, list[int]] = defaultdict(list)
    now = time.thread_time_ns
    for seed in itertools.islice(_new_seeds, games):
        game, dice = new_game(BASE.colors[:4], seed=seed).game, random.Random(seed)
        while not game.is_over:
            seat, number = game.waiting_for[0], game.round
            start = now()
            game_view(game, seat)
            viewed = now()
            move = choose(game, seat, dice)
            chosen = now()
            game = play(game, seat, move).game
            played = now() - chosen
            taken["view of a seat"].append(viewed - start)
            taken["list legal actions and choose"].append(chosen - viewed)
            taken["play a move"].append(played)
            taken[f"play in round {number}"].append(played)
    return {part: sum(each) / len(each) / 1000 for part, each in taken.items()}


def _bot_rows(plan: Plan) -> list[Row]:
    """Measure the decisions of each bot in games in which it has every seat."""
    rows = []
    for name, bot in BOTS.items():
        for players, budget in BUDGETS.items():
            times = [_p99_ms(bot, players, max(1, plan.games // 3)) for _ in range(plan.runs)]
            rows.append(row(f"{name} bot, {players} players: p99 of a decision", times, "ms", goal=budget))
    return rows


def _p99_ms(bot: Callable[..., Move], players: int, games: int) -> float:
    """Return the 99th percentile of the CPU time of a bot's decisions over whole games."""
    taken = []
    for seed in itertools.islice(_new_seeds, games):
        game, dice = new_game(BASE.colors[:players], seed=seed).game, random.Random(seed)
        while not game.is_over:
            seat = game.waiting_for[0]
            start = time.thread_time_ns()
            move = bot(game, seat, dice)
            taken.append(time.thread_time_ns() - start)
            game = play(game, seat, move).game
    return sorted(taken)[int(0.99 * len(taken))] / 1e6
