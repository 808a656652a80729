"""The types of the fields that the service adds to the engine's views; see `skye.fields`."""

from collections.abc import Sequence
from types import new_class
from typing import Annotated, Final, TypeAlias, TypedDict

from skye.fields import (
    Component,
    Keywords,
)
from skye.rulesets import MAX_DRAWN, MAX_PLAYERS, MAX_ROUNDS, MIN_PLAYERS
from skye_server.games.game import Role
from skye_server.games.stream_ends import StreamResume

MAX_OPAQUE_LENGTH: Final = 256
"""The longest cursor, id or token that a version may send, in characters."""


MAX_ACTIONS = 2_000
"""The most actions of a record; a game has about 30 for each player, and those that were taken back."""

MAX_DRAWS = MAX_DRAWN * MAX_PLAYERS * MAX_ROUNDS
"""The most tiles that come out of the bag in a game; one that goes back can come out again."""

MAX_TURN_MS: Final = 30 * 86_400_000
"""The longest time for a decision, in milliseconds: 30 days."""

MAX_LEFT_MS: Final = MAX_TURN_MS * (1 + MAX_ACTIONS)
"""The most that a seat has left of its budget: each of its actions may add an increment, in milliseconds."""

MAX_GAMES: Final = 100
"""The most games that one request creates."""

InvitationId: TypeAlias = Annotated[
    str, Keywords(minLength=1, maxLength=64), "The id of the invitation; it is no secret."
]
Version: TypeAlias = Annotated[int, Keywords(minimum=1), "The version of the game."]
SeatCount: TypeAlias = Annotated[
    int, Keywords(minimum=MIN_PLAYERS, maximum=MAX_PLAYERS), "The number of seats."
]
PlayerName: TypeAlias = Annotated[str, Keywords(maxLength=40), "The name of the player."]
GameName: TypeAlias = Annotated[str, Keywords(maxLength=60), "The name of the game."]
Seed: TypeAlias = Annotated[str, Keywords(maxLength=64)]
Nonce: TypeAlias = Annotated[str, Keywords(maxLength=32)]
UnknownType: TypeAlias = Annotated[str, Keywords(minLength=1, maxLength=64), "A type that is not known yet."]

ProfileName: TypeAlias = Annotated[
    str, Keywords(minLength=3, maxLength=20), "The name of a profile: the public name of a player."
]
LadderPoints: TypeAlias = Annotated[int, Keywords(minimum=-100_000, maximum=100_000)]
LadderName: TypeAlias = Annotated[str, Keywords(minLength=1, maxLength=20), "The id of a ladder."]
GameId: TypeAlias = Annotated[str, Component("GameId"), "The id of the game."]
IssuedToken: TypeAlias = Annotated[str, Component("Token")]
Timestamp: TypeAlias = Annotated[str, Component("Timestamp")]
BotName: TypeAlias = Annotated[str, Component("BotName")]
Reload: TypeAlias = Annotated[
    bool,
    "Reserved for types of events of later versions: if true, a client that does not know the type loads its "
    "data again. No event of this version has it.",
]
Resume: TypeAlias = Annotated[StreamResume, "What the client does next."]
Roles: TypeAlias = Annotated[
    Sequence[Annotated[Role, "A role."]], Keywords(maxItems=8, uniqueItems=True), "The roles."
]


class Versioned(TypedDict):
    """An object with the version of its game."""

    version: Version


def combined(name: str, *shapes: type) -> type:
    """Return the shape with the fields of some shapes, and with the description of the last one."""
    last = shapes[-1]
    return new_class(
        name, shapes, exec_body=lambda body: body.update(__doc__=last.__doc__, __module__=last.__module__)
    )


def versioned(view: type, name: str) -> type:
    """Return the shape of a view with the version of its game, as `versioned_json` sends it."""
    return combined(name, Versioned, view)
