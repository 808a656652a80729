"""Commands on a game: one function for each, which loads, authorizes, applies, commits and renders.

`skye_server.commands.attempts` runs each under optimistic concurrency with bounded retries, and once for each
idempotency key (`skye_server.commands.idempotency`): a request that was committed before skips to rendering.
So each also raises the problems that `load_game` and `run` raise there.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Generic, NamedTuple, TypeVar

from skye_server.commands.attempts import Command, Committed, Loaded, change_game
from skye_server.commands.current_games import Games
from skye_server.contract.responses.actions import seat_actions
from skye_server.contract.responses.changes import (
    CommandView,
    CreatedInvitationView,
    HostTokenView,
    TakenSeatView,
    TimedGameView,
)
from skye_server.games import lobby, manual_clock, seat_changes
from skye_server.games.authorization import (
    HOST_ROLE,
    SPECTATOR,
    Caller,
    hash_token,
    require_host,
    require_no_seat,
    require_own_seat,
    require_own_seat_or_host,
    require_seat,
)
from skye_server.games.creation import new_invite, new_seat
from skye_server.games.game import Game
from skye_server.games.transitions import Transition
from skye_server.games.views.game import invitation_view

V = TypeVar("V", bound=CommandView)


class CommandResult(NamedTuple, Generic[V]):
    """The response to a command: the JSON object to send, and the version of the game that it shows."""

    view: V
    version: int
    game_id: str


def join_game(
    games: Games, command: Command, game_id: str, player: dict[str, Any]
) -> CommandResult[TakenSeatView]:
    """Take a seat in the lobby; an invitation code is used up by it.

    Only the host may seat a bot. In a private game the host seats players, or invites them. With a player
    key the seat is bound to the key, and an invitation code is in the body.

    :raises Problem: token_required, host_only, game_already_started, game_aborted, already_seated,
        too_many_changes, too_many_games, game_full, color_taken, name_taken.
    """
    is_bot = "bot" in player

    def authorize(loaded: Loaded[Game]) -> None:
        if is_bot or (loaded.game.private and not loaded.caller.invited):
            require_host(loaded.caller)

    def join(loaded: Loaded[Game]) -> Transition:
        game, bound = loaded.game, "" if is_bot else loaded.player
        require_no_seat(game, bound)
        number = player.get("seat", lobby.lowest_free_seat(game))
        seat = new_seat(player, loaded.tokens, number, game.names, bound)
        invited_by = hash_token(command.invite or command.token or "") if loaded.caller.invited else ""
        return lobby.join(game, seat, loaded.now_ms, number=number, invited_by=invited_by)

    return joined_result(change_game(games, command, game_id, authorize, join))


def create_invitation(games: Games, command: Command, game_id: str) -> CommandResult[CreatedInvitationView]:
    """Reserve a seat for the holder of a new invitation code.

    :raises Problem: token_required, host_only, game_already_started, game_aborted, too_many_changes,
        game_full.
    """

    def invite(loaded: Loaded[Game]) -> Transition:
        return lobby.invite(loaded.game, new_invite(loaded.tokens), loaded.now_ms)

    return _invited_result(change_game(games, command, game_id, _by_host, invite))


def revoke_invitation(
    games: Games, command: Command, game_id: str, invitation: str
) -> CommandResult[TimedGameView]:
    """Revoke an unused invitation.

    :raises Problem: token_required, host_only, game_already_started, game_aborted, too_many_changes,
        invitation_not_found.
    """

    def revoke(loaded: Loaded[Game]) -> Transition:
        return lobby.revoke_invitation(loaded.game, invitation, loaded.now_ms)

    return changed_game(games, command, game_id, _by_host, revoke)


def change_player(
    games: Games, command: Command, game_id: str, seat: int, changes: dict[str, str]
) -> CommandResult[TimedGameView]:
    """Change the name or the colour of a player in the lobby; the host may change those of bots.

    :raises Problem: seat_not_found, token_required, not_your_seat, game_already_started, game_aborted,
        too_many_changes, color_taken, name_taken.
    """

    def authorize(loaded: Loaded[Game]) -> None:
        number = require_seat(loaded.game, loaded.caller, seat)
        taken = loaded.game.seats[number]
        if not (loaded.caller.host and taken.bot and not taken.is_held):
            require_own_seat(loaded.game, loaded.caller, seat)

    def change(loaded: Loaded[Game]) -> Transition:
        name, color = changes.get("name"), changes.get("color")
        return lobby.change_player(loaded.game, loaded.seat(seat), loaded.now_ms, name, color)

    return changed_game(games, command, game_id, authorize, change)


def rotate_token(games: Games, command: Command, game_id: str, seat: int) -> CommandResult[TakenSeatView]:
    """Replace the token of the caller's seat; the old one becomes invalid.

    :raises Problem: seat_not_found, token_required, not_your_seat, game_aborted, game_finished,
        too_many_changes.
    """

    def rotate(loaded: Loaded[Game]) -> Transition:
        number = loaded.seat(seat)
        token = hash_token(loaded.tokens.token(str(number)))
        return seat_changes.rotate_token(loaded.game, number, token, loaded.now_ms)

    return joined_result(change_game(games, command, game_id, partial(by_seat, seat), rotate))


def rotate_host_token(games: Games, command: Command, game_id: str) -> CommandResult[HostTokenView]:
    """Replace the host token; the old one becomes invalid.

    :raises Problem: token_required, host_only, game_aborted, game_finished, too_many_changes.
    """

    def rotate(loaded: Loaded[Game]) -> Transition:
        token = hash_token(loaded.tokens.token(HOST_ROLE))
        return seat_changes.rotate_host_token(loaded.game, token, loaded.now_ms)

    committed = change_game(games, command, game_id, _by_host, rotate)
    if committed.caller == SPECTATOR:
        committed = committed._replace(caller=Caller(host=True))
    view: HostTokenView = {
        "host_token": committed.tokens.given[HOST_ROLE],
        "webhooks": [],
        "game": committed.game_view(),
    }
    return result_of(committed, view)


def leave_game(games: Games, command: Command, game_id: str, seat: int) -> CommandResult[TimedGameView]:
    """Leave the lobby; the host may remove a player.

    :raises Problem: seat_not_found, token_required, not_your_seat, game_already_started, game_aborted.
    """

    def authorize(loaded: Loaded[Game]) -> None:
        require_own_seat_or_host(loaded.game, loaded.caller, seat)

    def leave(loaded: Loaded[Game]) -> Transition:
        return lobby.leave(loaded.game, loaded.seat(seat), loaded.now_ms)

    return changed_game(games, command, game_id, authorize, leave)


def resign(games: Games, command: Command, game_id: str, seat: int) -> CommandResult[TimedGameView]:
    """Resign: a bot plays the seat for the rest of the game.

    :raises Problem: seat_not_found, token_required, not_your_seat, game_not_started, game_aborted,
        game_finished, seat_played_by_bot.
    """

    def give_up(loaded: Loaded[Game]) -> Transition:
        return seat_changes.resign(loaded.game, loaded.seat(seat), loaded.now_ms)

    return changed_game(games, command, game_id, partial(by_seat, seat), give_up)


def start_game(games: Games, command: Command, game_id: str) -> CommandResult[TimedGameView]:
    """Close the lobby and begin the game.

    :raises Problem: token_required, host_only, game_already_started, game_aborted, too_few_players.
    :raises RuleError: InvalidSetup.
    """
    return changed_game(games, command, game_id, _by_host, lambda of: lobby.start(of.game, of.now_ms))


def abort_game(games: Games, command: Command, game_id: str) -> CommandResult[TimedGameView]:
    """End a game that is not over, without a result.

    :raises Problem: token_required, host_only, game_aborted, game_finished.
    """
    return changed_game(games, command, game_id, _by_host, lambda of: lobby.abort(of.game, of.now_ms))


def advance_clock(
    games: Games, command: Command, game_id: str, advance_ms: int
) -> CommandResult[TimedGameView]:
    """Advance the manual clock of a game.

    :raises Problem: token_required, host_only, clock_not_manual, game_aborted, game_finished,
        too_many_changes.
    """

    def advance(loaded: Loaded[Game]) -> Transition:
        return manual_clock.advance_clock(loaded.game, advance_ms)

    return changed_game(games, command, game_id, _by_host, advance)


def by_seat(seat: int, loaded: Loaded[Game]) -> None:
    """Check that the caller holds a seat."""
    require_own_seat(loaded.game, loaded.caller, seat)


def _by_host(loaded: Loaded[Game]) -> None:
    """Check that the caller is the host."""
    require_host(loaded.caller)


def changed_game(
    games: Games,
    command: Command,
    game_id: str,
    authorize: Callable[[Loaded[Game]], None],
    apply: Callable[[Loaded[Game]], Transition],
) -> CommandResult[TimedGameView]:
    """Run a command; return the caller's view of the game, with the next actions if asked."""
    committed = change_game(games, command, game_id, authorize, apply)
    game, view = committed.game, committed.game_view()
    if command.include_actions:
        view["actions"] = seat_actions(game, committed.caller)["actions"]
    return CommandResult(view, game.version, game.id)


def _invited_result(committed: Committed) -> CommandResult[CreatedInvitationView]:
    """Return the new invitation code."""
    (code,) = committed.tokens.invites
    view: CreatedInvitationView = {"invitation": invitation_view(code), "game": committed.game_view()}
    return result_of(committed, view)


def joined_result(committed: Committed) -> CommandResult[TakenSeatView]:
    """Return the seat and its new token; a caller without a role gets the view of the new seat."""
    caller = committed.caller
    assert committed.tokens.seat is not None
    seat, token = committed.tokens.seat
    viewer = Caller(seat) if caller == SPECTATOR else caller
    state = committed._replace(caller=viewer).game_view()
    view: TakenSeatView = {"seat": seat, "token": token, "secret": None, "game": state}
    return result_of(committed, view)


def result_of(committed: Committed, view: V) -> CommandResult[V]:
    """Return the response to a command that shows a view of its game."""
    return CommandResult(view, committed.game.version, committed.game.id)
