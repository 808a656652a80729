"""What seats do that nobody acts for: bots, and players whose deadline has passed.

It is all done within the request that makes it due; there is no background job.
"""

from __future__ import annotations

import random
from dataclasses import replace

from service.matches.cooperative_yield import Turn
from service.matches.match import AnyEvent, BotTookOver, OnTimeout, Status, Table, TimedOut
from service.matches.transitions import Step, changed, make_move
from skye import BOTS, Game, Move, Pass, Phase

STAND_IN = "greedy"
"""The bot that plays for players who have resigned or let their deadline pass."""


def settle(step: Step, now_ms: int) -> Step:
    """Let bots act until a person must, or the game is over."""
    turn = Turn()
    while step.table.status is Status.PLAYING:
        seat = next((seat for seat in step.table.waiting_for if step.table.seats[seat].bot), None)
        if seat is None:
            break
        step = step.then(make_move(step.table, seat, _choice(step.table, seat), now_ms))
        turn.pass_on()
    return step


def catch_up(table: Table, now_ms: int) -> Step:
    """Decide for the seats whose deadline has passed; the next deadline then counts from now."""
    step = Step(table)
    if table.deadline_ms is None or now_ms < table.deadline_ms or table.status is not Status.PLAYING:
        return step
    for seat in table.waiting_for:
        if table.options.on_timeout is OnTimeout.BOT:
            step = step.then(hand_to_bot(step.table, seat, "timed_out", now_ms))
        else:
            step = step.then(_decide(step.table, seat, now_ms))
    return settle(step, now_ms)


def hand_to_bot(table: Table, seat: int, reason: str, now_ms: int) -> Step:
    """Let a bot play a seat from now on. Who has resigned holds no token of it any more."""
    left = replace(table.seats[seat], bot=STAND_IN)
    if reason == "resigned":
        left = replace(left, token="")  # nosec B106 # no token, so no password
    seats = (*table.seats[:seat], left, *table.seats[seat + 1 :])
    return changed(table, now_ms, [BotTookOver(seat, STAND_IN, reason)], seats=seats)


def _decide(table: Table, seat: int, now_ms: int) -> Step:
    """Make the one decision that a seat has missed: an offer, a pass, or all that is left to build."""
    step = Step(table)
    turn = _turn_of(table)
    told: tuple[AnyEvent, ...] = (TimedOut(seat),)
    while _turn_of(step.table) == turn and seat in step.table.waiting_for:
        buying = turn[1] is Phase.BUYING
        move = Pass() if buying else _choice(step.table, seat)
        step = step.then(make_move(step.table, seat, move, now_ms, *told))
        told = ()
    return step


def _turn_of(table: Table) -> tuple[int, Phase | None]:
    assert table.game is not None
    return table.game.round, table.game.phase


def _choice(table: Table, seat: int) -> Move:
    """Ask the seat's bot. Its dice follow from the seed, so that a game can be played again."""
    game: Game | None = table.game
    assert game is not None
    dice = random.Random(f"{table.options.seed}/{table.version}/{seat}")  # noqa: S311 - dice, not secrets
    return BOTS[table.seats[seat].bot or STAND_IN](game, seat, dice)
