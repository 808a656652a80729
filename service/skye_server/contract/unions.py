"""Objects in one of several forms: events, actions, and the messages of streams."""

from __future__ import annotations

import typing
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from marshmallow import Schema

from skye_server.contract.objects import Tagged
from skye_server.contract.records import RecordedAction
from skye_server.games.views.actions import ActionOfLaterVersionView, ActionView, AgreementView
from skye_server.games.views.events import HostedEventView, NumberedEventView, StreamEnd, StreamStart
from skye_server.games.views.fields import combined
from skye_server.games.views.history import RecordedActionOfLaterVersion
from skye_server.games.views.player_events import (
    PlayerEventOfLaterVersion,
    PlayerEventView,
    PlayerStreamEnd,
    PlayerStreamStart,
)


class OneOf(NamedTuple):
    """An object in one of several forms: TypedDicts, or schemas of requests."""

    description: str
    forms: Sequence[type]
    fallback: str | None = None
    """The component of objects that later versions may send; None if they will send none. It is a reference
    to the form itself: code generators for Python would treat a plain form as one more with a `type` of its
    own."""
    tagged: bool = True
    """Whether the `type` of an object determines its form."""


class Unknown(NamedTuple):
    """An object of a type that a later version added."""

    description: str
    form: type
    known: Sequence[type]


def tag_of(form: type) -> str:
    """Return the `type` of a form.

    >>> tag_of(typing.get_args(ActionView)[0])
    'set_offer'
    """
    if issubclass(form, Schema):
        return Tagged.tag(form)
    (tag,) = typing.get_args(typing.get_type_hints(form)["type"])
    return str(tag)


def _event(view: Any) -> type:
    """Return the type of an event of a game: the common fields and those of its own."""
    return combined(view.__name__.removesuffix("View") + "Event", NumberedEventView, view)


class EventOfLaterVersion(NumberedEventView):
    """The fields that every event has. An event of a type that a later version added has more fields."""


EVENTS: Final = tuple({tag_of(view): _event(view) for view in typing.get_args(HostedEventView)}.values())
PLAYER_EVENTS: Final = typing.get_args(PlayerEventView)
_ACTIONS: Final = typing.get_args(ActionView)
_AGREEMENTS: Final = typing.get_args(AgreementView)

UNIONS: Final = {
    "Event": OneOf(
        "An event of a game. There may be new types: ignore those that you do not know.",
        EVENTS,
        "UnknownEvent",
    ),
    "StreamMessage": OneOf(
        "The `data` of one message of a stream; the field `event` determines the form.",
        (StreamStart, *EVENTS, StreamEnd),
        "UnknownEvent",
        tagged=False,
    ),
    "PlayerEvent": OneOf(
        "An event of one of the player's games. There may be new types: ignore those that you do not know.",
        PLAYER_EVENTS,
        "UnknownPlayerEvent",
    ),
    "PlayerStreamMessage": OneOf(
        "The `data` of one message of a player's stream; the field `event` determines the form.",
        (PlayerStreamStart, *PLAYER_EVENTS, PlayerStreamEnd),
        "UnknownPlayerEvent",
        tagged=False,
    ),
    "Action": OneOf(
        "A legal action of a seat: a request that the server would accept.\n\nThere may be new types: ignore "
        "those that you do not know. The `body` of known types gets no new fields.",
        _ACTIONS,
        "UnknownAction",
    ),
    "Agreement": OneOf(
        "What a seat can propose to the others, or answer them: a request that the server would accept.\n\n"
        "There may be new types: ignore those that you do not know.",
        _AGREEMENTS,
        "UnknownAgreement",
    ),
    "ExportedAction": OneOf(
        "One action of a recorded game.\n\nThere may be new types. The known types get no new fields while "
        "the record has this `format`.",
        RecordedAction.variants,
        "UnknownRecordedAction",
    ),
}
"""The unions by the names of their components."""

UNKNOWN: Final = {
    "UnknownEvent": Unknown(
        "An event of a type that a later version added: ignore it.", EventOfLaterVersion, EVENTS
    ),
    "UnknownPlayerEvent": Unknown(
        "An event of a type that a later version added: ignore it.", PlayerEventOfLaterVersion, PLAYER_EVENTS
    ),
    "UnknownAction": Unknown(
        "An action of a type that a later version added: ignore it.", ActionOfLaterVersionView, _ACTIONS
    ),
    "UnknownAgreement": Unknown(
        "An agreement of a type that a later version added: ignore it.", ActionOfLaterVersionView, _AGREEMENTS
    ),
    "UnknownRecordedAction": Unknown(
        "A recorded action of a type that a later version added.",
        RecordedActionOfLaterVersion,
        RecordedAction.variants,
    ),
}
"""The forms of later versions by the names of their components."""
