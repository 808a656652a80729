"""Commands on a game: one function for each, which loads, authorizes, applies, commits and renders.

Each runs under optimistic concurrency with bounded retries (`service.usecases.attempts`), and once for each
idempotency key (`service.usecases.idempotency`): a request that was committed before skips to rendering.
"""

from __future__ import annotations

from typing import Any, Generic, NamedTuple, TypeVar

from service.matches import lobby, manual_clock
from service.matches.authorization import (
    SPECTATOR,
    Caller,
    hash_token,
    require_host,
    require_no_seat,
    require_own_seat,
    require_seat,
)
from service.matches.creation import new_invite, new_seat
from service.matches.error_codes import Problem
from service.matches.match import Match, Status
from service.matches.seat_views import seat_actions
from service.matches.transitions import Transition, game_in_play, is_undo, make_move, undo_limit_reached
from service.matches.view_types import CommandView, CreatedInviteView, TakenSeatView, TimedGameView
from service.usecases.attempts import Command, Committed, attempts
from service.usecases.games import Games
from skye import Move

V = TypeVar("V", bound=CommandView)


class CommandResult(NamedTuple, Generic[V]):
    """The response to a command: the JSON object to send, and the version of the game that it shows."""

    view: V
    version: int
    game_id: str


def play_move(
    games: Games, command: Command, game_id: str, seat: int, move: Move
) -> CommandResult[TimedGameView]:
    """Play a move of a seat: set an offer, buy, pass, place, take back, or finish building.

    :raises Problem: game_not_found, token_unknown, seat_not_found, token_required, not_your_seat,
        idempotency_key_reused, version_mismatch, game_not_started, game_aborted, seat_played_by_bot,
        too_many_changes, too_much_contention, store_unavailable, game_unreadable.
    :raises RuleError: if the move is illegal.
    """
    for attempt in attempts(games, command, game_id):
        committed = attempt.replayed()
        if committed is None:
            require_own_seat(attempt.match, attempt.caller, seat)
            attempt.check_preconditions()
            committed = attempt.commit(_apply_move(attempt.match, seat, move, attempt.now_ms))
        if committed is not None:
            result = _game_result(committed)
            return _with_actions(result, committed) if command.include_actions else result
    raise Problem("too_much_contention")


def join_game(
    games: Games, command: Command, game_id: str, player: dict[str, Any]
) -> CommandResult[TakenSeatView]:
    """Take a seat in the lobby; an invitation code is used up by it.

    Only the host may seat a bot. In a private game the host seats players, or invites them. With a player
    key the seat is bound to the key, and an invitation code is in the body.

    :raises Problem: game_not_found, token_unknown, token_required, host_only, idempotency_key_reused,
        version_mismatch, game_already_started, game_aborted, already_seated, too_many_changes,
        too_many_games, game_full, color_taken, name_taken, too_much_contention, store_unavailable,
        game_unreadable.
    """
    for attempt in attempts(games, command, game_id):
        committed = attempt.replayed()
        if committed is None:
            invited = attempt.caller.invited
            if "bot" in player or (attempt.match.private and not invited):
                require_host(attempt.caller)
            attempt.check_preconditions()
            bound = "" if "bot" in player else games.identities.player_of_key(command.token)
            require_no_seat(attempt.match, bound)
            seat = new_seat(player, attempt.tokens, attempt.match.seats, bound)
            invited_by = hash_token(command.invite or command.token or "") if invited else ""
            joined = lobby.join(attempt.match, seat, attempt.now_ms, invited_by=invited_by)
            committed = attempt.commit(joined)
        if committed is not None:
            return joined_result(committed)
    raise Problem("too_much_contention")


def invite_player(games: Games, command: Command, game_id: str) -> CommandResult[CreatedInviteView]:
    """Reserve a seat for the holder of a new invitation code.

    :raises Problem: game_not_found, token_unknown, token_required, host_only, idempotency_key_reused,
        version_mismatch, game_already_started, game_aborted, too_many_changes, game_full,
        too_much_contention, store_unavailable, game_unreadable.
    """
    for attempt in attempts(games, command, game_id):
        committed = attempt.replayed()
        if committed is None:
            require_host(attempt.caller)
            attempt.check_preconditions()
            code = new_invite(attempt.tokens)
            committed = attempt.commit(lobby.invite(attempt.match, code, attempt.now_ms))
        if committed is not None:
            return _invited_result(committed)
    raise Problem("too_much_contention")


def change_player(
    games: Games, command: Command, game_id: str, seat: int, changes: dict[str, str]
) -> CommandResult[TimedGameView]:
    """Change the name or the colour of a player in the lobby; the host may change those of bots.

    :raises Problem: game_not_found, token_unknown, seat_not_found, token_required, not_your_seat,
        idempotency_key_reused, version_mismatch, game_already_started, game_aborted, too_many_changes,
        color_taken, name_taken, too_much_contention, store_unavailable, game_unreadable.
    """
    for attempt in attempts(games, command, game_id):
        committed = attempt.replayed()
        if committed is None:
            match = attempt.match
            require_seat(match, seat)
            if not (attempt.caller.host and match.seats[seat].bot):
                require_own_seat(match, attempt.caller, seat)
            attempt.check_preconditions()
            name, color = changes.get("name"), changes.get("color")
            committed = attempt.commit(lobby.change_player(match, seat, attempt.now_ms, name, color))
        if committed is not None:
            return _game_result(committed)
    raise Problem("too_much_contention")


def rotate_token(games: Games, command: Command, game_id: str, seat: int) -> CommandResult[TakenSeatView]:
    """Replace the token of the caller's seat; the old one becomes invalid.

    :raises Problem: game_not_found, token_unknown, seat_not_found, token_required, not_your_seat,
        idempotency_key_reused, version_mismatch, too_many_changes, too_much_contention, store_unavailable,
        game_unreadable.
    """
    for attempt in attempts(games, command, game_id):
        committed = attempt.replayed()
        if committed is None:
            require_own_seat(attempt.match, attempt.caller, seat)
            attempt.check_preconditions()
            token = hash_token(attempt.tokens.token(str(seat)))
            committed = attempt.commit(lobby.rotate_token(attempt.match, seat, token, attempt.now_ms))
        if committed is not None:
            return joined_result(committed)
    raise Problem("too_much_contention")


def leave_game(games: Games, command: Command, game_id: str, seat: int) -> CommandResult[TimedGameView]:
    """Leave the lobby or resign; in the lobby the host may remove a player.

    :raises Problem: game_not_found, token_unknown, seat_not_found, token_required, not_your_seat,
        idempotency_key_reused, version_mismatch, game_aborted, game_over, seat_played_by_bot,
        too_much_contention, store_unavailable, game_unreadable.
    """
    for attempt in attempts(games, command, game_id):
        committed = attempt.replayed()
        if committed is None:
            require_seat(attempt.match, seat)
            if not (attempt.caller.host and attempt.match.status is Status.LOBBY):
                require_own_seat(attempt.match, attempt.caller, seat)
            attempt.check_preconditions()
            committed = attempt.commit(lobby.leave(attempt.match, seat, attempt.now_ms))
        if committed is not None:
            return _game_result(committed)
    raise Problem("too_much_contention")


def start_game(games: Games, command: Command, game_id: str) -> CommandResult[TimedGameView]:
    """Close the lobby and begin the game.

    :raises Problem: game_not_found, token_unknown, token_required, host_only, idempotency_key_reused,
        version_mismatch, game_already_started, game_aborted, too_few_players, too_much_contention,
        store_unavailable, game_unreadable.
    :raises RuleError: InvalidSetup.
    """
    for attempt in attempts(games, command, game_id):
        committed = attempt.replayed()
        if committed is None:
            require_host(attempt.caller)
            attempt.check_preconditions()
            committed = attempt.commit(lobby.start(attempt.match, attempt.now_ms))
        if committed is not None:
            return _game_result(committed)
    raise Problem("too_much_contention")


def abort_game(games: Games, command: Command, game_id: str) -> CommandResult[TimedGameView]:
    """End a game that is not over, without a result.

    :raises Problem: game_not_found, token_unknown, token_required, host_only, idempotency_key_reused,
        version_mismatch, game_aborted, game_over, too_much_contention, store_unavailable, game_unreadable.
    """
    for attempt in attempts(games, command, game_id):
        committed = attempt.replayed()
        if committed is None:
            require_host(attempt.caller)
            attempt.check_preconditions()
            committed = attempt.commit(lobby.abort(attempt.match, attempt.now_ms))
        if committed is not None:
            return _game_result(committed)
    raise Problem("too_much_contention")


def advance_clock(
    games: Games, command: Command, game_id: str, advance_ms: int
) -> CommandResult[TimedGameView]:
    """Advance the manual clock of a game.

    :raises Problem: game_not_found, token_unknown, token_required, host_only, idempotency_key_reused,
        version_mismatch, clock_not_manual, game_aborted, game_over, too_many_changes, too_much_contention,
        store_unavailable, game_unreadable.
    """
    for attempt in attempts(games, command, game_id):
        committed = attempt.replayed()
        if committed is None:
            require_host(attempt.caller)
            attempt.check_preconditions()
            committed = attempt.commit(manual_clock.advance_clock(attempt.match, advance_ms))
        if committed is not None:
            return _game_result(committed)
    raise Problem("too_much_contention")


def _apply_move(match: Match, seat: int, move: Move, now_ms: int) -> Transition:
    """Return the transition of a move that a player makes.

    :raises Problem: game_not_started, game_aborted, seat_played_by_bot, too_many_changes.
    :raises RuleError: if the move is illegal.
    """
    game_in_play(match)
    if match.seats[seat].bot:
        raise Problem("seat_played_by_bot")
    transition = make_move(match, seat, move, now_ms)
    if undo_limit_reached(match) and is_undo(match, seat, move):
        raise Problem("too_many_changes")
    return transition


def _game_result(committed: Committed) -> CommandResult[TimedGameView]:
    """Return the caller's view of the game."""
    return result_of(committed.match, committed.game_view())


def _with_actions(result: CommandResult[TimedGameView], committed: Committed) -> CommandResult[TimedGameView]:
    """Return a result whose view has the legal actions of the caller's seat."""
    actions = seat_actions(committed.match, committed.caller)["actions"]
    view: TimedGameView = {**result.view, "actions": actions}
    return result_of(committed.match, view)


def _invited_result(committed: Committed) -> CommandResult[CreatedInviteView]:
    """Return the new invitation code."""
    (code,) = committed.tokens.invites
    view: CreatedInviteView = {"invite": code, "game": committed.game_view()}
    return result_of(committed.match, view)


def joined_result(committed: Committed) -> CommandResult[TakenSeatView]:
    """Return the seat and its new token; a caller without a role gets the view of the new seat."""
    match, caller = committed.match, committed.caller
    ((seat, token),) = committed.tokens.given.items() or ((len(match.seats) - 1, None),)
    viewer = Caller(int(seat)) if caller == SPECTATOR else caller
    game = committed._replace(caller=viewer).game_view()
    view: TakenSeatView = {"seat": int(seat), "token": token, "game": game}
    return result_of(match, view)


def result_of(match: Match, view: V) -> CommandResult[V]:
    """Return the response to a command that shows a view of a match."""
    return CommandResult(view, match.version, match.id)
