"""The lobby: open a game, join and leave seats, start and abort.

Every function returns a `Transition` or raises a `Problem`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from msgspec.structs import replace

from skye import Action, GameState, Phase, new_game
from skye.positions import RecordedDraws, apply_actions, begin_recorded
from skye_server.cooperative_yield import Computation
from skye_server.error_codes import FieldError, Problem
from skye_server.games.absence import absent_seats, open_decisions
from skye_server.games.authorization import invitation_id
from skye_server.games.clocks import without_increment
from skye_server.games.events import (
    GameAborted,
    GameCreated,
    GameStarted,
    InvitationAccepted,
    InvitationCreated,
    InvitationRevoked,
    PlayerChanged,
    PlayerJoined,
    PlayerLeft,
    PositionSet,
    RecordReplayed,
    StartedPlayer,
    seat_since_start,
)
from skye_server.games.game import (
    FREE_SEAT,
    MAX_ENDED_INVITATIONS,
    EndedInvitation,
    Game,
    InvitationEnd,
    Seat,
    Status,
    name_key,
    with_seat,
)
from skye_server.games.proposals import AbortReason
from skye_server.games.seat_changes import check_not_over, revised
from skye_server.games.seat_ends import SeatOutcome
from skye_server.games.transitions import (
    Transition,
    advance,
    after_move,
    check_change_limit,
    state_begun,
    state_in_play,
)


def open_game(  # noqa: PLR0913 - all but the first three by name
    game: Game,
    seats: tuple[Seat, ...],
    now_ms: int,
    *,
    numbers: Sequence[int] = (),
    invites: tuple[str, ...] = (),
    unique_names: bool = True,
) -> Transition:
    """Open a new game with its first seats; start it if it is full and should start when full.

    :param numbers: the numbers of the seats, if they are not the lowest.
    :param invites: the hashes of invitation codes; each reserves a seat after those taken.
    :param unique_names: whether names must differ; those of a recorded game need not.
    :raises Problem: game_full, color_taken, name_taken.
    :raises RuleError: what `start` raises.
    """
    players = len(seats) + len(invites)
    if players > game.capacity:
        detail = f"There are {game.capacity} seats for {players} players."
        raise Problem("game_full", detail, seat_count=game.capacity)
    transition = advance(game, now_ms, [GameCreated(game.name)])
    named = {seat.color for seat in seats}
    unnamed = (color for color in game.ruleset.colors if color not in named)
    for seat, number in zip(seats, numbers or range(len(seats)), strict=True):
        seated = replace(seat, color=seat.color or next(unnamed))
        joined = join(transition.game, seated, now_ms, number=number, unique_names=unique_names)
        transition = transition.then(joined)
    for code in invites:
        transition = transition.then(invite(transition.game, code, now_ms))
    return transition


def begin_from_position(game: Game, state: GameState, now_ms: int) -> Transition:
    """Close the lobby and begin a game from a position; the game ends if the position is an end."""
    players = _players(game)
    started = GameStarted(state.scoring_tiles, state.starting_seat, state.rounds, players)
    return advance(
        game,
        now_ms,
        [started, PositionSet(state)],
        state=state,
        status=Status.FINISHED if state.is_over else Status.PLAYING,
        started_first_seat=seat_since_start(players, game.options.first_seat),
    )


def invite(game: Game, code: str, now_ms: int) -> Transition:
    """Reserve a seat for the holder of an invitation code.

    :param code: the hash of the code.
    :raises Problem: game_already_started, game_aborted, too_many_changes, game_full.
    """
    _check_in_lobby(game)
    _check_free_seat(game, len(game.unused_invites))
    return advance(game, now_ms, [InvitationCreated()], invites=(*game.invites, code))


def revoke_invitation(game: Game, invitation: str, now_ms: int) -> Transition:
    """Revoke an unused invitation, which frees its seat.

    :param invitation: the id of the invitation.
    :raises Problem: game_already_started, game_aborted, invitation_not_found.
    """
    _check_in_lobby(game)
    left = tuple("" if invitation_id(hashed) == invitation else hashed for hashed in game.invites)
    if left == game.invites:
        raise Problem("invitation_not_found")
    game = _with_invites(game, left, InvitationEnd.WITHDRAWN)
    return advance(game, now_ms, [InvitationRevoked()])


def join(  # noqa: PLR0913 - all but the first three by name
    game: Game,
    seat: Seat,
    now_ms: int,
    *,
    number: int | None = None,
    invited_by: str = "",
    unique_names: bool = True,
) -> Transition:
    """Add a player or a bot; without a colour it gets the first free one.

    :param number: the seat to take; None: the lowest that is free.
    :param invited_by: the hash of an invitation code, which is used up.
    :raises Problem: game_already_started, game_aborted, too_many_changes, game_full, seat_taken,
        seat_not_found, color_taken, name_taken.
    """
    _check_in_lobby(game)
    invites = tuple("" if code == invited_by else code for code in game.invites)
    _check_free_seat(game, len([code for code in invites if code]))
    others = [other for _, other in game.taken]
    _check_color(game, seat)
    _check_distinct(seat, others, unique_names=unique_names)
    number = lowest_free_seat(game) if number is None else number
    _check_seat_is_free(game, number)
    taken = {other.color for other in others}
    seat = replace(
        seat, color=seat.color or next(color for color in game.ruleset.colors if color not in taken)
    )
    joined = PlayerJoined(number, seat.name, seat.color, seat.bot)
    accepted = [InvitationAccepted()] if invites != game.invites else []
    seats = with_seat(game.seats, number, seat)
    game = _with_invites(game, invites, InvitationEnd.USED)
    transition = advance(game, now_ms, [*accepted, joined], seats=seats)
    if game.start_when_full and len(transition.game.taken) == game.capacity:
        transition = transition.then(start(transition.game, now_ms))
    return transition


Moment: TypeAlias = tuple[int, Phase]
"""A round and one of its phases."""


def replay(  # noqa: PLR0913 - all but the first three by name
    transition: Transition,
    actions: Sequence[Action],
    now_ms: int,
    *,
    until: Moment | None = None,
    tiles: Sequence[str] | None = None,
    ends: Sequence[SeatOutcome] = (),
) -> Transition:
    """Play recorded actions in a game that has just started.

    :param until: where to stop; None: play all actions.
    :param tiles: the recorded tiles of the next rounds; None: the seed draws them.
    :param ends: by seat, how it ended in the record, for a game that is played to its end; none if no seat
        was given up.
    :raises Problem: invalid_body, if the actions end before that.
    :raises RuleError: InvalidRecord, with the number of the illegal action, from 1.
    """
    if not actions and until is None:
        return transition
    state = state_in_play(transition.game)
    options = transition.game.options
    transition = transition._replace(game=without_increment(transition.game))  # the clocks begin afterwards
    if not has_reached(state, until):
        gave_up = _groups(ends)
        with Computation() as computation:
            for outcome in apply_actions(state._replace(gave_up=gave_up), actions, tiles):
                state = outcome.game
                more = [RecordReplayed(tuple(ends))] if state.is_over and gave_up else []
                played = outcome if state.is_over else outcome._replace(game=state._replace(gave_up=()))
                transition = transition.then(after_move(transition.game, played, now_ms, *more))
                computation.checkpoint()
                if has_reached(state, until):
                    break
    if until is not None and not has_reached(state, until):
        phase = "its end" if state.phase is None else f"phase {state.phase}"
        detail = f"The record ends in round {state.round}, {phase}: this is after it."
        raise Problem("invalid_body", errors=[FieldError("/stop_at", detail)])
    if transition.game.status is Status.PLAYING:
        transition = transition.then(_begin_from_here(transition.game, now_ms))
    return transition._replace(game=replace(transition.game, options=options))


def _groups(ends: Sequence[SeatOutcome]) -> tuple[tuple[int, ...], ...]:
    """Return the seats that were given up, those of one date together, the earliest date first."""
    dates = {end.at_ms for end in ends if end.at_ms is not None}
    return tuple(
        [tuple([seat for seat, end in enumerate(ends) if end.at_ms == date]) for date in sorted(dates)]
    )


def _begin_from_here(game: Game, now_ms: int) -> Transition:
    """Let people play on after recorded actions: no seat has acted or is given up yet."""
    state = state_begun(game)
    ends = [SeatOutcome(decisions=open_decisions(state, seat)) for seat in range(len(game.seats))]
    return advance(game, now_ms, [RecordReplayed(tuple(ends))])


def has_reached(game: GameState, moment: Moment | None) -> bool:
    """Return whether a game has reached a phase of a round."""
    if moment is None:
        return False
    number, phase = moment
    phases = list(Phase)
    reached = len(phases) if game.phase is None else phases.index(game.phase)
    return (game.round, reached) >= (number, phases.index(phase))


def change_player(game: Game, seat: int, now_ms: int, name: str | None, color: str | None) -> Transition:
    """Change the name or the colour of a player in the lobby; None keeps it.

    :raises Problem: game_already_started, game_aborted, too_many_changes, color_taken, name_taken.
    """
    _check_in_lobby(game)
    game = revised(game, seat)
    before = game.seats[seat]
    changed = replace(before, name=name or before.name, color=color or before.color)
    _check_color(game, changed)
    _check_distinct(changed, [other for number, other in game.taken if number != seat])
    event = PlayerChanged(seat, changed.name, changed.color)
    return advance(game, now_ms, [event], seats=with_seat(game.seats, seat, changed))


def leave(game: Game, seat: int, now_ms: int, *, removed: bool) -> Transition:
    """Leave the lobby; no other seat moves.

    :param removed: whether the host removes the player.
    :raises Problem: game_already_started, game_aborted.
    """
    _check_in_lobby(game)
    seats = with_seat(game.seats, seat, FREE_SEAT)
    return advance(game, now_ms, [PlayerLeft(seat, removed)], seats=seats)


def start(game: Game, now_ms: int, draws: RecordedDraws | None = None) -> Transition:
    """Close the lobby and start the game: gaps between seats close, and unused invitations end.

    :param draws: the recorded draws of the setup and round 1; None: the seed draws.
    :raises Problem: game_already_started, game_aborted, too_few_players.
    :raises RuleError: InvalidRecord.
    """
    _check_in_lobby(game)
    players, seats = _players(game), tuple(seat for _, seat in game.taken)
    have, need = len(seats), game.ruleset.players[0]
    if have < need:
        raise Problem(
            "too_few_players", f"{have} of at least {need} players are seated.", have=have, need=need
        )
    colors = [seat.color for seat in seats]
    first_seat = seat_since_start(players, game.options.first_seat)
    seed, options = game.options.seed, game.options.for_engine(first_seat)
    state, events = (
        new_game(colors, seed=seed, options=options)
        if draws is None
        else begin_recorded(colors, seed, options, draws)
    )
    started = GameStarted(state.scoring_tiles, state.starting_seat, state.rounds, players)
    return advance(
        _with_invites(game, (), InvitationEnd.BEGUN),
        now_ms,
        [started, *events],
        state=state,
        status=Status.PLAYING,
        seats=seats,
        started_first_seat=first_seat,
    )


def abort(game: Game, reason: AbortReason, now_ms: int) -> Transition:
    """Abort a game that is not over: it ends without a result.

    :raises Problem: game_aborted, game_finished.
    """
    check_not_over(game)
    absent = absent_seats(game, now_ms)
    game = _with_invites(game, (), InvitationEnd.ABORTED)
    fields = {"status": Status.ABORTED, "abort_reason": reason, "absent": absent}
    return advance(game, now_ms, [GameAborted(reason, absent)], **fields)


def _with_invites(game: Game, left: tuple[str, ...], end: InvitationEnd) -> Game:
    """Return a game with these invitations left; the others have ended.

    The holders of ended codes learn the reason, so the game keeps the hashes of the latest.
    """
    ended = [EndedInvitation(code, end) for code in game.unused_invites.values() if code not in left]
    return replace(game, invites=left, ended_invites=(*game.ended_invites, *ended)[-MAX_ENDED_INVITATIONS:])


def _check_in_lobby(game: Game) -> None:
    if game.status is Status.ABORTED:
        raise Problem("game_aborted")
    if game.status is not Status.LOBBY:
        raise Problem("game_already_started")


def _check_free_seat(game: Game, invited: int) -> None:
    """Check that one more seat can be taken or reserved, in addition to those reserved by invitations.

    :raises Problem: too_many_changes, game_full.
    """
    check_change_limit(game)
    if len(game.taken) + invited >= game.capacity:
        reserved = f" or reserved, {invited} by invitations" if invited else ""
        raise Problem(
            "game_full", f"All {game.capacity} seats are taken{reserved}.", seat_count=game.capacity
        )


def _check_color(game: Game, seat: Seat) -> None:
    """Check that the ruleset has the colour of a seat.

    :raises Problem: invalid_body.
    """
    colors = game.ruleset.colors
    if seat.color and seat.color not in colors:
        detail = f"The colours of {game.ruleset.id} are {', '.join(colors)}."
        raise Problem("invalid_body", errors=[FieldError("/color", detail)])


def _check_distinct(seat: Seat, others: Sequence[Seat], *, unique_names: bool = True) -> None:
    """Check that no other player has the colour or the name of a seat.

    :raises Problem: color_taken, name_taken.
    """
    if seat.color in {other.color for other in others}:
        raise Problem("color_taken", f"Another player has {seat.color}.", color=seat.color)
    if unique_names and name_key(seat.name) in {name_key(other.name) for other in others}:
        detail = "Another player has this name, or one that looks like it."
        raise Problem("name_taken", detail, name=seat.name)


def lowest_free_seat(game: Game) -> int:
    """Return the number of the lowest free seat."""
    taken = dict(game.taken)
    return next(number for number in range(game.capacity + 1) if number not in taken)


def _check_seat_is_free(game: Game, number: int) -> None:
    """Check that a seat exists and is free.

    :raises Problem: seat_not_found, seat_taken.
    """
    if number >= game.capacity:
        raise Problem("seat_not_found", seat_count=game.capacity)
    if number in dict(game.taken):
        raise Problem("seat_taken", f"Seat {number} is taken.", seat=number)


def _players(game: Game) -> tuple[StartedPlayer, ...]:
    """Return the players by seat, with the numbers that the seats had in the lobby."""
    return tuple(
        StartedPlayer(number, seat.name, seat.color, seat.bot, seat.is_held) for number, seat in game.taken
    )
