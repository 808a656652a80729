"""The words and ids of the interface, each list of them described once."""

from __future__ import annotations

from typing import Any

from marshmallow import ValidationError, fields, validate

from service.matches.match import Clock, OnTimeout, OriginType, SeedSource, Status
from service.matches.scenarios import SCENARIOS
from service.schemas.fields import MAX_GOLD, Integer
from service.schemas.strings import Word
from skye import BOTS, COLORS, LANDSCAPE, OBJECTS, SCORING_TILES, SLOTS, TIE_BREAKS, TILES, Phase, Terrain


class Color(Word):
    """A player's colour; the castle has it too. There will be no others under `/v1`."""

    choices = COLORS


class LandscapeTile(Word):
    """The id of a landscape tile, L01 to L73. There will be no others under `/v1`."""

    component = "LandscapeTileId"
    choices = LANDSCAPE

    def __init__(self, description: str = "A landscape tile.", **kwargs: Any) -> None:
        super().__init__(description, **kwargs)


class AnyTile(Word):
    """The id of a landscape tile, L01 to L73, or of a castle tile. There will be no others under `/v1`."""

    component = "TileId"
    choices = TILES

    def __init__(self, description: str = "A tile.", **kwargs: Any) -> None:
        super().__init__(description, **kwargs)


class ScoringTileId(Word):
    """The id of a scoring tile. There will be no others under `/v1`."""

    choices = SCORING_TILES

    def __init__(self, description: str = "A scoring tile.", **kwargs: Any) -> None:
        super().__init__(description, **kwargs)


class ScoringSlot(Word):
    """The place of a scoring tile in a game; it decides in which rounds the tile is scored.

    There will be no others under `/v1`.
    """

    choices = SLOTS

    def __init__(self, description: str = "A slot.", **kwargs: Any) -> None:
        super().__init__(description, **kwargs)


class Inclusion(Word):
    """What a view of a game can carry beside what it always has."""

    choices = ("actions",)


class BotName(Word):
    """A bot: `random` does anything legal, `greedy` plays sensibly, `strategist` trades better.

    There may be new ones.
    """

    extensible = True
    choices = BOTS


class SeatableBot(Word):
    """A bot that can be seated; `BotName` tells how each plays."""

    choices = BOTS


class TieBreakRule(Word):
    """What breaks a tie for the win (ruling R11).

    `leftover_gold`: the gold left after every 5 have become a point. `total_gold`: all the gold. Who is still
    tied shares the win.

    There may be new ones.
    """

    extensible = True
    choices = TIE_BREAKS


class ChosenTieBreak(Word):
    """What breaks a tie for the win; `TieBreakRule` tells what each means."""

    choices = TIE_BREAKS


class TimeoutRule(Word):
    """Who decides for a seat that lets its deadline pass.

    `auto`: one sensible action is taken, and the seat goes on as before. `bot`: a bot plays on for good.

    There may be new ones.
    """

    extensible = True
    choices = OnTimeout


class ChosenTimeoutRule(Word):
    """Who decides for a seat that lets its deadline pass; `TimeoutRule` tells what each means."""

    choices = OnTimeout


class ClockName(Word):
    """The clock by which the deadlines of a game pass.

    `real`: the clock of the server. `manual`: a clock that stands still until the host advances it.

    There may be new ones.
    """

    extensible = True
    choices = Clock


class ChosenClock(Word):
    """The clock by which the deadlines of a game pass; `ClockName` tells what each means."""

    choices = Clock


class GameStatus(Word):
    """Where a game stands. There may be new ones."""

    extensible = True
    choices = Status


class GamePhase(Word):
    """The phase of a round in which players must decide; income, discard and scoring happen by themselves.

    There will be no others under `/v1`.
    """

    choices = Phase


class ListedStatus(Word):
    """The statuses of the games that are listed."""

    choices = (Status.LOBBY, Status.PLAYING, Status.FINISHED)


class OriginName(Word):
    """What a game began from, if it did not begin with a new game. There may be new ones."""

    extensible = True
    choices = OriginType


class ListedOrigin(Word):
    """The origins by which games can be listed; `OriginName` tells what each means."""

    choices = OriginType


class ScenarioName(Word):
    """The name of a scenario. There may be new ones."""

    extensible = True
    choices = SCENARIOS


class ChosenScenario(Word):
    """The scenarios that a game can begin from; `GET /v1/scenarios` tells what each is."""

    choices = SCENARIOS


class TakeoverReason(Word):
    """Why a bot took over a seat. There may be new ones."""

    extensible = True
    choices = ("resigned", "timed_out")


class StreamEndReason(Word):
    """Why a stream ends.

    `finished`, `aborted`: the game is over. `restart`: the server stops, so reconnect. `history_lost`: the
    store has lost events that were sent. `game_not_found`, `token_unknown`: the caller may no longer read the
    game.

    There may be new ones.
    """

    extensible = True
    choices = ("finished", "aborted", "restart", "history_lost", "game_not_found", "token_unknown")


class QuickMatchStatus(Word):
    """Where a request for a quick match stands. There may be new ones."""

    extensible = True
    choices = ("waiting", "matched", "cancelled", "expired")


class PlayerStreamEndReason(Word):
    """Why a player's stream ends.

    `restart`: the server stops, so reconnect. `history_lost`: the store has lost events that were sent.
    `token_unknown`: the key was replaced. There may be new ones.
    """

    extensible = True
    choices = ("restart", "history_lost", "token_unknown")


class SeedOrigin(Word):
    """Who chose the seed; a creator who did knows every draw in advance. There may be new ones."""

    extensible = True
    choices = SeedSource


class TerrainName(Word):
    """The terrain on an edge, in the middle of a tile, or of an area. There will be no others under `/v1`."""

    choices = tuple(terrain.label for terrain in Terrain)

    def __init__(self, description: str = "The terrain.", **kwargs: Any) -> None:
        super().__init__(description, **kwargs)


class Side(Word):
    """An edge of a tile. There will be no others under `/v1`."""

    choices = ("north", "east", "south", "west")

    def __init__(self, description: str = "An edge.", **kwargs: Any) -> None:
        super().__init__(description, **kwargs)


class ObjectKind(Word):
    """A kind of thing that tiles show. There will be no others under `/v1`."""

    choices = OBJECTS


_DRAWN = 3
"""How many tiles a seat draws, and could want to price."""


class Prices(fields.Dict):
    """Gold for each tile on offer, by the tile's id."""

    component = "Prices"

    def __init__(self, description: str, **kwargs: Any) -> None:
        super().__init__(
            keys=LandscapeTile(),
            values=Integer(0, MAX_GOLD, "Gold laid on the tile; the rules ask for 1 or more."),
            validate=validate.Length(max=_DRAWN, error="There are {max} tiles to price at most."),
            metadata={"description": description},
            **kwargs,
        )

    def _deserialize(self, value: Any, attr: str | None, data: Any, **kwargs: Any) -> Any:
        if isinstance(value, dict):
            self._validate(value)  # of far too many keys none is read
        try:
            return super()._deserialize(value, attr, data, **kwargs)  # type: ignore[no-untyped-call]  # theirs
        except ValidationError as error:
            raise ValidationError(_by_key(error.messages)) from None


def _by_key(messages: Any) -> Any:
    """Leave out what marshmallow puts between a key of a mapping and what is wrong with it or its value."""
    if not isinstance(messages, dict):
        return messages
    return {key: [fault for faults in found.values() for fault in faults] for key, found in messages.items()}
