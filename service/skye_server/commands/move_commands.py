"""Moves: the commands with which a seat plays."""

from __future__ import annotations

from collections.abc import Callable

from skye import Buy, Move, Pass, RuleError, TakeBack, play
from skye_server.commands.attempts import Attempt, Command, change_game
from skye_server.commands.current_games import Games
from skye_server.commands.game_commands import by_seat
from skye_server.error_codes import Problem
from skye_server.games.authorization import require_seat
from skye_server.games.game import Game
from skye_server.games.transitions import Transition, after_move, is_undo, state_in_play, undo_limit_reached
from skye_server.games.views.history import purchase_of


def moved(move: Move) -> Callable[[Attempt[Game]], Transition]:
    """Return the command that plays a move for the caller's seat.

    It raises Problem: game_not_started, game_aborted, seat_played_by_bot, too_many_changes; and RuleError if
    the move is illegal.
    """

    def apply(attempt: Attempt[Game]) -> Transition:
        game, seat = attempt.game, attempt.caller.seat
        assert seat is not None  # `by_seat` has authorized it
        state = state_in_play(game)
        if game.seats[seat].bot:
            raise Problem("seat_played_by_bot")
        transition = after_move(game, play(state, seat, move), attempt.now_ms)
        if undo_limit_reached(game) and is_undo(game, seat, move):
            raise Problem("too_many_changes")
        return transition

    return apply


def make_purchase(games: Games, command: Command, game_id: str, seat: int, tile: str | None) -> Attempt[Game]:
    """Buy a tile, or pass; the purchase that the seat has made in this round again changes nothing.

    :param tile: the tile; None for a pass.
    :raises Problem: what `moved` and `change_game` raise; seat_not_found, token_required, not_your_seat.
    :raises RuleError: if the move is illegal.
    """
    try:
        return change_game(
            games, command, game_id, by_seat(seat), moved(Pass() if tile is None else Buy(tile))
        )
    except RuleError as error:
        is_repeated = error.code in ("not_your_turn", "wrong_phase")
        found = _repeated(games, command, game_id, seat, tile) if is_repeated else None
        if found is None:
            raise
        return found


def _repeated(
    games: Games, command: Command, game_id: str, seat: int, tile: str | None
) -> Attempt[Game] | None:
    """Return the game as it is, if the seat has made this purchase in this round; None otherwise."""
    (game, caller), changes = games.read_with_log(game_id, command.token)
    made = purchase_of(game, caller, changes, require_seat(game, caller, seat))
    if made is None or made["tile"] != tile:
        return None
    return Attempt(game_id, game, caller, games.time_of(game))


def placement_taken_back(number: int) -> Callable[[Attempt[Game]], Transition]:
    """Return the command that takes back the last placement of the caller's seat.

    It raises Problem not_last_placement unless the placement has this number in the round, and what `moved`
    raises.
    """
    take_back = moved(TakeBack())

    def apply(attempt: Attempt[Game]) -> Transition:
        transition = take_back(attempt)
        assert attempt.caller.seat is not None
        last = state_in_play(attempt.game).players[attempt.caller.seat].placed_this_round
        if number != last:
            detail = f"The last placement of this round has the number {last}."
            raise Problem("not_last_placement", detail, last=last)
        return transition

    return apply
