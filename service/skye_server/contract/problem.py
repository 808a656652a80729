"""The body of every error response: a problem (RFC 9457)."""

from collections.abc import Sequence
from typing import Annotated, NotRequired, TypedDict

from skye.fields import (
    Color,
    Component,
    Coordinate,
    Count,
    GamePhase,
    Keywords,
    LandscapeTileIds,
    ProblemCode,
    Rotation,
    Seat,
    Side,
    TerrainName,
    TileId,
)
from skye.rulesets import MAX_PLAYERS
from skye_server.error_codes import MAX_ERRORS
from skye_server.games.views.types import GameId, PlayerName, Version

FieldProblem = TypedDict(
    "FieldProblem",
    {
        "in": Annotated[str, Component("ErrorPlace"), "The part of the request."],
        "pointer": NotRequired[
            Annotated[
                str,
                Keywords(maxLength=500),
                "In the body: a JSON pointer to the value; empty for the whole body.",
            ]
        ],
        "name": NotRequired[
            Annotated[str, Keywords(maxLength=500), "Elsewhere: the name of the parameter or header."]
        ],
        "detail": Annotated[str, Keywords(maxLength=500), "A sentence that describes the fault."],
    },
)
FieldProblem.__doc__ = "An invalid part of a request."


class ProblemParams(TypedDict):
    """The values in `detail`. The fields depend on the code; there may be new ones."""

    tile: NotRequired[TileId]
    tiles: NotRequired[Annotated[LandscapeTileIds, "The tiles in question."]]
    x: NotRequired[Annotated[Coordinate, "Cells east of the castle."]]
    y: NotRequired[Annotated[Coordinate, "Cells south of the castle."]]
    rotation: NotRequired[Rotation]
    side: NotRequired[Annotated[Side, "The edge of the cell."]]
    own: NotRequired[Annotated[TerrainName, "The terrain of the tile at this edge."]]
    neighbor: NotRequired[Annotated[TerrainName, "The terrain of the neighbour at this edge."]]
    need: NotRequired[Annotated[Count, "The required amount of gold or number of players."]]
    have: NotRequired[Annotated[Count, "The present amount of gold or number of players, games or streams."]]
    seat: NotRequired[
        Annotated[Seat, "The seat whose turn it is, that the token does not act for, or that cannot start."]
    ]
    phase: NotRequired[Annotated[GamePhase, "The phase of the game."]]
    required_phase: NotRequired[Annotated[GamePhase, "The phase to which the action belongs."]]
    color: NotRequired[Annotated[Color, "The colour that another player has."]]
    seat_count: NotRequired[
        Annotated[Count, Keywords(maximum=MAX_PLAYERS), "The number of seats of the game."]
    ]
    last: NotRequired[Annotated[Count, "The number of the last placement of the round."]]
    name: NotRequired[Annotated[PlayerName, "The name that another player has."]]
    version: NotRequired[Version]
    last_event: NotRequired[Annotated[Count, "The number of the last event of the game."]]
    game_id: NotRequired[Annotated[GameId, "The game in which the caller has a seat."]]
    action: NotRequired[
        Annotated[
            int, Keywords(minimum=1), "The number of the action of a record that breaks a rule, from 1."
        ]
    ]
    reason: NotRequired[Annotated[ProblemCode, "The code of the rule that the action breaks."]]


class Problem(TypedDict):
    """An error response (RFC 9457)."""

    type: Annotated[
        str,
        Keywords(maxLength=100, format="uri-reference", examples=["/docs/errors#wrong_phase"]),
        "The documentation of the code.",
    ]
    title: Annotated[str, Keywords(maxLength=60, examples=["Wrong phase"]), "The code in words."]
    status: Annotated[int, Keywords(minimum=400, maximum=599), "The status of the response."]
    detail: Annotated[str, Keywords(maxLength=1000), "Why the request failed: a sentence for people."]
    instance: Annotated[
        str,
        Keywords(maxLength=100, format="uri", examples=["urn:skye:request:9f2c4b7a1d3e5f60"]),
        "The id of this problem: `urn:skye:request:` and the id of the request, as in `X-Request-Id`.",
    ]
    code: Annotated[ProblemCode, "Why the request failed: a word for programs."]
    trace_id: NotRequired[
        Annotated[
            str,
            Keywords(maxLength=32, examples=["4bf92f3577b34da6a3ce929d0e0e4736"]),
            "The trace id of `traceparent` (W3C Trace Context), if the client sent one.",
        ]
    ]
    errors: NotRequired[
        Annotated[
            Sequence[FieldProblem],
            Keywords(minItems=1, maxItems=MAX_ERRORS),
            "The invalid parts of the request.",
        ]
    ]
    params: NotRequired[
        Annotated[ProblemParams, "The values in `detail`, for clients with texts of their own."]
    ]
