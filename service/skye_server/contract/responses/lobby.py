"""The lists of games, and rematches."""

from collections.abc import Sequence
from typing import Annotated, TypedDict

from skye.fields import Keywords
from skye_server.contract.fields import MAX_OPAQUE_LENGTH
from skye_server.games.views.types import GameSummaryView


class Rematch(TypedDict):
    """The rematch of a game."""

    game: Annotated[GameSummaryView | None, "The new game; null until a player of the old game requests it."]


class GameList(TypedDict):
    """A page of the list of public games."""

    games: Annotated[Sequence[GameSummaryView], Keywords(maxItems=100), "The games, newest first."]
    next_cursor: Annotated[
        str | None, Keywords(maxLength=MAX_OPAQUE_LENGTH), "The `cursor` of the next page; null on the last."
    ]
