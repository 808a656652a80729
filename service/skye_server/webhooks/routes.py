"""Webhooks of a player key, and of a game: the same operations below two paths."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Annotated, Any, Final, NamedTuple, TypeAlias, TypedDict, TypeVar

from flask import Blueprint, Response
from marshmallow import ValidationError, fields, validate

from skye.fields import Count, Keywords
from skye_server.contract.enums import WebhookEventName
from skye_server.contract.fields import Integer, Name, Secret, Url
from skye_server.contract.objects import Object
from skye_server.games.authorization import require_host
from skye_server.games.player_events import PlayerEventType
from skye_server.games.views.fields import MAX_OPAQUE_LENGTH
from skye_server.http.framework import collaborators, feature
from skye_server.http.rate_limits import WEBHOOK_KB, charge_receiver_request, charge_stored
from skye_server.http.request_parsing import bearer_token, command_from_request, player_of_request, takes
from skye_server.http.responses import json_response, no_content, uncached_json
from skye_server.openapi.components import IDEMPOTENCY_KEY
from skye_server.openapi.documented_errors import BODY_ERRORS, GAME_ERRORS, HOST_ERRORS, PLAYER_KEY_ERRORS
from skye_server.openapi.operations import THIS_GAME, Describe, Link, ResponseDoc, Token
from skye_server.outgoing.messages import DeliveryList, DeliveryView, HttpStatus, ProblemText, delivery_view
from skye_server.store.shards import player_owner
from skye_server.webhooks import enums
from skye_server.webhooks.game_events import cursor_at, encode_cursor
from skye_server.webhooks.sent import TAG
from skye_server.webhooks.views import WebhookView, webhook_view
from skye_server.webhooks.webhook_record import Webhook
from skye_server.webhooks.webhooks import Webhooks

blueprint = Blueprint(TAG, __name__, url_prefix="/v1")

_SENT: Final = ("bad_request", "body_too_large", "invalid_parameter")
"""The codes of operations that read only the headers of a request."""


MAX_OVERLAP_MS: Final = 7 * 86_400_000
"""The longest time for which a replaced secret signs too."""


def _check_unique(types: list[str]) -> None:
    if len(set(types)) < len(types):
        raise ValidationError("This has a type twice.")


def _types(description: str, **kwargs: Any) -> fields.List[Any]:
    length = validate.Length(1, len(PlayerEventType), error="This has not from {min} to {max} types.")
    return fields.List(
        WebhookEventName("A type."),
        validate=[length, _check_unique],
        metadata={"description": description, "uniqueItems": True},
        **kwargs,
    )


class WebhookToCreate(Object):
    """A webhook."""

    url = Url("Where the server sends events.", required=True)
    types = _types(
        "The types of the events to send; all if left out.", load_default=lambda: list(PlayerEventType)
    )
    description = Name("A description, for the owner.", most=100, load_default="")
    format = enums.WebhookFormat("The format; `standard` if left out.", load_default="standard")
    secret = Secret("The secret that signs requests; the server makes one if left out.", allow_none=True)


class WebhookChanges(Object):
    """Changes to a webhook."""

    min_properties = 1
    url = Url("The new URL; unchanged if left out.")
    types = _types("The new types; unchanged if left out.")
    description = Name("The new description; unchanged if left out.", most=100)


class SecretRotation(Object):
    """A new secret for a webhook."""

    secret = Secret("The new secret; the server makes one if left out.", allow_none=True)
    overlap_ms = Integer(
        0,
        MAX_OVERLAP_MS,
        "For how many milliseconds the old secret signs requests too; a day if left out.",
        load_default=86_400_000,
    )


_Secret: TypeAlias = Annotated[
    Annotated[str, Keywords(maxLength=MAX_OPAQUE_LENGTH)] | None,
    "The secret that signs requests. The server shows it only here. A repeated request with the same "
    "`Idempotency-Key` gets null after the secret was replaced, or an hour after it was set.",
]


class CreatedWebhook(WebhookView):
    """A new webhook, or one with a new secret."""

    secret: _Secret


class WebhookList(TypedDict):
    """The webhooks of a player key or a game."""

    webhooks: Annotated[Sequence[WebhookView], Keywords(maxItems=100), "The webhooks, the oldest first."]


class WebhookTestResult(TypedDict):
    """The result of a test."""

    webhook: Annotated[WebhookView, "The webhook after the test."]
    http_status: Annotated[HttpStatus | None, "The status of the response; null without one."]
    duration_ms: Annotated[Count, "How long the request took, in milliseconds."]
    problem: Annotated[ProblemText | None, "Why the test failed; null if it succeeded."]


View = TypeVar("View", bound=Callable[..., Any])


class _Place(NamedTuple):
    """Where the webhooks of one kind of owner are.

    :param word: in the names of the operations.
    :param owner: returns the owner, after checking that the caller may manage its webhooks.
    :param cursor: returns the position after the owner's last event.
    """

    path: str
    word: str
    token: Token
    errors: tuple[str, ...]
    owner: Callable[..., str]
    cursor: Callable[..., str]

    def named(self, name: str) -> Callable[[View], View]:
        """Return a decorator that gives a view the name of its operation."""

        def decorate(view: View) -> View:
            view.__name__ = name.format(self.word)
            return view

        return decorate

    def describe(
        self, *documented: ResponseDoc, errors: Iterable[str] = (), headers: Iterable[str] = ()
    ) -> Describe:
        """Return the documentation of an operation."""
        return Describe(documented, (*self.errors, *errors), self.token, [*headers])


def _player() -> str:
    return player_owner(player_of_request())


def _last_player_event() -> str:
    return collaborators().games.players.last_event(player_of_request())


def _game(game: str) -> str:
    require_host(collaborators().games.read(game, bearer_token()).caller)
    return game


def _last_event(game: str) -> str:
    return encode_cursor(cursor_at(collaborators().games.stored.read(game)))


_OF_PLAYER: Final = _Place(
    "/me/webhooks", "own", Token.PLAYER, PLAYER_KEY_ERRORS, _player, _last_player_event
)
_OF_GAME: Final = _Place(
    "/games/<game>/webhooks", "game", Token.REQUIRED, (*GAME_ERRORS, *HOST_ERRORS), _game, _last_event
)


def _webhooks() -> Webhooks:
    found: Webhooks = feature("webhooks")
    return found


def _add_collection(place: _Place) -> None:
    @blueprint.route(place.path, methods=["POST"])
    @place.describe(
        ResponseDoc(
            201,
            "The webhook, with its secret.",
            CreatedWebhook,
            headers=["Location"],
            links=[
                Link(f"get_{place.word}_webhook", "The webhook.", _link(place)),
                Link(f"test_{place.word}_webhook", "Send the challenge again.", _link(place)),
            ],
        ),
        errors=[
            *BODY_ERRORS,
            "invalid_parameter",
            "idempotency_key_reused",
            "too_many_webhooks",
            "storage_full",
        ],
        headers=[IDEMPOTENCY_KEY],
    )
    @place.named("create_{}_webhook")
    @takes(WebhookToCreate, "The webhook.")
    def create(body: dict[str, Any], **parts: str) -> Response:
        """Create a webhook.

        The server sends the events of the player key, or of the game for its host, to the URL: in `POST`
        requests, which the secret signs as Standard Webhooks 1.0 specifies. First it sends a challenge;
        until the URL answers it, the webhook is `unverified` and gets nothing else. The webhook sends the
        events from its creation on, each at least once, those of one game in their order.

        With the format `discord` or `slack` the server posts a sentence for each event to the service, and
        sends no challenge: the webhook is `active` at once.
        """
        owner = place.owner(**parts)
        charge_receiver_request()
        charge_stored(WEBHOOK_KB)
        webhook = _webhooks().create(owner, command_from_request(), body, place.cursor(**parts))
        location = f"/v1{place.path}/{webhook.receiver.id}".replace("<game>", parts.get("game", ""))
        return uncached_json(_secret_view(webhook), 201, [("Location", location)])

    @blueprint.route(place.path)
    @place.describe(ResponseDoc(200, "The webhooks.", WebhookList), errors=["not_acceptable"])
    @place.named("list_{}_webhooks")
    def list_all(**parts: str) -> Response:
        """List the webhooks.

        Without their secrets, which the server shows only when they are made.
        """
        found = _webhooks().of(place.owner(**parts))
        return json_response({"webhooks": [_shown(webhook) for webhook in found]})


def _add_item(place: _Place) -> None:
    item, missing = f"{place.path}/<webhook>", ("not_found", "webhook_not_found")
    shown = ResponseDoc(200, "The webhook.", WebhookView)

    @blueprint.route(item)
    @place.describe(shown, errors=[*missing, "not_acceptable"])
    @place.named("get_{}_webhook")
    def get(webhook: str, **parts: str) -> Response:
        """Get a webhook.

        With its status, and the reason if it is not active.
        """
        return json_response(_shown(_webhooks().get(place.owner(**parts), webhook)))

    @blueprint.route(item, methods=["PATCH"])
    @place.describe(shown, errors=[*missing, *BODY_ERRORS, "invalid_parameter"], headers=[IDEMPOTENCY_KEY])
    @place.named("change_{}_webhook")
    @takes(WebhookChanges, "The changes.")
    def change(body: dict[str, Any], webhook: str, **parts: str) -> Response:
        """Change a webhook.

        A new URL must answer a challenge before it gets events; they wait until then. The change of `types`
        concerns events that are not queued yet.
        """
        owner = _owner_to_write(place, parts)
        if "url" in body:
            charge_receiver_request()
        return uncached_json(_shown(_webhooks().change(owner, webhook, body, bearer_token())))

    @blueprint.route(item, methods=["DELETE"])
    @place.describe(
        ResponseDoc(204, "There is no such webhook any more."),
        errors=[*missing, *_SENT],
        headers=[IDEMPOTENCY_KEY],
    )
    @place.named("delete_{}_webhook")
    def delete(webhook: str, **parts: str) -> Response:
        """Delete a webhook.

        With its deliveries; one that does not exist is deleted already. A receiver that answers 410 has the
        same effect.
        """
        _webhooks().delete(_owner_to_write(place, parts), webhook)
        return no_content()

    @blueprint.route(f"{item}/test", methods=["POST"])
    @place.describe(
        ResponseDoc(200, "The result.", WebhookTestResult),
        errors=[*missing, *_SENT, "invalid_body"],
        headers=[IDEMPOTENCY_KEY],
    )
    @place.named("test_{}_webhook")
    def test(webhook: str, **parts: str) -> Response:
        """Test a webhook.

        Sends a challenge to its URL, or a sentence if its format is that of a chat service, and reports the
        answer. If it is right, the webhook is active from then on, also one that was disabled, and belongs to
        the credential of the request.
        """
        owner = _owner_to_write(place, parts)
        charge_receiver_request()
        tested, reply = _webhooks().test(owner, webhook, bearer_token())
        view = {
            "webhook": _shown(tested),
            "http_status": reply.status,
            "duration_ms": reply.duration_ms,
            "problem": reply.problem or None,
        }
        return uncached_json(view)

    @blueprint.route(f"{item}/secret", methods=["POST"])
    @place.describe(
        ResponseDoc(200, "The webhook, with its new secret.", CreatedWebhook),
        errors=[*missing, *BODY_ERRORS, "invalid_parameter", "idempotency_key_reused"],
        headers=[IDEMPOTENCY_KEY],
    )
    @place.named("rotate_{}_webhook_secret")
    @takes(SecretRotation, "The new secret.")
    def rotate(body: dict[str, Any], webhook: str, **parts: str) -> Response:
        """Replace the secret of a webhook.

        For a time both secrets sign each request, so that receivers can change theirs without a gap.
        """
        owner, command = place.owner(**parts), command_from_request()
        rotated = _webhooks().rotate_secret(owner, webhook, command, body)
        return uncached_json(_secret_view(rotated))

    @blueprint.route(f"{item}/deliveries")
    @place.describe(ResponseDoc(200, "The deliveries.", DeliveryList), errors=[*missing, "not_acceptable"])
    @place.named("list_{}_webhook_deliveries")
    def list_deliveries(webhook: str, **parts: str) -> Response:
        """List the deliveries of a webhook.

        The latest 100, with the last attempt of each, and the time of the next.
        """
        found = _webhooks().messages(place.owner(**parts), webhook)
        return json_response({"deliveries": [delivery_view(message) for message in found]})

    @blueprint.route(f"{item}/deliveries/<delivery>/retry", methods=["POST"])
    @place.describe(
        ResponseDoc(200, "The delivery.", DeliveryView),
        errors=[*missing, *_SENT, "delivery_not_found"],
        headers=[IDEMPOTENCY_KEY],
    )
    @place.named("retry_{}_webhook_delivery")
    def retry(webhook: str, delivery: str, **parts: str) -> Response:
        """Send a delivery again.

        As soon as possible, with the same `webhook-id`, also if it was delivered. One that has failed comes
        after later events of its game.
        """
        owner = _owner_to_write(place, parts)
        charge_receiver_request()
        return uncached_json(delivery_view(_webhooks().retry(owner, webhook, delivery)))


def _owner_to_write(place: _Place, parts: dict[str, str]) -> str:
    """Return the owner, after checking the headers of a request that may be repeated as it is.

    :raises Problem: invalid_parameter, what `place.owner` raises.
    """
    owner = place.owner(**parts)
    command_from_request()
    return owner


def _link(place: _Place) -> dict[str, str]:
    game = THIS_GAME if place is _OF_GAME else {}
    return {**game, "webhook": "$response.body#/id"}


for _place in (_OF_PLAYER, _OF_GAME):
    _add_collection(_place)
    _add_item(_place)


def _shown(webhook: Webhook) -> dict[str, Any]:
    return webhook_view(webhook, collaborators().games.now_ms())


def _secret_view(webhook: Webhook) -> dict[str, Any]:
    return _shown(webhook) | {"secret": webhook.receiver.secret or None}
