"""Places in sorted sets of games, and the finished games of a set, the latest end first."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple, TypeAlias

from skye.events import GameFinished
from skye_server.games.game import Change, Game

Place: TypeAlias = tuple[float, str]
"""The position of a game in a sorted set, highest first: its score, and its id."""

ReadSet: TypeAlias = Callable[[float | None, int], list[tuple[str, float]]]
"""Returns up to a number of ids and scores up to a score (None: the highest), highest first."""


def cursor_of(place: Place) -> str:
    """Return the cursor of the games after a place.

    >>> cursor_of((1_500.0, "g")), place_of("1500-g")
    ('1500-g', (1500.0, 'g'))
    """
    return f"{place[0]:.0f}-{place[1]}"


def place_of(cursor: str | None) -> Place | None:
    """Return the place that a cursor encodes; None without a cursor."""
    if cursor is None:
        return None
    score, _, game_id = cursor.partition("-")
    return float(score), game_id


def next_places(read: ReadSet, limit: int, after: Place | None) -> list[Place]:
    """Return the next places of a set: games of one score are in the order of their ids.

    :param after: the place before the first one.
    :raises Problem: store_unavailable.
    """
    highest, extra = None if after is None else after[0], 0
    while True:
        found = read(highest, limit + extra)
        places = [(score, game_id) for game_id, score in found]
        later = [place for place in places if after is None or place < after]
        if len(later) >= limit or len(found) < limit + extra:
            return later[:limit]
        extra += limit


class FinishedGames(NamedTuple):
    """A set of games in which those that are finished have the time of their end as scores.

    :param load: returns the games at some places, None for each that is not to be shown.
    :param highest: a score above those of finished games.
    :param units_per_ms: how much higher the score of a game is that ends a millisecond later.
    """

    read: ReadSet
    load: Callable[[Sequence[Place]], list[Game | None]]
    highest: float = math.inf
    units_per_ms: int = 1

    def after(
        self, place: Place | None, batch: int, since_ms: int = 0, until_ms: int | None = None
    ) -> Iterator[tuple[Place, Game]]:
        """Yield finished games with their places, the latest end first.

        :param place: the place of the game before the first one.
        :param batch: how many games are loaded at once.
        :param since_ms: only games that ended then or later, in milliseconds since 1970.
        :param until_ms: only games that ended before.
        :raises Problem: store_unavailable.
        """
        until = self.highest if until_ms is None else min(until_ms * self.units_per_ms, self.highest)
        place = (until, "") if place is None else min(place, (until, ""))
        while places := next_places(self.read, batch, place):
            for place, game in zip(places, self.load(places), strict=True):
                if place[0] < since_ms * self.units_per_ms:
                    return
                if game is not None:
                    yield place, game


def end_of(changes: Iterable[Change]) -> int | None:
    """Return when a game finished, in milliseconds since 1970 by its clock; None if it did not."""
    ends = (each for each in changes if any(isinstance(event, GameFinished) for event in each.events))
    return next((change.at_ms for change in ends), None)
