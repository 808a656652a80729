"""Webhooks of a player key, and of a game: the same operations below two paths."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final, NamedTuple, TypeVar, cast

from flask import Blueprint, Response

from skye_server.contract.requests.webhooks import SecretRotation, WebhookChanges, WebhookToCreate
from skye_server.contract.responses.webhooks import (
    CreatedWebhook,
    DeliveryList,
    DeliveryView,
    ReplacedWebhook,
    WebhookList,
    WebhookTestResult,
    WebhookView,
)
from skye_server.games.authorization import require_host
from skye_server.games.views.game import timestamp
from skye_server.http.framework import collaborators
from skye_server.http.rate_limits import charge_webhook_request
from skye_server.http.request_parsing import bearer_token, command_from_request, takes
from skye_server.http.responses import json_response, no_content, uncached_json
from skye_server.openapi.documented_errors import BODY_ERRORS, GAME_ERRORS, HOST_ERRORS, PLAYER_KEY_ERRORS
from skye_server.openapi.operations import Describe, Link, ResponseDoc, Token
from skye_server.openapi.parameters import IDEMPOTENCY_KEY
from skye_server.resources.games import THIS_GAME
from skye_server.store.shards import PLAYER_OWNER
from skye_server.store.webhook_entries import NO_GAME, player_owner
from skye_server.webhooks.game_events import cursor_at, encode_cursor
from skye_server.webhooks.records import Delivery, Webhook
from skye_server.webhooks.webhooks import Webhooks

blueprint = Blueprint("Webhooks", __name__, url_prefix="/v1")

_SENT: Final = ("bad_request", "body_too_large", "invalid_parameter")
"""The codes of operations that read only the headers of a request."""

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
    return player_owner(collaborators().games.identities.require_player(bearer_token()))


def _last_player_event() -> str:
    games = collaborators().games
    return games.players.last_event(games.identities.require_player(bearer_token()))


def _game(game: str) -> str:
    require_host(collaborators().games.read(game, bearer_token()).caller)
    return game


def _last_event(game: str) -> str:
    return encode_cursor(cursor_at(collaborators().games.repository.current(game)))


_OF_PLAYER: Final = _Place(
    "/me/webhooks", "own", Token.PLAYER, PLAYER_KEY_ERRORS, _player, _last_player_event
)
_OF_GAME: Final = _Place(
    "/games/<game>/webhooks", "game", Token.REQUIRED, (*GAME_ERRORS, *HOST_ERRORS), _game, _last_event
)


def _webhooks() -> Webhooks:
    return collaborators().webhooks


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
        errors=[*BODY_ERRORS, "invalid_parameter", "idempotency_key_reused", "too_many_webhooks"],
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
        """
        owner = place.owner(**parts)
        charge_webhook_request()
        webhook = _webhooks().create(owner, command_from_request(), body, place.cursor(**parts))
        location = f"/v1{place.path}/{webhook.id}".replace("<game>", parts.get("game", ""))
        return uncached_json(_secret_view(webhook), 201, [("Location", location)])

    @blueprint.route(place.path)
    @place.describe(ResponseDoc(200, "The webhooks.", WebhookList), errors=["not_acceptable"])
    @place.named("list_{}_webhooks")
    def list_all(**parts: str) -> Response:
        """List the webhooks.

        Without their secrets, which the server shows only when they are made.
        """
        found = _webhooks().of(place.owner(**parts))
        return json_response({"webhooks": [_view(webhook) for webhook in found]})


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
        return json_response(_view(_webhooks().get(place.owner(**parts), webhook)))

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
            charge_webhook_request()
        return uncached_json(_view(_webhooks().change(owner, webhook, body, bearer_token())))

    @blueprint.route(item, methods=["DELETE"])
    @place.describe(
        ResponseDoc(204, "There is no such webhook any more."),
        errors=[*missing, *_SENT],
        headers=[IDEMPOTENCY_KEY],
    )
    @place.named("delete_{}_webhook")
    def delete(webhook: str, **parts: str) -> Response:
        """Delete a webhook.

        With its deliveries. A receiver that answers 410 has the same effect.
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

        Sends a challenge to its URL, and reports the answer. If it is right, the webhook is active from then
        on, also one that was disabled, and belongs to the credential of the request.
        """
        owner = _owner_to_write(place, parts)
        charge_webhook_request()
        tested, reply = _webhooks().test(owner, webhook, bearer_token())
        view = {
            "webhook": _view(tested),
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
        found = _webhooks().deliveries(place.owner(**parts), webhook)
        return json_response({"deliveries": [delivery_view(delivery) for delivery in found]})

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
        charge_webhook_request()
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


def _time(ms: int | None) -> str | None:
    return None if ms is None else timestamp(ms)


def _view(webhook: Webhook) -> dict[str, Any]:
    is_rotating = collaborators().games.now_ms() < webhook.old_until_ms
    return {
        "id": webhook.id,
        "url": webhook.url,
        "types": webhook.types,
        "description": webhook.description,
        "status": webhook.status,
        "problem": webhook.problem or None,
        "created_at": timestamp(webhook.created_ms),
        "old_secret_until": timestamp(webhook.old_until_ms) if is_rotating else None,
    }


def _secret_view(webhook: Webhook) -> dict[str, Any]:
    return _view(webhook) | {"secret": webhook.secret or None}


def replaced_view(webhook: Webhook) -> ReplacedWebhook:
    """Return a webhook that was made with a replaced credential as the API shows it."""
    game = None if webhook.owner.startswith(PLAYER_OWNER) else webhook.owner
    return cast("ReplacedWebhook", _view(webhook) | {"game_id": game})


def delivery_view(delivery: Delivery) -> dict[str, Any]:
    """Return a delivery as the API shows it."""
    return {
        "id": delivery.id,
        "type": delivery.type,
        "game_id": None if delivery.game == NO_GAME else delivery.game,
        "status": delivery.status,
        "attempts": delivery.attempt,
        "http_status": delivery.http_status,
        "duration_ms": delivery.duration_ms,
        "problem": delivery.error or None,
        "created_at": timestamp(delivery.created_ms),
        "attempted_at": _time(delivery.at_ms),
        "next_attempt_at": _time(delivery.next_ms),
    }
