"""The one form of every refusal."""

from __future__ import annotations

from service.matches.errors import ERROR_CODES, MAX_ERRORS
from service.schemas.enums import AnyTile, Color, GamePhase, Side, TerrainName
from service.schemas.fields import Coordinate, Integer, ListOf, Rotation, Seat
from service.schemas.objects import One
from service.schemas.responses.shape import Count, GameId, LandscapeTiles, ResponseObject, Text, Version
from service.schemas.strings import Word
from skye import PLAYERS


class ProblemCode(Word):
    """Why a request was refused. A code never changes its meaning; there may be new ones."""

    extensible = True
    choices = ERROR_CODES


class FieldProblem(ResponseObject):
    """What is wrong with one place of a request."""

    pointer = Text(
        "A JSON pointer into the body (empty for the whole of it), or the name of a parameter or header.", 500
    )
    detail = Text("What is wrong with it, in a sentence.", 500)


class ProblemParams(ResponseObject):
    """What the detail of a problem names. The fields depend on the code; there may be new ones."""

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
        "color",
        "seats",
        "name",
        "version",
        "game",
        "action",
        "reason",
    )

    tile = AnyTile()
    tiles = LandscapeTiles("The tiles in question.")
    x = Coordinate("Position eastwards of the castle.")
    y = Coordinate("Position southwards of the castle.")
    rotation = Rotation()
    side = Side("The edge of the cell.")
    own = TerrainName("The terrain that the tile has there.")
    neighbor = TerrainName("The terrain that the neighbour has there.")
    need = Count("The gold, or the players, that are needed.")
    have = Count("The gold, or the players, that there are.")
    seat = Seat("The seat whose turn it is, or that the token does not act for.")
    phase = GamePhase("The phase that the game is in.")
    color = Color("The colour that is taken.")
    seats = Count("How many seats the game has.", PLAYERS[-1])
    name = Text("The name that is taken.", 40)
    version = Version("The version that the game is at.")
    game = GameId("The game in which the caller has a seat.")
    action = Integer(1, None, "The number of the action of a record that breaks a rule, from 1.")
    reason = ProblemCode("The code of the rule that the action breaks.")


class Problem(ResponseObject):
    """A refusal (RFC 9457)."""

    optional = ("errors", "params")

    type = Text(
        "Where the documentation tells of the code.",
        100,
        metadata={"format": "uri-reference", "examples": ["/docs/errors#wrong_phase"]},
    )
    title = Text("The code in words.", 60, metadata={"examples": ["Wrong phase"]})
    status = Integer(400, 599, "The status of the answer.")
    detail = Text("Why the request was refused, in a sentence for people.", 1000)
    instance = Text(
        "What identifies this problem: `urn:skye:request:` and the id of the request, as in `X-Request-Id`.",
        100,
        metadata={"format": "uri", "examples": ["urn:skye:request:9f2c4b7a1d3e5f60"]},
    )
    code = ProblemCode("Why the request was refused, in a word for programs.")
    errors = ListOf(FieldProblem, "The places of the request that are invalid.", length=(1, MAX_ERRORS))
    params = One(ProblemParams, "What `detail` names, for clients that word it themselves.")
