"""Which tickets of a ladder play together. Pure functions of the tickets and their players.

Each ticket looks for others at once and every `LOOK_MS`, and takes those that have waited longest. Two go
together

- if their players have different networks, as the rate limits know them;
- if they have begun fewer than five games of the ladder together on this day;
- if their ratings are near each other: within `WINDOW_MU` and the mean of their sigmas, and `WIDER_MU` more
  for each minute that the one who waits longer has waited;
- if both have fewer than ten games on the ladder, or neither has, in the first minute;
- if neither gave up three of the last ten games, in the first five minutes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Final, NamedTuple

WINDOW_MU: Final = 2.0
"""How far two certain ratings may be apart at once, in units of mu: 120 points."""

WIDER_MU: Final = 4.0
"""By how much more for each minute of waiting."""

NEW_MS: Final = 60_000
"""For how long new players wait for new players only, and others for others."""

LEAVER_MS: Final = 300_000
"""For how long a player waits who gave up `MAX_GAVE_UP` of the last ten games."""

MAX_GAVE_UP: Final = 3
MAX_MEETINGS: Final = 5
"""How many rated games two players begin on one day."""

LOOK_MS: Final = 5_000
"""How often a ticket that waits looks for others."""


class Candidate(NamedTuple):
    """A ticket that waits.

    :param network: names the network of the player's address.
    :param waited_ms: for how long it has waited, in milliseconds.
    :param mu, sigma: the rating of the player.
    :param is_new: whether that is provisional.
    :param gave_up: how many of the last ten games the player gave up.
    """

    ticket: str
    player: str
    network: str
    waited_ms: int
    mu: float
    sigma: float
    is_new: bool
    gave_up: int


def group_of(
    looking: Candidate,
    others: Iterable[Candidate],
    size: int,
    meetings: Callable[[Sequence[tuple[str, str]]], Sequence[int]],
) -> list[Candidate] | None:
    """Return tickets that play together, None while there are none.

    :param looking: the ticket that looks for others.
    :param others: tickets that wait with it, the oldest first.
    :param size: how many players a game has.
    :param meetings: returns for pairs of players how many games they have begun together on this day.
    """
    group = [looking]
    for each in others:
        if all(may_meet(each, other) for other in group):
            met = meetings([(each.player, other.player) for other in group])
            if max(met) < MAX_MEETINGS:
                group.append(each)
                if len(group) == size:
                    return group
    return None


def may_meet(one: Candidate, other: Candidate) -> bool:
    """Return whether two tickets go together, but for how often their players have met."""
    waited_ms = max(one.waited_ms, other.waited_ms)
    if one.network == other.network or one.player == other.player:
        return False
    if any(each.gave_up >= MAX_GAVE_UP and each.waited_ms < LEAVER_MS for each in (one, other)):
        return False
    if one.is_new != other.is_new and waited_ms < NEW_MS:
        return False
    window_mu = WINDOW_MU + (one.sigma + other.sigma) / 2 + WIDER_MU * waited_ms / 60_000
    return abs(one.mu - other.mu) <= window_mu
