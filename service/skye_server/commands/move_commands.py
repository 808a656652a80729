"""Moves: the commands with which a seat plays."""

from __future__ import annotations

from functools import partial
from typing import cast

from skye import Buy, Move, Pass, RuleError, TakeBack, play
from skye_server.commands.attempts import Command, Loaded
from skye_server.commands.current_games import Games
from skye_server.commands.game_commands import CommandResult, by_seat, changed_game
from skye_server.contract.responses.actions import seat_actions
from skye_server.contract.responses.changes import TimedGameView
from skye_server.error_codes import Problem
from skye_server.games.authorization import require_seat
from skye_server.games.game import Game
from skye_server.games.transitions import Transition, after_move, is_undo, state_in_play, undo_limit_reached
from skye_server.games.views.game import game_view, timestamp
from skye_server.games.views.rounds import purchase_of


def play_move(
    games: Games, command: Command, game_id: str, seat: int, move: Move
) -> CommandResult[TimedGameView]:
    """Play a move of a seat: set an offer, buy, pass, place, or finish building.

    :raises Problem: seat_not_found, token_required, not_your_seat, game_not_started, game_aborted,
        seat_played_by_bot, too_many_changes.
    :raises RuleError: if the move is illegal.
    """
    return changed_game(games, command, game_id, partial(by_seat, seat), partial(_moved, seat, move))


def make_purchase(
    games: Games, command: Command, game_id: str, seat: int, tile: str | None
) -> CommandResult[TimedGameView]:
    """Buy a tile, or pass; the purchase that the seat has made in this round again changes nothing.

    :param tile: the tile; None for a pass.
    :raises Problem: what `play_move` raises.
    :raises RuleError: if the move is illegal.
    """
    try:
        return play_move(games, command, game_id, seat, Pass() if tile is None else Buy(tile))
    except RuleError as error:
        repeated = error.code in ("not_your_turn", "wrong_phase")
        found = _repeated(games, command, game_id, seat, tile) if repeated else None
        if found is None:
            raise
        return found


def _repeated(
    games: Games, command: Command, game_id: str, seat: int, tile: str | None
) -> CommandResult[TimedGameView] | None:
    """Return the game as it is, if the seat has made this purchase in this round; None otherwise."""
    (game, caller), changes = games.read_with_log(game_id, command.token)
    made = purchase_of(game, caller, changes, require_seat(game, caller, seat))
    if made is None or made["tile"] != tile:
        return None
    view = cast("TimedGameView", game_view(game, caller))
    view["now"] = timestamp(games.time_of(game))
    if command.include_actions:
        view["actions"] = seat_actions(game, caller)["actions"]
    return CommandResult(view, game.version, game.id)


def take_placement_back(
    games: Games, command: Command, game_id: str, seat: int, number: int
) -> CommandResult[TimedGameView]:
    """Take back the last placement of a seat, if it has this number in the round.

    :raises Problem: not_last_placement, and what `play_move` raises.
    :raises RuleError: if the move is illegal.
    """

    def take_back(loaded: Loaded[Game]) -> Transition:
        transition = _moved(seat, TakeBack(), loaded)
        last = state_in_play(loaded.game).players[loaded.seat(seat)].placed_this_round
        if number != last:
            detail = f"The last placement of this round has the number {last}."
            raise Problem("not_last_placement", detail, last=last)
        return transition

    return changed_game(games, command, game_id, partial(by_seat, seat), take_back)


def _moved(seat: int, move: Move, loaded: Loaded[Game]) -> Transition:
    """Return the game after a legal move of a seat that a person plays."""
    game, seat = loaded.game, loaded.seat(seat)
    state = state_in_play(game)
    if game.seats[seat].bot:
        raise Problem("seat_played_by_bot")
    transition = after_move(game, play(state, seat, move), loaded.now_ms)
    if undo_limit_reached(game) and is_undo(game, seat, move):
        raise Problem("too_many_changes")
    return transition
