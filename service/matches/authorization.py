"""Authorization: which caller may act for a seat, or as the host."""

from __future__ import annotations

from service.matches.errors import Problem
from service.matches.match import Match
from service.matches.player_keys import seat_of
from service.matches.tokens import SPECTATOR, Caller


def require_own_seat(match: Match, caller: Caller, seat: int) -> None:
    """Check that the caller holds a seat.

    :raises Problem: seat_not_found, token_required, not_your_seat.
    """
    require_seat(match, seat)
    if caller == SPECTATOR:
        raise Problem("token_required")
    if caller.seat != seat:
        raise Problem("not_your_seat", f"The token is not that of seat {seat}.", seat=seat)


def require_seat(match: Match, seat: int) -> None:
    """Check that a match has a seat.

    :raises Problem: seat_not_found.
    """
    if seat >= len(match.seats):
        raise Problem("seat_not_found", seats=len(match.seats))


def require_no_seat(match: Match, player: str) -> None:
    """Check that a player holds no seat.

    :param player: the id of the player, empty for a caller without a player key.
    :raises Problem: already_seated.
    """
    seat = seat_of(match, player) if player else None
    if seat is not None:
        raise Problem("already_seated", f"The player of this key holds seat {seat}.", seat=seat)


def require_host(caller: Caller) -> None:
    """Check that the caller is the host.

    :raises Problem: token_required, host_only.
    """
    if caller.host:
        return
    raise Problem("token_required" if caller == SPECTATOR else "host_only")
