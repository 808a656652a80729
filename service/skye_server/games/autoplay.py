"""Moves that the service makes: those of bots, and of players who have missed a deadline.

The request that makes a bot's move due also makes it. A missed deadline is applied by a dispatcher, or by an
earlier request or stream of the game.
"""

from __future__ import annotations

import random
from collections.abc import Mapping

from msgspec.structs import replace

from skye import BOTS, GameState, Move, Pass, Phase, choose_move
from skye_server.cooperative_yield import Computation
from skye_server.games.absence import misses, resigns
from skye_server.games.agreements import expired, settled
from skye_server.games.clocks import without_increment
from skye_server.games.game import Game, OnTimeout, with_seat
from skye_server.games.pauses import resume
from skye_server.games.seat_ends import SUBSTITUTE_BOT
from skye_server.games.transitions import Transition, advance, make_move


def play_bots(transition: Transition, now_ms: int) -> Transition:
    """Make the moves of bots until a person must move or the game is over."""
    seat = transition.game.next_bot
    if seat is None:
        return transition
    with Computation() as computation:
        while seat is not None:
            game = transition.game
            transition = transition.then(make_move(game, seat, _server_move(game, seat), now_ms))
            computation.checkpoint()
            seat = transition.game.next_bot
    return transition


def after_deadline(game: Game, due_ms: int, now_ms: int) -> Transition:
    """Do what is due: end a proposal or a pause, and act for the seats that have missed a deadline.

    :param due_ms: the time until which a worker could take actions; what ended by then is due.
    """
    if game.pause is not None and game.pause.until_ms <= due_ms:
        return expired(resume(game, None, now_ms), due_ms, now_ms)
    first_ms, settles_ms = game.deadline_ms, game.settles_ms
    if settles_ms is not None and settles_ms <= due_ms and settles_ms == game.due_ms:
        return settled(Transition(game), now_ms)
    if first_ms is None or first_ms > due_ms:
        return expired(Transition(game), due_ms, now_ms)
    transition = expired(Transition(game), first_ms, now_ms)
    deadlines = {seat: game.turn.deadline_of(seat) for seat in transition.game.waiting_for}
    late = {seat: at_ms for seat, at_ms in deadlines.items() if at_ms is not None and at_ms <= due_ms}
    transition = _decided_by_server(transition, late, now_ms)
    return expired(transition, due_ms, now_ms)


def after_failure(game: Game, seat: int, now_ms: int) -> Transition:
    """Make the decision of a bot at a URL that has failed."""
    return _decided_by_server(Transition(game), {seat: now_ms}, now_ms)


def _decided_by_server(transition: Transition, late: Mapping[int, int], now_ms: int) -> Transition:
    """Make the decisions that seats have missed, after all that the missed deadlines count.

    :param late: the missed deadlines by seat.
    """
    game = transition.game
    events = [event for seat, deadline_ms in late.items() for event in misses(game, seat, deadline_ms)]
    if events:
        transition = transition.then(settled(advance(game, now_ms, events), now_ms))
    for seat in late:
        # The people who are left may have agreed to abort the game, or to pause it.
        if seat in transition.game.waiting_for:
            transition = transition.then(_decide_for(transition.game, seat, now_ms))
    return transition


def hand_to_bot(game: Game, seat: int, now_ms: int) -> Transition:
    """Let a bot play a seat whose player resigns. The seat's token and key may only watch from now on."""
    left = game.seats[seat]
    left = replace(left, token="", player="", resigned_player=left.player, resigned_token=left.token)
    seats = with_seat(game.seats, seat, left)
    return settled(advance(game, now_ms, [resigns(game, seat, now_ms)], seats=seats), now_ms)


def _decide_for(game: Game, seat: int, now_ms: int) -> Transition:
    """Make the open decision of a seat, which adds no time: offer, purchase, or the rest of its build."""
    transition = Transition(without_increment(game))
    current = _round_and_phase(game)
    while _round_and_phase(transition.game) == current and seat in transition.game.waiting_for:
        move = _server_move(transition.game, seat)
        transition = transition.then(make_move(transition.game, seat, move, now_ms))
    return transition._replace(game=replace(transition.game, options=game.options))


def _round_and_phase(game: Game) -> tuple[int, Phase | None]:
    assert game.state is not None
    return game.state.round, game.state.phase


def _server_move(game: Game, number: int) -> Move:
    """Return the next move of a seat that the server makes: that of its bot, or what `on_timeout` says.

    The random numbers of a bot derive from the seed (reproducible games).
    """
    state: GameState | None = game.state
    assert state is not None
    seat = game.seats[number]
    is_late = seat.left is None and seat.is_by_server
    if is_late and state.phase is Phase.BUYING and game.options.on_timeout is OnTimeout.AUTO:
        return Pass()
    rng = random.Random(f"{game.options.seed}/{game.version}/{number}")  # noqa: S311 - no secret
    return choose_move(BOTS.get(seat.bot or "", BOTS[SUBSTITUTE_BOT]), state, number, rng)
