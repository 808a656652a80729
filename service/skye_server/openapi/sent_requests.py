"""The requests that the server sends: the `webhooks` of the document."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from skye_server.features import installed
from skye_server.http.responses import JSON
from skye_server.openapi.conversion import ResponseComponents
from skye_server.openapi.text import Doc, joined
from skye_server.outgoing.challenges import CHALLENGE_SECONDS
from skye_server.outgoing.messages import WebhookChallengeAnswer, WebhookChallengeMessage


class Sent(NamedTuple):
    """A request that the server sends, and the response that it expects.

    :param tag: the blueprint beside whose operations the document shows it.
    :param answer: the body of the response, or the name of its component; None if any response of the class
        2xx is right.
    :param seconds: the time in which it must arrive.
    """

    tag: str
    name: str
    summary: str
    description: str
    message: type
    seconds: float
    answer: type | str | None = None


def challenge_request(tag: str) -> Sent:
    """Return the challenge, which each feature that sends requests to URLs sends first."""
    return Sent(
        tag,
        "send_webhook_challenge",
        "Answer a challenge",
        """
        The server sends this to a new URL, and sends nothing else until the response repeats the challenge.
        """,
        WebhookChallengeMessage,
        CHALLENGE_SECONDS,
        WebhookChallengeAnswer,
    )


def sent_requests(components: ResponseComponents) -> Doc:
    """Return the requests of all features by their names, as the document lists them."""
    found: dict[str, Sent] = {}
    for feature in installed():
        for sent in feature.sent():
            found.setdefault(sent.name, sent)
    return {name: {"post": _operation(sent, components)} for name, sent in found.items()}


def _operation(sent: Sent, components: ResponseComponents) -> Doc:
    accepted: Doc = {"description": f"Received, within {sent.seconds:g} seconds."}
    if sent.answer is not None:
        answer = sent.answer
        schema = components.named(answer) if isinstance(answer, str) else components.reference(answer)
        accepted["content"] = {JSON: {"schema": schema}}
    return {
        "tags": [sent.tag],
        "x-internal": True,  # openapi-generator would write these over the operations of the same tag
        "operationId": sent.name,
        "summary": sent.summary,
        "description": joined(sent.description),
        "security": [],
        "parameters": [_header(*header) for header in _HEADERS],
        "requestBody": {
            "required": True,
            "description": "The message.",
            "content": {JSON: {"schema": components.reference(sent.message)}},
        },
        "responses": {"200" if sent.answer else "2XX": accepted},
    }


_HEADERS: Final = (
    ("webhook-id", "The id of the message, the same for each attempt.", {"type": "string", "maxLength": 64}),
    (
        "webhook-timestamp",
        "When this attempt was made, in seconds since 1970.",
        {"type": "string", "pattern": "^[0-9]+$", "maxLength": 12},
    ),
    (
        "webhook-signature",
        "Signatures, separated by spaces: `v1,` and the HMAC-SHA256 of `ID.TIMESTAMP.BODY` in base64.",
        {"type": "string", "maxLength": 1024},
    ),
)


def _header(name: str, description: str, schema: dict[str, Any]) -> Doc:
    return {"name": name, "in": "header", "required": True, "description": description, "schema": schema}
