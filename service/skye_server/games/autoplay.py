"""Moves that the service makes: those of bots, and of players who have missed a deadline.

The request that makes such a move due also makes it; there is no background job.
"""

from __future__ import annotations

import random
from dataclasses import replace

from skye import BOTS, GameState, Move, Pass, Phase, choose_move
from skye_server.cooperative_yield import Computation
from skye_server.games.events import AnyEvent, BotTookOver, TimedOut
from skye_server.games.game import Match, OnTimeout
from skye_server.games.transitions import Transition, advance, make_move

SUBSTITUTE_BOT = "greedy"
"""The bot that replaces players who resign or miss a deadline."""


def play_bots(transition: Transition, now_ms: int) -> Transition:
    """Make the moves of bots until a person must move or the game is over."""
    seat = transition.match.next_bot
    if seat is None:
        return transition
    with Computation() as computation:
        while seat is not None:
            match = transition.match
            transition = transition.then(make_move(match, seat, _bot_move(match, seat), now_ms))
            computation.checkpoint()
            seat = transition.match.next_bot
    return transition


def after_deadline(match: Match, now_ms: int) -> Transition:
    """Make the moves of the seats that must act: their deadline has passed."""
    transition = Transition(match)
    for seat in match.waiting_for:
        if match.options.on_timeout is OnTimeout.BOT:
            transition = transition.then(hand_to_bot(transition.match, seat, "timed_out", now_ms))
        else:
            transition = transition.then(_move_for(transition.match, seat, now_ms))
    return transition


def hand_to_bot(match: Match, seat: int, reason: str, now_ms: int) -> Transition:
    """Let a bot play a seat from now on. A resignation revokes the seat's token and frees it from its key."""
    left = replace(match.seats[seat], bot=SUBSTITUTE_BOT)
    if reason == "resigned":
        left = replace(left, token="", player="")
    seats = (*match.seats[:seat], left, *match.seats[seat + 1 :])
    return advance(match, now_ms, [BotTookOver(seat, SUBSTITUTE_BOT, reason)], seats=seats)


def _move_for(match: Match, seat: int, now_ms: int) -> Transition:
    """Make the decision that a seat has missed: an offer, a pass, or the rest of its build."""
    transition = Transition(match)
    current = _round_and_phase(match)
    before: tuple[AnyEvent, ...] = (TimedOut(seat),)
    while _round_and_phase(transition.match) == current and seat in transition.match.waiting_for:
        buying = current[1] is Phase.BUYING
        move = Pass() if buying else _bot_move(transition.match, seat)
        transition = transition.then(make_move(transition.match, seat, move, now_ms, *before))
        before = ()
    return transition


def _round_and_phase(match: Match) -> tuple[int, Phase | None]:
    assert match.game is not None
    return match.game.round, match.game.phase


def _bot_move(match: Match, seat: int) -> Move:
    """Return the move of the seat's bot; its random numbers derive from the seed (reproducible games)."""
    game: GameState | None = match.game
    assert game is not None
    rng = random.Random(f"{match.options.seed}/{match.version}/{seat}")  # noqa: S311 - no secret
    return choose_move(BOTS[match.seats[seat].bot or SUBSTITUTE_BOT], game, seat, rng)
