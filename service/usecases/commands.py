"""Commands on a game: one function for each, which loads, authorizes, applies, commits and renders.

Each runs under optimistic concurrency with bounded retries (`service.usecases.attempts`), and once for each
idempotency key (`service.usecases.idempotency`): a request that was committed before skips to rendering.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from service.matches import lobby
from service.matches.authorization import require_host, require_own_seat, require_seat
from service.matches.creation import new_invite, new_seat
from service.matches.errors import Problem
from service.matches.match import Match, Status
from service.matches.tokens import SPECTATOR, Caller, hash_token
from service.matches.transitions import Transition, game_in_play, is_undo, make_move, undo_limit_reached
from service.matches.views import View, seat_actions
from service.usecases.attempts import Command, Committed, attempts
from service.usecases.games import Games
from skye import Move


class CommandResult(NamedTuple):
    """The response to a command: the JSON object to send, and the version of the game that it shows."""

    view: View
    version: int
    game_id: str


def play_move(games: Games, command: Command, game_id: str, seat: int, move: Move) -> CommandResult:
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


def join_game(games: Games, command: Command, game_id: str, player: dict[str, Any]) -> CommandResult:
    """Take a seat in the lobby; an invitation code is used up by it.

    Only the host may seat a bot. In a private game the host seats players, or invites them.

    :raises Problem: game_not_found, token_unknown, token_required, host_only, idempotency_key_reused,
        version_mismatch, game_already_started, game_aborted, too_many_changes, game_full, color_taken,
        name_taken, too_much_contention, store_unavailable, game_unreadable.
    """
    for attempt in attempts(games, command, game_id):
        committed = attempt.replayed()
        if committed is None:
            invited = attempt.caller.invited
            if "bot" in player or (attempt.match.private and not invited):
                require_host(attempt.caller)
            attempt.check_preconditions()
            seat = new_seat(player, attempt.tokens, attempt.match.seats)
            invited_by = hash_token(command.token or "") if invited else ""
            joined = lobby.join(attempt.match, seat, attempt.now_ms, invited_by=invited_by)
            committed = attempt.commit(joined)
        if committed is not None:
            return _joined_result(committed)
    raise Problem("too_much_contention")


def invite_player(games: Games, command: Command, game_id: str) -> CommandResult:
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
) -> CommandResult:
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


def rotate_token(games: Games, command: Command, game_id: str, seat: int) -> CommandResult:
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
            return _joined_result(committed)
    raise Problem("too_much_contention")


def leave_game(games: Games, command: Command, game_id: str, seat: int) -> CommandResult:
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


def start_game(games: Games, command: Command, game_id: str) -> CommandResult:
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


def abort_game(games: Games, command: Command, game_id: str) -> CommandResult:
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


def _game_result(committed: Committed) -> CommandResult:
    """Return the caller's view of the game."""
    return result_of(committed.match, committed.game_view())


def _with_actions(result: CommandResult, committed: Committed) -> CommandResult:
    """Return a result whose view has the legal actions of the caller's seat."""
    return result._replace(view=result.view | seat_actions(committed.match, committed.caller))


def _invited_result(committed: Committed) -> CommandResult:
    """Return the new invitation code."""
    (code,) = committed.tokens.invites
    return result_of(committed.match, {"invite": code, "game": committed.game_view()})


def _joined_result(committed: Committed) -> CommandResult:
    """Return the seat and its new token; a caller without a role gets the view of the new seat."""
    match, caller = committed.match, committed.caller
    ((seat, token),) = committed.tokens.given.items() or ((len(match.seats) - 1, None),)
    viewer = Caller(int(seat)) if caller == SPECTATOR else caller
    game = committed._replace(caller=viewer).game_view()
    return result_of(match, {"seat": int(seat), "token": token, "game": game})


def result_of(match: Match, view: View) -> CommandResult:
    """Return the response to a command that shows a view of a match."""
    return CommandResult(view, match.version, match.id)
