"""Ratings: the PlackettLuce model of OpenSkill, by places. Pure functions.

A rating is a normal distribution of the strength of a player. After each game mu and sigma are rounded to six
decimals: so every platform computes the same ratings, although the last bits of its functions differ.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import msgspec
from openskill.models import PlackettLuce

MU: Final = 25.0
SIGMA: Final = 25 / 3
BETA: Final = 25 / 6
KAPPA: Final = 0.0001
TAU: Final = 25 / 300
"""The parameters of the model: those of a new player, the spread of the play of one game, the least factor by
which a variance shrinks, and what is added to sigma before each game."""

DECIMALS: Final = 6
"""To how many decimals mu and sigma are rounded after each game."""

SCALE: Final = 60
"""How many points are shown for a unit of mu and sigma: a new player has 1500, with an uncertainty of 500."""

PROVISIONAL_GAMES: Final = 10
"""A rating with fewer games is provisional."""

LAST_GAMES: Final = 10
"""Of how many of the last games a rating knows in which the player gave up."""

_MODEL: Final = PlackettLuce(mu=MU, sigma=SIGMA, beta=BETA, kappa=KAPPA, tau=TAU)


class Rating(msgspec.Struct, array_like=True, frozen=True):
    """The rating of a player on a ladder.

    :param games: how many rated games it has. One without a winner is not rated, and not among them.
    :param gave_up: how many games of the ladder the player has given up, also those that are not rated.
    :param last: for each of the last games, the latest last, whether the player gave it up.
    """

    mu: float = MU
    sigma: float = round(SIGMA, DECIMALS)
    games: int = 0
    gave_up: int = 0
    last: tuple[bool, ...] = ()

    @property
    def shown(self) -> int:
        """The rating as an integer."""
        return round(SCALE * self.mu)

    @property
    def uncertainty(self) -> int:
        """The standard deviation of the rating, on the same scale."""
        return round(SCALE * self.sigma)

    @property
    def is_provisional(self) -> bool:
        """Whether there are too few games to compare the rating with others."""
        return self.games < PROVISIONAL_GAMES


def after_game(
    ratings: Sequence[Rating], places: Sequence[int], gave_up: Sequence[bool], *, has_winner: bool
) -> list[Rating]:
    """Return the ratings of the players after a game.

    :param places: the place of each of them; equal places are a tie.
    :param gave_up: whether each of them gave the game up.
    :param has_winner: without a winner the game changes no rating.
    """
    after = [
        msgspec.structs.replace(
            rating, gave_up=rating.gave_up + gives_up, last=(*rating.last, gives_up)[-LAST_GAMES:]
        )
        for rating, gives_up in zip(ratings, gave_up, strict=True)
    ]
    if not has_winner:
        return after
    teams = [[_MODEL.rating(mu=rating.mu, sigma=rating.sigma)] for rating in ratings]
    found = _MODEL.rate(teams, ranks=[float(place) for place in places])
    return [
        msgspec.structs.replace(
            rating, mu=round(new.mu, DECIMALS), sigma=round(new.sigma, DECIMALS), games=rating.games + 1
        )
        for rating, (new,) in zip(after, found, strict=True)
    ]
