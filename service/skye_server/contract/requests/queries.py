"""The schemas of query strings."""

from __future__ import annotations

from marshmallow import Schema

from skye.rulesets import MAX_PLAYERS
from skye_server.contract.enums.games import ChosenRuleset, Inclusion, ListedOrigin, ListedStatus
from skye_server.contract.enums.tiles import LandscapeTile
from skye_server.contract.fields import Opaque, QueryBoolean, QueryInteger, QueryRotation, QueryTime
from skye_server.contract.objects import ListOf

MAX_TILES_TO_PLACE = 2 * (MAX_PLAYERS - 1)
"""The number of tiles that the other seats can offer for sale."""

PLAYER_EVENT_ID = "[0-9]{1,19}-[0-9]{1,19}"
"""The form of the id of a player's event."""

CURSOR = "[0-9]{1,16}-[a-z0-9]{1,64}"
"""The form of a place in a list of games."""

MAX_RECORDS = 1_000
"""The most records that one request exports."""


class _Query(Schema):
    error_messages = {"unknown": "There is no such parameter."}  # noqa: RUF012 - as marshmallow has it


def _page_cursor() -> Opaque:
    return Opaque(CURSOR, "This is not the cursor of a page.", "The `next_cursor` of the previous page.")


class GamesQuery(_Query):
    """Which games to list."""

    status = ListedStatus("Only games of this status.")
    origin = ListedOrigin("Only games of this origin; if left out, only games that began from the start.")
    ruleset = ChosenRuleset("Only games of this ruleset; that of new games on this server if left out.")
    limit = QueryInteger(1, 100, "The most games to return.", load_default=20)
    cursor = _page_cursor()


class RecordsQuery(_Query):
    """Which records to export."""

    ruleset = ChosenRuleset("Only games of this ruleset; that of new games on this server if left out.")
    limit = QueryInteger(1, MAX_RECORDS, "The most records to return.", load_default=100)
    cursor = Opaque(CURSOR, "This is not the cursor of a line.", "The `cursor` of the last line received.")
    since = QueryTime("Only games that finished at this time or later, such as `finished_at` of a line.")
    until = QueryTime("Only games that finished before this time.")


class OwnGamesQuery(_Query):
    """Which games of a player to list."""

    limit = QueryInteger(1, 100, "The most games to return.", load_default=20)
    cursor = _page_cursor()


class PlayerStreamQuery(_Query):
    """Where a player's events begin."""

    after = Opaque(
        PLAYER_EVENT_ID,
        "This is not the id of an event.",
        "Only events after the one with this id; all stored events if left out.",
        load_default="0-0",
    )


class PlayerEventsQuery(PlayerStreamQuery):
    """Which events of a player to list."""

    limit = QueryInteger(1, 1000, "The most events to return.", load_default=1000)
    wait_ms = QueryInteger(
        0, 60_000, "How many milliseconds to wait for an event if there is none yet.", load_default=0
    )


class StreamQuery(_Query):
    """Where a stream of events begins."""

    after = QueryInteger(0, 10**9, "Only events with a higher number.", load_default=0)


class EventsQuery(StreamQuery):
    """Which events to list."""

    limit = QueryInteger(1, 1000, "The most events to return.", load_default=1000)
    wait_ms = QueryInteger(
        0, 60_000, "How many milliseconds to wait for an event if there is none yet.", load_default=0
    )


class ViewQuery(_Query):
    """The optional parts of the view of a game."""

    include = Inclusion("`actions`: the view also has the legal actions of the caller's seat.")


class GameQuery(ViewQuery):
    """Which state of a game to show, with which optional parts."""

    at_event = QueryInteger(
        1, 10**9, "The number of an event: the response shows the game just after this event."
    )


class PlacesQuery(_Query):
    """Which tiles to find places for."""

    tile = ListOf(
        LandscapeTile(),
        "A landscape tile that is in no territory; repeat the parameter for several tiles.",
        length=(1, MAX_TILES_TO_PLACE),
        error="This is not from {min} to {max} tiles.",
        required=True,
    )


class CatalogueQuery(_Query):
    """Of which ruleset to show the catalogue."""

    ruleset = ChosenRuleset("The ruleset; that of new games on this server if left out.")


class TilePictureQuery(CatalogueQuery):
    """Which tile to draw, and how."""

    rotation = QueryRotation(load_default=0)


class TerritoryPictureQuery(_Query):
    """How to draw a territory."""

    coordinates = QueryBoolean("Whether the picture shows the coordinates.", load_default=False)
