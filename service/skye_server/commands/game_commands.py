"""Commands on a game: one function for each, which loads, authorizes, applies, commits and renders.

`change_game` runs each under optimistic concurrency with bounded retries, and once for each idempotency key
(`skye_server.commands.attempts`): a request that was committed before skips to rendering. So each also
raises the problems that `load_admitted` and `change_game` raise.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from msgspec.structs import replace

from skye import Buy, Move, Pass, RuleError, TakeBack, play
from skye_server.commands.attempts import (
    Attempt,
    Command,
    change_game,
    decode_record,
    load_admitted,
    new_record,
)
from skye_server.commands.current_games import Games
from skye_server.error_codes import Problem
from skye_server.games import agreements, lobby, pauses, seat_changes, takeover_requests
from skye_server.games.authorization import (
    HOST_ROLE,
    OWN_SEAT,
    hash_token,
    players_of,
    require_host,
    require_no_seat,
    require_own_seat,
    require_own_seat_or_host,
    require_seat,
)
from skye_server.games.creation import new_invite, new_seat
from skye_server.games.game import Game
from skye_server.games.proposals import ProposalKind
from skye_server.games.transitions import (
    Transition,
    after_move,
    can_revise,
    check_change_limit,
    is_revision,
    state_in_play,
)
from skye_server.games.views.history import purchase_of
from skye_server.store.commit import MAX_ATTEMPTS, back_off


def join_game(games: Games, command: Command, game_id: str, player: dict[str, Any]) -> Attempt[Game]:
    """Take a seat in the lobby; an invitation code is used up by it.

    Only the host may seat a bot. In a private game the host seats players, or invites them. With a player
    key the seat is bound to the key, and an invitation code is in the body.

    :raises Problem: token_required, host_only, game_already_started, game_aborted, already_seated,
        too_many_changes, too_many_games, game_full, color_taken, name_taken.
    """
    is_bot = "bot" in player

    def authorize(attempt: Attempt[Game]) -> None:
        if is_bot or (attempt.game.private and not attempt.caller.invited):
            require_host(attempt.caller)

    def join(attempt: Attempt[Game]) -> Transition:
        game, bound = attempt.game, "" if is_bot else attempt.player
        require_no_seat(game, bound)
        if not (attempt.caller.host or attempt.caller.invited):
            check_change_limit(game, is_open=True)
        number = player.get("seat", lobby.lowest_free_seat(game))
        seat = new_seat(player, attempt.tokens, number, game.names, bound)
        invited_by = hash_token(command.invite or command.token or "") if attempt.caller.invited else ""
        return lobby.join(game, seat, attempt.now_ms, number=number, invited_by=invited_by)

    return change_game(games, command, game_id, authorize, join)


def create_invitation(games: Games, command: Command, game_id: str) -> Attempt[Game]:
    """Reserve a seat for the holder of a new invitation code.

    :raises Problem: token_required, host_only, game_already_started, game_aborted, too_many_changes,
        game_full.
    """

    def invite(attempt: Attempt[Game]) -> Transition:
        return lobby.invite(attempt.game, new_invite(attempt.tokens), attempt.now_ms)

    return change_game(games, command, game_id, _by_host, invite)


def revoke_invitation(games: Games, command: Command, game_id: str, invitation: str) -> Attempt[Game]:
    """Revoke an unused invitation.

    :raises Problem: token_required, host_only, game_already_started, game_aborted, invitation_not_found.
    """

    def revoke(attempt: Attempt[Game]) -> Transition:
        return lobby.revoke_invitation(attempt.game, invitation, attempt.now_ms)

    return change_game(games, command, game_id, _by_host, revoke)


def change_player(
    games: Games, command: Command, game_id: str, seat: int, changes: dict[str, str]
) -> Attempt[Game]:
    """Change the name or the colour of a player in the lobby; the host may change those of bots.

    :raises Problem: seat_not_found, token_required, not_your_seat, game_already_started, game_aborted,
        too_many_changes, color_taken, name_taken.
    """

    def authorize(attempt: Attempt[Game]) -> None:
        number = require_seat(attempt.game, attempt.caller, seat)
        taken = attempt.game.seats[number]
        if not (attempt.caller.host and taken.bot and not taken.is_held):
            require_own_seat(attempt.game, attempt.caller, seat)

    def change(attempt: Attempt[Game]) -> Transition:
        name, color = changes.get("name"), changes.get("color")
        return lobby.change_player(attempt.game, attempt.seat(seat), attempt.now_ms, name, color)

    return change_game(games, command, game_id, authorize, change)


def rotate_token(games: Games, command: Command, game_id: str, seat: int) -> Attempt[Game]:
    """Replace the token of the caller's seat; the old one becomes invalid.

    :raises Problem: seat_not_found, token_required, not_your_seat, game_aborted, game_finished,
        too_many_changes.
    """

    def rotate(attempt: Attempt[Game]) -> Transition:
        number = attempt.seat(seat)
        token = hash_token(attempt.tokens.token(str(number)))
        return seat_changes.rotate_token(attempt.game, number, token, attempt.now_ms)

    return change_game(games, command, game_id, by_seat(seat), rotate)


def rotate_host_token(games: Games, command: Command, game_id: str) -> Attempt[Game]:
    """Replace the host token; the old one becomes invalid.

    :raises Problem: token_required, host_only, game_aborted, game_finished, too_many_changes.
    """

    def rotate(attempt: Attempt[Game]) -> Transition:
        token = hash_token(attempt.tokens.token(HOST_ROLE))
        return seat_changes.rotate_host_token(attempt.game, token, attempt.now_ms)

    return change_game(games, command, game_id, _by_host, rotate)


def leave_game(games: Games, command: Command, game_id: str, seat: int) -> Attempt[Game]:
    """Leave the lobby; the host may remove a player.

    :raises Problem: seat_not_found, token_required, not_your_seat, game_already_started, game_aborted.
    """

    def authorize(attempt: Attempt[Game]) -> None:
        require_own_seat_or_host(attempt.game, attempt.caller, seat)

    def leave(attempt: Attempt[Game]) -> Transition:
        number = attempt.seat(seat)
        return lobby.leave(attempt.game, number, attempt.now_ms, removed=number != attempt.caller.seat)

    return change_game(games, command, game_id, authorize, leave)


def resign(games: Games, command: Command, game_id: str, seat: int) -> Attempt[Game]:
    """Resign: a bot plays the seat for the rest of the game.

    :raises Problem: seat_not_found, token_required, not_your_seat, game_not_started, game_aborted,
        game_finished, seat_played_by_bot.
    """

    def give_up(attempt: Attempt[Game]) -> Transition:
        return seat_changes.resign(attempt.game, attempt.seat(seat), attempt.now_ms)

    return change_game(games, command, game_id, by_seat(seat), give_up)


def return_to_seat(games: Games, command: Command, game_id: str, seat: int) -> Attempt[Game]:
    """Take a seat back that a bot took over after a missed deadline.

    :raises Problem: seat_not_found, token_required, not_your_seat, game_not_started, game_aborted,
        game_finished, seat_not_taken_over.
    """

    def take_back(attempt: Attempt[Game]) -> Transition:
        return seat_changes.return_to_seat(attempt.game, attempt.seat(seat), attempt.now_ms)

    return change_game(games, command, game_id, by_seat(seat), take_back)


def request_takeover(games: Games, command: Command, game_id: str, seat: int) -> Attempt[Game]:
    """Ask for a seat to be taken over, for which a game without a clock has waited for a day.

    :raises Problem: seat_not_found, token_required, not_your_seat, game_not_started, game_aborted,
        game_finished, game_paused, seat_played_by_bot, takeover_not_possible.
    """

    def authorize(attempt: Attempt[Game]) -> None:
        require_seat(attempt.game, attempt.caller, seat)
        require_own_seat(attempt.game, attempt.caller, OWN_SEAT)

    def request(attempt: Attempt[Game]) -> Transition:
        game, by = attempt.game, attempt.seat(OWN_SEAT)
        return takeover_requests.request_takeover(game, attempt.seat(seat), by, attempt.now_ms)

    return change_game(games, command, game_id, authorize, request)


def start_game(games: Games, command: Command, game_id: str) -> Attempt[Game]:
    """Close the lobby and begin the game.

    :raises Problem: token_required, host_only, game_already_started, game_aborted, too_few_players.
    """
    return change_game(games, command, game_id, _by_host, lambda of: lobby.start(of.game, of.now_ms))


def abort_game(games: Games, command: Command, game_id: str) -> Attempt[Game]:
    """End a game that is not over, without a result, or propose that to the other people who play it.

    :raises Problem: token_required, host_only, game_aborted, game_finished, seat_played_by_bot,
        rated_game, proposal_open, already_proposed, too_many_changes.
    """

    def authorize(attempt: Attempt[Game]) -> None:
        if not agreements.may_ask_to_abort(attempt.game, attempt.caller):
            require_host(attempt.caller)

    def abort(attempt: Attempt[Game]) -> Transition:
        game, caller, now_ms = attempt.game, attempt.caller, attempt.now_ms
        seat_changes.check_not_over(game)
        reason = agreements.abort_alone(game, caller, now_ms)
        if reason is not None:
            return lobby.abort(game, reason, now_ms)
        return agreements.propose(game, caller.seat, ProposalKind.ABORT, now_ms)

    return change_game(games, command, game_id, authorize, abort)


def pause_game(games: Games, command: Command, game_id: str) -> Attempt[Game]:
    """Pause a game that at most one person plays, or propose that to the other people.

    :raises Problem: token_required, not_your_seat, game_not_started, game_aborted, game_finished,
        game_paused, pause_not_possible, seat_played_by_bot, proposal_open, already_proposed,
        too_many_changes.
    """

    def pause(attempt: Attempt[Game]) -> Transition:
        game, now_ms = attempt.game, attempt.now_ms
        pauses.check_can_pause(game)
        seat = attempt.seat(OWN_SEAT)
        if agreements.plays_alone(game, seat):
            return pauses.pause(game, now_ms)
        return agreements.propose(game, seat, ProposalKind.PAUSE, now_ms)

    return change_game(games, command, game_id, by_seat(OWN_SEAT), pause)


def resume_game(games: Games, command: Command, game_id: str) -> Attempt[Game]:
    """End the pause of a game.

    :raises Problem: token_required, not_your_seat, game_not_started, game_aborted, game_finished,
        game_not_paused, seat_played_by_bot.
    """

    def resume(attempt: Attempt[Game]) -> Transition:
        seat = attempt.seat(OWN_SEAT)
        transition = pauses.resume(attempt.game, seat, attempt.now_ms)
        if seat not in agreements.people_of(attempt.game):
            raise Problem("seat_played_by_bot")
        return transition

    return change_game(games, command, game_id, by_seat(OWN_SEAT), resume)


def answer_proposal(
    games: Games, command: Command, game_id: str, seat: int, *, accept: bool
) -> Attempt[Game]:
    """Accept or refuse the open proposal, or withdraw it.

    :raises Problem: seat_not_found, token_required, not_your_seat, game_not_started, game_aborted,
        game_finished, seat_played_by_bot, no_open_proposal.
    """

    def answer(attempt: Attempt[Game]) -> Transition:
        return agreements.answer(attempt.game, attempt.seat(seat), attempt.now_ms, accept=accept)

    return change_game(games, command, game_id, by_seat(seat), answer)


def advance_clock(games: Games, command: Command, game_id: str, advance_ms: int) -> Attempt[Game]:
    """Advance the manual clock of a game.

    :raises Problem: token_required, host_only, clock_not_manual, game_aborted, game_finished,
        too_many_changes.
    """

    def advance(attempt: Attempt[Game]) -> Transition:
        return seat_changes.advance_clock(attempt.game, advance_ms)

    return change_game(games, command, game_id, _by_host, advance)


def by_seat(seat: int) -> Callable[[Attempt[Game]], None]:
    """Return the check that the caller holds a seat."""

    def authorize(attempt: Attempt[Game]) -> None:
        require_own_seat(attempt.game, attempt.caller, seat)

    return authorize


def _by_host(attempt: Attempt[Game]) -> None:
    """Check that the caller is the host."""
    require_host(attempt.caller)


def delete_game(games: Games, command: Command, game_id: str) -> None:
    """Delete a game that is over, with all that is stored of it; or hide it from the lists of the caller.

    Only the idempotency record of the deletion remains, until it expires: a retry whose first response was
    lost must succeed. A game that others have played is only hidden.

    :raises Problem: token_required, host_only, game_not_over.
    """
    for number in range(MAX_ATTEMPTS):
        if _was_deleted(games, command, game_id):
            return
        attempt = load_admitted(games, command, game_id)
        game = attempt.game
        if not agreements.may_delete(game, attempt.caller):
            _hide_game(games, command, attempt)
            return
        attempt.check_preconditions(command)
        if not game.is_over:
            raise Problem("game_not_over")
        if games.stored.delete(game, new_record(games, command, attempt, attempt.caller)):
            return
        back_off(number)
    raise Problem("too_much_contention")


def _hide_game(games: Games, command: Command, loaded: Attempt[Game]) -> None:
    """Hide a game that is over from the lists of a player who had a role in it; a token has no lists.

    :raises Problem: token_required, host_only, game_not_over.
    """

    def authorize(attempt: Attempt[Game]) -> None:
        has_role = attempt.player in players_of(attempt.game) or attempt.caller.seat is not None
        if not has_role:
            require_host(attempt.caller)

    def hide(attempt: Attempt[Game]) -> Transition:
        hidden_from = (*attempt.game.hidden_from, attempt.player)
        return Transition(replace(attempt.game, hidden_from=hidden_from))

    authorize(loaded)
    if loaded.record is None or loaded.record.digest != command.digest:
        loaded.check_preconditions(command)
    if not loaded.game.is_over:
        raise Problem("game_not_over")
    if loaded.player and loaded.player not in loaded.game.hidden_from:
        change_game(games, command, loaded.game_id, authorize, hide)


def _was_deleted(games: Games, command: Command, game_id: str) -> bool:
    """Return whether this request has deleted the game before.

    The name of the record derives from the token, so the caller is the host who sent the request.
    """
    game, record = games.stored.find_with_record(game_id, command.record_key)
    return game is None and record is not None and decode_record(record).digest == command.digest


def moved(move: Move) -> Callable[[Attempt[Game]], Transition]:
    """Return the command that plays a move for the caller's seat.

    It raises Problem: game_not_started, game_aborted, seat_played_by_bot, game_paused, too_many_changes; and
    RuleError if the move is illegal.
    """

    def apply(attempt: Attempt[Game]) -> Transition:
        game, seat = attempt.game, attempt.caller.seat
        assert seat is not None  # `by_seat` has authorized it
        state = state_in_play(game)
        if game.seats[seat].bot:
            raise Problem("seat_played_by_bot")
        pauses.check_not_paused(game)
        transition = after_move(game, play(state, seat, move), attempt.now_ms)
        if is_revision(game, seat, move) and not can_revise(game, seat):
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
