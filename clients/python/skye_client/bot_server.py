"""A web server for a bot: it answers the signed requests in which a server of the API sends decisions."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Mapping
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from random import Random
from typing import Any, Final, cast

from skye_client import models as m
from skye_client import webhooks
from skye_client.bot_errors import explained
from skye_client.errors import InvalidWebhookError
from skye_client.turns import Decide, Turn, completed

MAX_BODY: Final = 4_000_000
"""The maximum length of a request in bytes; a decision has up to 2,000 actions."""

_TIMEOUT_S: Final = 30.0
_LOG: Final = logging.getLogger("skye_client")


def answer(
    body: bytes, headers: Mapping[str, str], decide: Decide, secret: str
) -> tuple[HTTPStatus, Mapping[str, Any]]:
    """Return the status and the body of the response to a request, for any web framework.

    :param body: the body as it was received.
    :param headers: the headers.
    :param decide: chooses an action. When it raises an exception, or returns no legal action, the status is
        500 and the log `skye_client` has the reason, with the lines of the bot; the server asks again, and
        then decides for the bot.
    :param secret: the secret `whsec_...` of the bot.
    """
    try:
        message: Mapping[str, Any] = webhooks.unwrap(body, headers, secret)
    except InvalidWebhookError as error:
        return HTTPStatus.UNAUTHORIZED, {"detail": str(error)}
    if message["type"] == "webhook_challenge":
        return HTTPStatus.OK, {"challenge": message["data"]["challenge"]}
    if message["type"] != "decision":
        return HTTPStatus.BAD_REQUEST, {"detail": "This is a bot: it answers decisions."}
    try:
        turn = turn_of(cast("m.DecisionMessage", message), f"{secret}/{_message_id(headers)}")
        chosen = dict(completed(decide(turn), turn.actions))
        json.dumps(chosen)
    except Exception as error:  # noqa: BLE001 - of the bot; its log has the reason
        _LOG.error("The bot made no decision: %s", explained(error))
        return HTTPStatus.INTERNAL_SERVER_ERROR, {"detail": "The bot made no decision."}
    return HTTPStatus.OK, chosen


def turn_of(message: m.DecisionMessage, seed: str) -> Turn:
    """Return the turn of a message.

    :param seed: the seed of `turn.rng`. That of the secret and the id of the message gives a repeated request
        the same choices, and nobody else can predict them.
    """
    data = message["data"]
    rng = Random(seed)  # noqa: S311 - moves are no secrets
    return Turn(data["game"], data["actions"], rng=rng, time_left_ms=data["time_left_ms"])


def make_server(decide: Decide, secret: str, host: str = "127.0.0.1", port: int = 0) -> ThreadingHTTPServer:
    """Return a web server for a bot, at every path; each request has a thread.

    :param port: the port; 0 takes a free one, which `server.server_port` has.
    :raises OSError: when the address cannot be bound.
    """
    handler = type("_Handler", (_BotHandler,), {"respond": staticmethod(_responder(decide, secret))})
    return ThreadingHTTPServer((host, port), handler)


def _responder(decide: Decide, secret: str) -> Callable[[bytes, Mapping[str, str]], Any]:
    return lambda body, headers: answer(body, headers, decide, secret)


class _BotHandler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = _TIMEOUT_S
    respond: Callable[[bytes, Mapping[str, str]], tuple[HTTPStatus, Mapping[str, Any]]]

    def do_POST(self) -> None:
        length = self.headers.get("Content-Length", "")
        if not (length.isascii() and length.isdecimal()):
            self._send(HTTPStatus.LENGTH_REQUIRED, {"detail": "Send Content-Length."})
        elif len(length) > len(str(MAX_BODY)) or int(length) > MAX_BODY:
            self._send(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, {"detail": "The request is too large."})
        else:
            headers = {name: value for name, value in self.headers.items()}  # noqa: C416 - no multiple values
            self._send(*self.respond(self.rfile.read(int(length)), headers), close=False)

    def _send(self, status: HTTPStatus, body: Mapping[str, Any], *, close: bool = True) -> None:
        data = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        if close:  # the body has not been read
            self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - of the base class
        _LOG.debug(format, *args)


def _message_id(headers: Mapping[str, str]) -> str:
    return next((value for name, value in headers.items() if name.lower() == "webhook-id"), "")
