"""The engine on one core: whole random games with every legal action listed, beside other engines."""

from __future__ import annotations

import random
import time
import tracemalloc
from collections.abc import Callable, Iterator

from bench.rows import Row, in_turn, row
from engine import (
    BOTS,
    COLORS,
    Buy,
    FinishBuilding,
    Game,
    Move,
    Pass,
    Place,
    SetOffer,
    TakeBack,
    game_as_seen_by,
    legal_moves,
    new_game,
    offer_limits,
    play,
)

RUNS = 7


def decisions(players: int, dice: random.Random, seed: str) -> Iterator[tuple[Game, int, Move]]:
    """Play a random game; yield each decision with the game before it, everything legal being listed."""
    game = new_game(COLORS[:players], seed).game
    while not game.is_over:
        seat = game.waiting_for[0]
        limits = offer_limits(game, seat)
        if limits is not None:
            discard, one, other = limits.tiles
            price = dice.randint(1, limits.gold - 1)
            move: Move = SetOffer(discard, ((one, price), (other, dice.randint(1, limits.gold - price))))
        else:
            moves = legal_moves(game, seat)
            if isinstance(moves[-1], TakeBack):
                moves.pop()
            move = dice.choice(moves)
        yield game, seat, move
        game = play(game, seat, move).game


def rates(games: int = 15) -> dict[str, Callable[[], float]]:
    """Return what measures decisions per second of CPU time, for us and for whoever else is installed."""
    dice = random.Random(1)
    seeds = iter(range(10**9))

    def ours(players: int) -> Callable[[], int]:
        return lambda: sum(1 for _ in decisions(players, dice, str(next(seeds))))

    contenders = {f"{n} players": _rate(ours(n), games) for n in (4, 2, 3, 5)}
    contenders.update({name: _rate(game, games) for name, game in _others(dice).items()})
    return contenders


def _rate(one_game: Callable[[], int], games: int) -> Callable[[], float]:
    def measure() -> float:
        before = time.process_time()
        number = sum(one_game() for _ in range(games))
        return number / (time.process_time() - before)

    return measure


def _others(dice: random.Random) -> dict[str, Callable[[], int]]:
    """Return random playouts of other engines, as far as they are installed (bench/requirements.txt)."""
    found: dict[str, Callable[[], int]] = {}
    try:
        import chess

        found["python-chess"] = lambda: _chess(chess, dice)
    except ImportError:
        print("python-chess is not installed: no comparison with it")
    try:
        import pyspiel

        found["OpenSpiel backgammon"] = lambda: _openspiel(pyspiel.load_game("backgammon"), dice)
        found["OpenSpiel gin rummy"] = lambda: _openspiel(pyspiel.load_game("gin_rummy"), dice)
    except ImportError:
        print("OpenSpiel is not installed: no comparison with it")
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


def _parts() -> list[Row]:
    """Time by part, over the same recorded games: listing, each kind of move, the view of a seat."""
    recorded = [step for n in range(20) for step in decisions(4, random.Random(n), str(n))]
    contenders: dict[str, Callable[[], float]] = {
        "list legal actions": lambda: _us(recorded, lambda g, s, _: (offer_limits(g, s), legal_moves(g, s))),
        "view of a seat": lambda: _us(recorded, lambda g, s, _: game_as_seen_by(s, g)),
    }
    for kind in (SetOffer, Buy, Pass, Place, FinishBuilding):
        of_kind = [step for step in recorded if type(step[2]) is kind]
        contenders[f"play {kind.__name__}"] = lambda of_kind=of_kind: _us(of_kind, play)
    for number in (1, 6):
        of_round = [step for step in recorded if step[0].round == number]
        contenders[f"play in round {number}"] = lambda of_round=of_round: _us(of_round, play)
    measured = in_turn(contenders, RUNS)
    rows = [row(name, values, "us") for name, values in measured.items() if name != "play in round 6"]
    first = ("play in round 1", measured["play in round 1"])
    return [*rows, row("play in round 6", measured["play in round 6"], "us", against=first, goal="<= 1.3")]


def _us(steps, call) -> float:
    before = time.process_time()
    for game, seat, move in steps:
        call(game, seat, move)
    return (time.process_time() - before) / len(steps) * 1e6


def _bots() -> list[Row]:
    recorded = [step for n in range(3) for step in decisions(4, random.Random(n), str(n))]
    dice = random.Random(1)
    rows = []
    for name, bot in BOTS.items():
        measured = in_turn({name: lambda bot=bot: _us(recorded, lambda g, s, _: bot(g, s, dice))}, 3)
        rows.append(row(f"{name} bot, one move", measured[name], "us"))
    return rows


def _memory() -> Row:
    """Bytes that a game in its last round holds, with all that has been worked out for it."""
    tracemalloc.start()
    kept = []
    before = tracemalloc.get_traced_memory()[0]
    for number in range(20):
        *_, (game, _, _) = decisions(4, random.Random(number), str(number))
        kept.append(game)
    held = tracemalloc.get_traced_memory()[0] - before
    tracemalloc.stop()
    return row("memory of a 4-player game at its end", [held / len(kept)], "bytes")


def engine_rows() -> list[Row]:
    """Measure the engine."""
    measured = in_turn(rates(), RUNS)
    ours = "4 players"
    rows = [row(f"random games, {n} players", measured[f"{n} players"], "decisions/s") for n in (2, 3, 4, 5)]
    per_game = [rate / 120 for rate in measured[ours]]
    rows.append(row("random games, 4 players", per_game, "games/s"))
    goals = {"python-chess": ">= 1.9", "OpenSpiel backgammon": ">= 1.0"}
    for other in measured.keys() - {f"{n} players" for n in (2, 3, 4, 5)}:
        rows.append(
            row(
                "random 4-player games",
                measured[ours],
                "decisions/s",
                against=(other, measured[other]),
                goal=goals.get(other),
            )
        )
    return [*rows, *_parts(), *_bots(), _memory()]
