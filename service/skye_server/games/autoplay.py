"""Moves that the service makes: those of bots, and of players who have missed a deadline.

The request that makes a bot's move due also makes it. A missed deadline is applied by a dispatcher, or by an
earlier request or stream of the game.
"""

from __future__ import annotations

import random

from msgspec.structs import replace

from skye import BOTS, GameState, Move, Pass, Phase, choose_move
from skye_server.cooperative_yield import Computation
from skye_server.games.agreements import expired, settled
from skye_server.games.clocks import without_increment
from skye_server.games.events import AnyEvent, BotTookOver, TakeoverReason, TimedOut
from skye_server.games.game import Game, OnTimeout, Status, with_seat
from skye_server.games.pauses import resume
from skye_server.games.transitions import (
    Transition,
    advance,
    after_missed_deadline,
    after_takeover,
    make_move,
    state_in_play,
)

SUBSTITUTE_BOT = "greedy"
"""The bot that replaces players who resign or miss a deadline."""


def play_bots(transition: Transition, now_ms: int) -> Transition:
    """Make the moves of bots until a person must move or the game is over."""
    seat = transition.game.next_bot
    if seat is None:
        return transition
    with Computation() as computation:
        while seat is not None:
            game = transition.game
            transition = transition.then(make_move(game, seat, _bot_move(game, seat), now_ms))
            computation.checkpoint()
            seat = transition.game.next_bot
    return transition


def after_deadline(game: Game, now_ms: int) -> Transition:
    """Do what is due: end a proposal or a pause, and act for the seats that have missed a deadline."""
    if game.pause is not None and game.pause.until_ms <= now_ms:
        return expired(resume(game, None, now_ms), now_ms, now_ms)
    first_ms = game.deadline_ms
    if first_ms is None or first_ms > now_ms:
        return expired(Transition(game), now_ms, now_ms)
    transition = expired(Transition(game), first_ms, now_ms)
    for seat in game.waiting_for:
        # Those who are left may have agreed to abort it.
        if transition.game.status is Status.PLAYING and _is_late(game, seat, now_ms):
            transition = transition.then(after_timeout(transition.game, seat, now_ms))
    for seat in game.waiting_for:
        if transition.game.seats[seat].takeover is not None and _is_late(transition.game, seat, now_ms):
            transition = transition.then(_move_for(transition.game, seat, now_ms))
    return expired(transition, now_ms, now_ms)


def _is_late(game: Game, seat: int, now_ms: int) -> bool:
    """Return whether a seat has missed the deadline of its decision."""
    deadline_ms = game.turn.deadline_of(seat)
    return seat in game.waiting_for and deadline_ms is not None and deadline_ms <= now_ms


def after_timeout(game: Game, seat: int, now_ms: int) -> Transition:
    """Do what `on_timeout` says for a seat that has not decided in time; without time, a bot plays it."""
    clock = game.turn.clock_of(seat)
    if clock is not None and clock.remaining_at(now_ms) == 0:
        return hand_to_bot(game, seat, TakeoverReason.OUT_OF_TIME, now_ms)
    if game.seats[seat].takeover is not None:
        return Transition(game)
    if game.options.on_timeout is OnTimeout.BOT:
        return hand_to_bot(game, seat, TakeoverReason.TIMED_OUT, now_ms)
    return _move_for(game, seat, now_ms)


def hand_to_bot(game: Game, seat: int, reason: TakeoverReason, now_ms: int) -> Transition:
    """Let a bot play a seat from now on. After a resignation the seat's token and key may only watch."""
    state = state_in_play(game)
    assert state.phase is not None
    event = BotTookOver(seat, SUBSTITUTE_BOT, reason, state.round, state.phase)
    after = after_takeover(game, event)
    left = after.seats[seat]
    if reason is TakeoverReason.RESIGNED:
        left = replace(left, token="", player="", resigned_player=left.player, resigned_token=left.token)
    seats = with_seat(after.seats, seat, left)
    return settled(advance(game, now_ms, [event], seats=seats, state=after.state), now_ms)


def _move_for(game: Game, seat: int, now_ms: int) -> Transition:
    """Make the decision that a seat has missed: an offer, a pass, or the rest of its build.

    The bot that has taken it over makes its own.
    """
    is_taken_over = game.seats[seat].takeover is not None
    transition = Transition(without_increment(game if is_taken_over else after_missed_deadline(game, seat)))
    current = _round_and_phase(game)
    before: tuple[AnyEvent, ...] = () if is_taken_over else (TimedOut(seat),)
    passes = current[1] is Phase.BUYING and not is_taken_over
    while _round_and_phase(transition.game) == current and seat in transition.game.waiting_for:
        move = Pass() if passes else _bot_move(transition.game, seat)
        transition = transition.then(make_move(transition.game, seat, move, now_ms, *before))
        before = ()
    return transition._replace(game=replace(transition.game, options=game.options))


def _round_and_phase(game: Game) -> tuple[int, Phase | None]:
    assert game.state is not None
    return game.state.round, game.state.phase


def _bot_move(game: Game, seat: int) -> Move:
    """Return the move of the seat's bot; its random numbers derive from the seed (reproducible games)."""
    state: GameState | None = game.state
    assert state is not None
    rng = random.Random(f"{game.options.seed}/{game.version}/{seat}")  # noqa: S311 - no secret
    return choose_move(BOTS.get(game.seats[seat].bot or "", BOTS[SUBSTITUTE_BOT]), state, seat, rng)
