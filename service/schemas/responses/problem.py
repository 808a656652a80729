"""The body of every error response: a problem (RFC 9457)."""

from __future__ import annotations

from service.matches.error_codes import ERROR_CODES, MAX_ERRORS
from service.schemas.enums import AnyTile, Color, GamePhase, Side, TerrainName
from service.schemas.fields import Coordinate, Integer, Rotation, Seat, StringEnum
from service.schemas.objects import ListOf, NestedObject
from service.schemas.responses.shape import Count, GameId, LandscapeTiles, ResponseObject, Text, Version
from skye import PLAYERS


class ProblemCode(StringEnum):
    """The code of an error; see `GET /docs/errors`.

    A code never changes its meaning. There may be new ones.
    """

    extensible = True
    choices = ERROR_CODES


class FieldProblem(ResponseObject):
    """An invalid part of a request."""

    pointer = Text(
        "A JSON pointer into the body (empty for the whole body), or the name of a parameter or header.", 500
    )
    detail = Text("A sentence that describes the fault.", 500)


class ProblemParams(ResponseObject):
    """The values in `detail`. The fields depend on the code; there may be new ones."""

    optional = (
        "tile",
        "tiles",
        "x",
        "y",
        "rotation",
        "side",
        "own",
        "neighbor",
        "need",
        "have",
        "seat",
        "phase",
        "required_phase",
        "color",
        "seats",
        "name",
        "version",
        "last_event",
        "game",
        "action",
        "reason",
    )

    tile = AnyTile()
    tiles = LandscapeTiles("The tiles in question.")
    x = Coordinate("Cells east of the castle.")
    y = Coordinate("Cells south of the castle.")
    rotation = Rotation()
    side = Side("The edge of the cell.")
    own = TerrainName("The terrain of the tile at this edge.")
    neighbor = TerrainName("The terrain of the neighbour at this edge.")
    need = Count("The required amount of gold or number of players.")
    have = Count("The present amount of gold or number of players, games or streams.")
    seat = Seat("The seat whose turn it is, that the token does not act for, or that cannot start.")
    phase = GamePhase("The phase of the game.")
    required_phase = GamePhase("The phase to which the action belongs.")
    color = Color("The colour that another player has.")
    seats = Count("The number of seats of the game.", PLAYERS[-1])
    name = Text("The name that another player has.", 40)
    version = Version("The version of the game.")
    last_event = Count("The number of the last event of the game.")
    game = GameId("The game in which the caller has a seat.")
    action = Integer(1, None, "The number of the action of a record that breaks a rule, from 1.")
    reason = ProblemCode("The code of the rule that the action breaks.")


class Problem(ResponseObject):
    """An error response (RFC 9457)."""

    optional = ("errors", "params")

    type = Text(
        "The documentation of the code.",
        100,
        metadata={"format": "uri-reference", "examples": ["/docs/errors#wrong_phase"]},
    )
    title = Text("The code in words.", 60, metadata={"examples": ["Wrong phase"]})
    status = Integer(400, 599, "The status of the response.")
    detail = Text("Why the request failed: a sentence for people.", 1000)
    instance = Text(
        "The id of this problem: `urn:skye:request:` and the id of the request, as in `X-Request-Id`.",
        100,
        metadata={"format": "uri", "examples": ["urn:skye:request:9f2c4b7a1d3e5f60"]},
    )
    code = ProblemCode("Why the request failed: a word for programs.")
    errors = ListOf(FieldProblem, "The invalid parts of the request.", length=(1, MAX_ERRORS))
    params = NestedObject(ProblemParams, "The values in `detail`, for clients with texts of their own.")
