"""The request bodies of webhooks."""

from __future__ import annotations

from typing import Any, Final

from marshmallow import ValidationError, fields, validate

from skye_server.contract.enums.events import ChosenWebhookEvent
from skye_server.contract.fields import Integer, Name, PatternString
from skye_server.contract.objects import Object
from skye_server.games.webhook_events import WEBHOOK_EVENTS

MAX_URL_LENGTH: Final = 2048
MAX_OVERLAP_MS: Final = 7 * 86_400_000
"""The longest time for which a replaced secret signs too."""

_URL: Final = "https?://[!-~]+"

_LETTER: Final = "[A-Za-z0-9+/]"
_SECRET: Final = (
    f"whsec_((?:{_LETTER}{{4}}){{8,21}}(?:{_LETTER}{{2}}==)?|(?:{_LETTER}{{4}}){{8,20}}{_LETTER}{{3}}=)"
)


class Url(PatternString):
    """The URL of a receiver. The server checks scheme, port and address when it uses the URL."""

    def __init__(self, description: str, **kwargs: Any) -> None:
        shape = {"minLength": 8, "maxLength": MAX_URL_LENGTH, "format": "uri", "pattern": f"^{_URL}$"}
        error = f"This is not a URL of http or https with at most {MAX_URL_LENGTH} ASCII characters."
        super().__init__(_URL, error, description, shape, **kwargs)


class Secret(PatternString):
    """A secret: `whsec_` and 24 to 64 bytes in base64."""

    def __init__(self, description: str, **kwargs: Any) -> None:
        shape = {"maxLength": 96, "pattern": f"^{_SECRET}$"}
        error = "This is not whsec_ and 24 to 64 bytes in base64."
        super().__init__(_SECRET, error, description, shape, **kwargs)


def _check_unique(types: list[str]) -> None:
    if len(set(types)) < len(types):
        raise ValidationError("This has a type twice.")


def _types(description: str, **kwargs: Any) -> fields.List[Any]:
    length = validate.Length(1, len(WEBHOOK_EVENTS), error="This has not from {min} to {max} types.")
    return fields.List(
        ChosenWebhookEvent("A type."),
        validate=[length, _check_unique],
        metadata={"description": description, "uniqueItems": True},
        **kwargs,
    )


class WebhookToCreate(Object):
    """A webhook."""

    url = Url("Where the server sends events.", required=True)
    types = _types(
        "The types of the events to send; all if left out.", load_default=lambda: list(WEBHOOK_EVENTS)
    )
    description = Name("A description, for the owner.", most=100, load_default="")
    secret = Secret("The secret that signs requests; the server makes one if left out.")


class WebhookChanges(Object):
    """Changes to a webhook."""

    min_properties = 1
    url = Url("The new URL; unchanged if left out.")
    types = _types("The new types; unchanged if left out.")
    description = Name("The new description; unchanged if left out.", most=100)


class SecretRotation(Object):
    """A new secret for a webhook."""

    secret = Secret("The new secret; the server makes one if left out.")
    overlap_ms = Integer(
        0,
        MAX_OVERLAP_MS,
        "For how many milliseconds the old secret signs requests too; a day if left out.",
        load_default=86_400_000,
    )
