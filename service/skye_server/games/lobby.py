"""The lobby: open a match, join and leave seats, start and abort.

Every function returns a `Transition` or raises a `Problem`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeAlias

from skye import COLORS, PLAYERS, Action, GameState, Phase, apply_actions, new_game
from skye_server.cooperative_yield import Computation
from skye_server.error_codes import Problem
from skye_server.games.autoplay import hand_to_bot
from skye_server.games.events import (
    GameAborted,
    GameCreated,
    GameStarted,
    InviteAccepted,
    InviteCreated,
    PlayerChanged,
    PlayerJoined,
    PlayerLeft,
    PositionSet,
    TokenRotated,
)
from skye_server.games.game import Match, Seat, Status
from skye_server.games.names import name_key
from skye_server.games.transitions import Transition, advance, after_move, game_in_play, undo_limit_reached


def open_match(
    match: Match,
    seats: tuple[Seat, ...],
    now_ms: int,
    *,
    invites: tuple[str, ...] = (),
    unique_names: bool = True,
) -> Transition:
    """Open a new match with its first seats; start it if it is full and should start when full.

    :param invites: the hashes of invitation codes; each reserves a seat after those taken.
    :param unique_names: whether names must differ; those of a recorded game need not.
    :raises Problem: game_full, color_taken, name_taken.
    :raises RuleError: what `start` raises.
    """
    players = len(seats) + len(invites)
    if players > match.capacity:
        detail = f"There are {match.capacity} seats for {players} players."
        raise Problem("game_full", detail, seats=match.capacity)
    transition = advance(match, now_ms, [GameCreated(match.name)])
    named = {seat.color for seat in seats}
    unnamed = (color for color in COLORS if color not in named)
    for seat in seats:
        seated = replace(seat, color=seat.color or next(unnamed))
        transition = transition.then(join(transition.match, seated, now_ms, unique_names=unique_names))
    for code in invites:
        transition = transition.then(invite(transition.match, code, now_ms))
    return transition


def begin_from_position(match: Match, game: GameState, now_ms: int) -> Transition:
    """Close the lobby and begin a match from a position; the match ends if the game is over there."""
    started = GameStarted(game.scoring_tiles, game.starting_seat, game.rounds)
    status = Status.FINISHED if game.is_over else Status.PLAYING
    return advance(match, now_ms, [started, PositionSet(game)], game=game, status=status)


def invite(match: Match, code: str, now_ms: int) -> Transition:
    """Reserve a seat for the holder of an invitation code.

    :param code: the hash of the code.
    :raises Problem: game_already_started, game_aborted, too_many_changes, game_full.
    """
    _check_in_lobby(match)
    _check_free_seat(match, match.invites)
    return advance(match, now_ms, [InviteCreated()], invites=(*match.invites, code))


def join(
    match: Match, seat: Seat, now_ms: int, *, invited_by: str = "", unique_names: bool = True
) -> Transition:
    """Add a player or a bot in the next seat; without a colour it gets the first free one.

    :param invited_by: the hash of an invitation code, which is used up.
    :raises Problem: game_already_started, game_aborted, too_many_changes, game_full, color_taken, name_taken.
    """
    _check_in_lobby(match)
    invites = tuple(code for code in match.invites if code != invited_by)
    _check_free_seat(match, invites)
    _check_distinct(seat, match.seats, unique_names=unique_names)
    taken = {other.color for other in match.seats}
    seat = replace(seat, color=seat.color or next(color for color in COLORS if color not in taken))
    joined = PlayerJoined(len(match.seats), seat.name, seat.color, seat.bot)
    accepted = [InviteAccepted()] if len(invites) < len(match.invites) else []
    transition = advance(match, now_ms, [*accepted, joined], seats=(*match.seats, seat), invites=invites)
    if match.start_when_full and len(transition.match.seats) == match.capacity:
        transition = transition.then(start(transition.match, now_ms))
    return transition


Moment: TypeAlias = tuple[int, Phase]
"""A round and one of its phases."""


def replay(
    transition: Transition, actions: Sequence[Action], now_ms: int, until: Moment | None = None
) -> Transition:
    """Play recorded actions in a match that has just started.

    :param until: where to stop; None: play all actions.
    :raises RuleError: InvalidRecord, with the number of the illegal action, from 1.
    """
    if not actions or has_reached(game_in_play(transition.match), until):
        return transition
    with Computation() as computation:
        for outcome in apply_actions(game_in_play(transition.match), actions):
            transition = transition.then(after_move(transition.match, outcome, now_ms))
            computation.checkpoint()
            if has_reached(outcome.game, until):
                break
    return transition


def has_reached(game: GameState, moment: Moment | None) -> bool:
    """Return whether a game has reached a phase of a round."""
    if moment is None:
        return False
    number, phase = moment
    phases = list(Phase)
    return game.phase is None or (game.round, phases.index(game.phase)) >= (number, phases.index(phase))


def change_player(match: Match, seat: int, now_ms: int, name: str | None, color: str | None) -> Transition:
    """Change the name or the colour of a player in the lobby; None keeps it.

    :raises Problem: game_already_started, game_aborted, too_many_changes, color_taken, name_taken.
    """
    _check_in_lobby(match)
    _check_undo_limit(match)
    before = match.seats[seat]
    changed = replace(before, name=name or before.name, color=color or before.color)
    _check_distinct(changed, (*match.seats[:seat], *match.seats[seat + 1 :]))
    event = PlayerChanged(seat, changed.name, changed.color)
    return advance(match, now_ms, [event], seats=_with_seat(match, seat, changed))


def rotate_token(match: Match, seat: int, token: str, now_ms: int) -> Transition:
    """Replace the token of a seat.

    :param token: the hash of the new token.
    :raises Problem: too_many_changes.
    """
    _check_undo_limit(match)
    seats = _with_seat(match, seat, replace(match.seats[seat], token=token))
    return advance(match, now_ms, [TokenRotated(seat)], seats=seats)


def leave(match: Match, seat: int, now_ms: int) -> Transition:
    """Leave the lobby, which moves later seats up by one, or resign, which hands the seat to a bot.

    :raises Problem: game_aborted, game_over, seat_played_by_bot.
    """
    if match.status is Status.LOBBY:
        seats = (*match.seats[:seat], *match.seats[seat + 1 :])
        return advance(match, now_ms, [PlayerLeft(seat)], seats=seats)
    if game_in_play(match).is_over:
        raise Problem("game_over")
    if match.seats[seat].bot:
        raise Problem("seat_played_by_bot")
    return hand_to_bot(match, seat, "resigned", now_ms)


def start(match: Match, now_ms: int) -> Transition:
    """Close the lobby and start the game; unused invitation codes become invalid.

    :raises Problem: game_already_started, game_aborted, too_few_players.
    :raises RuleError: InvalidSetup, if the starting seat in the options is not taken.
    """
    _check_in_lobby(match)
    if len(match.seats) < PLAYERS[0]:
        have, need = len(match.seats), PLAYERS[0]
        raise Problem(
            "too_few_players", f"{have} of at least {need} players are seated.", have=have, need=need
        )
    colors = [seat.color for seat in match.seats]
    game, events = new_game(colors, match.options.seed, match.options.for_engine)
    started = GameStarted(game.scoring_tiles, game.starting_seat, game.rounds)
    return advance(match, now_ms, [started, *events], game=game, status=Status.PLAYING, invites=())


def abort(match: Match, now_ms: int) -> Transition:
    """Abort a match that is not over: it ends without a result.

    :raises Problem: game_aborted, game_over.
    """
    if match.status is Status.ABORTED:
        raise Problem("game_aborted")
    if match.status is Status.FINISHED:
        raise Problem("game_over")
    return advance(match, now_ms, [GameAborted()], status=Status.ABORTED, invites=())


def _check_in_lobby(match: Match) -> None:
    if match.status is Status.ABORTED:
        raise Problem("game_aborted")
    if match.status is not Status.LOBBY:
        raise Problem("game_already_started")


def _check_undo_limit(match: Match) -> None:
    """Check that a match may have one more change of a kind that could be repeated forever.

    :raises Problem: too_many_changes.
    """
    if undo_limit_reached(match):
        raise Problem("too_many_changes")


def _check_free_seat(match: Match, invites: tuple[str, ...]) -> None:
    """Check that one more seat can be taken or reserved, in addition to those reserved by `invites`.

    :raises Problem: too_many_changes, game_full.
    """
    _check_undo_limit(match)
    if len(match.seats) + len(invites) >= match.capacity:
        reserved = f" or reserved, {len(invites)} by invitations" if invites else ""
        raise Problem("game_full", f"All {match.capacity} seats are taken{reserved}.", seats=match.capacity)


def _check_distinct(seat: Seat, others: Sequence[Seat], *, unique_names: bool = True) -> None:
    """Check that no other player has the colour or the name of a seat.

    :raises Problem: color_taken, name_taken.
    """
    if seat.color in {other.color for other in others}:
        raise Problem("color_taken", f"Another player has {seat.color}.", color=seat.color)
    if unique_names and name_key(seat.name) in {name_key(other.name) for other in others}:
        detail = "Another player has this name, or one that looks like it."
        raise Problem("name_taken", detail, name=seat.name)


def _with_seat(match: Match, number: int, seat: Seat) -> tuple[Seat, ...]:
    """Return the seats of a match with one replaced."""
    return (*match.seats[:number], seat, *match.seats[number + 1 :])
