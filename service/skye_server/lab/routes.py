"""The laboratory of a server for testers; see `skye_server.lab.fault_injection` for injected faults."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from typing import Annotated, Any, Final, TypeAlias, TypedDict

import msgspec
from flask import Blueprint, Response, request
from marshmallow import fields

from skye.fields import Component, Count, Keywords
from skye_server.contract.fields import Boolean, Integer
from skye_server.contract.moves import ClockAdvance
from skye_server.contract.objects import Object, json_or_none
from skye_server.error_codes import UNREADABLE, FieldError, Problem
from skye_server.games.player_events import BotMessageType
from skye_server.games.seat_changes import MAX_AHEAD_MS
from skye_server.games.views.fields import Timestamp
from skye_server.games.views.game import time_view, timestamp
from skye_server.http.framework import collaborators, feature
from skye_server.http.request_parsing import body_of, takes
from skye_server.http.responses import JSON, no_content, uncached_json
from skye_server.lab import fault_header
from skye_server.lab.enums import FaultyMethod
from skye_server.lab.fault_injection import apply, fault_of, stored_fault
from skye_server.lab.store import Laboratory
from skye_server.openapi.components import FAULT
from skye_server.openapi.documented_errors import BODY_ERRORS, STORE_ERRORS
from skye_server.openapi.operations import Describe, ResponseDoc, operation, text
from skye_server.outgoing.challenges import CHALLENGE

blueprint = Blueprint("Lab", __name__, url_prefix="/v1/lab")


MAX_FAULTY_REQUESTS = 1_000
"""How many requests of a game can have a fault in advance."""

MAX_FAULT_LENGTH = 200

FAULT_KEYWORDS: Final[dict[str, Any]] = {
    "minLength": 1,
    "maxLength": MAX_FAULT_LENGTH,
    "pattern": r"^[a-z_]+(=[0-9]+)?(, ?[a-z_]+(=[0-9]+)?)*$",
    "examples": ["status=503"],
}


class Fault(fields.String):
    """Faults, as in the header `Skye-Fault`."""

    def __init__(self, description: str, **kwargs: Any) -> None:
        super().__init__(metadata={"description": description, **FAULT_KEYWORDS}, **kwargs)


class GameFault(Object):
    """The fault of the next requests of a game."""

    fault = Fault("The fault, as in the header `Skye-Fault`.", required=True)
    requests = Integer(
        1, MAX_FAULTY_REQUESTS, "How many requests have the fault; 1 if left out.", load_default=1
    )
    method = FaultyMethod("The method of these requests; any if left out.", load_default=None)


class InboxAnswer(Object):
    """How an inbox answers requests that are no challenges, or these too."""

    status = Integer(200, 599, "The status; 204 if left out.", load_default=204)
    body = fields.Raw(
        load_default=None,
        allow_none=True,
        metadata={"description": "The body, any JSON; none if left out."},
    )
    fault = Fault("A fault of the response, as in `Skye-Fault`; none if left out.", load_default=None)
    challenges = Boolean("Whether it answers challenges; true if left out.", load_default=True)
    plays = Boolean(
        "Whether it answers decisions of bots at URLs with the first legal action; false if left out.",
        load_default=False,
    )


MAX_INBOX_BODY: Final = 65_536
_Header: TypeAlias = Annotated[str, Keywords(maxLength=1024)]

_Path: TypeAlias = Annotated[str, Keywords(maxLength=60)]


class EmptiedLab(TypedDict):
    """The result of deleting all games."""

    deleted: Annotated[Count, "The number of deleted games."]


class Lab(TypedDict):
    """The laboratory: its clock, and the paths of its functions."""

    now: Annotated[Timestamp, "The time of the server."]
    ahead_ms: Annotated[
        Count, Keywords(maximum=MAX_AHEAD_MS), "How far the server's clock is ahead of the real time."
    ]
    clock: Annotated[_Path, "Where to advance the clock."]
    games: Annotated[_Path, "Where to delete all games."]
    faults: Annotated[_Path, "Where to set the faults of a game."]
    hunts: Annotated[_Path | None, "Where to open bug hunts; null without the plug-in of bug hunts."]
    inbox: Annotated[_Path, "Where to receive webhooks."]


class RemainingFault(TypedDict):
    """The fault of the next requests of a game."""

    fault: Annotated[str | None, Keywords(**FAULT_KEYWORDS), "The fault; null if there is none."]
    requests: Annotated[
        Count, Keywords(maximum=MAX_FAULTY_REQUESTS), "How many more requests have the fault."
    ]
    method: Annotated[str | None, Component("FaultyMethod"), "The method of these requests; null: any."]


class InboxAnswerView(TypedDict):
    """How an inbox answers."""

    status: Annotated[int, Keywords(minimum=200, maximum=599), "The status."]
    body: Annotated[str | None, Keywords(maxLength=MAX_INBOX_BODY), "The body as text; null for none."]
    fault: Annotated[str | None, Keywords(**FAULT_KEYWORDS), "The fault of the response; null for none."]
    challenges: Annotated[bool, "Whether it answers challenges."]
    plays: Annotated[bool, "Whether it answers decisions with the first action."]


class InboxMessage(TypedDict):
    """A request to an inbox."""

    received_at: Annotated[Timestamp, "When it arrived."]
    webhook_id: Annotated[_Header | None, "Its header `webhook-id`."]
    webhook_timestamp: Annotated[_Header | None, "Its header `webhook-timestamp`."]
    webhook_signature: Annotated[_Header | None, "Its header `webhook-signature`."]
    body: Annotated[str, Keywords(maxLength=MAX_INBOX_BODY), "Its body as text."]


class Inbox(TypedDict):
    """An inbox: the requests to it, and how it answers them."""

    messages: Annotated[Sequence[InboxMessage], Keywords(maxItems=100), "The requests, the latest first."]
    answer: Annotated[InboxAnswerView, "How it answers."]


_SIGNED = ("webhook-id", "webhook-timestamp", "webhook-signature")
_INBOX_ERRORS = (*STORE_ERRORS, "lab_off", "not_found")
_lab_operation = partial(operation, headers=[FAULT])
_GAME_ERRORS = (*STORE_ERRORS, "lab_off", "not_found", "game_not_found", *UNREADABLE)


@blueprint.route("")
@_lab_operation(ResponseDoc(200, "The laboratory.", Lab), errors=[*STORE_ERRORS, "lab_off"])
def get_lab() -> Response:
    """Get the laboratory.

    The time of the server, and the paths of the functions for testers.
    """
    return _lab_response(_lab())


@blueprint.route("/clock", methods=["POST"])
@_lab_operation(ResponseDoc(200, "The laboratory.", Lab), errors=[*BODY_ERRORS, *STORE_ERRORS, "lab_off"])
@takes(ClockAdvance, "How far to advance the clock.")
def advance_lab_clock(body: dict[str, Any]) -> Response:
    """Advance the clock of a lab server.

    All that expires does so earlier by this time: games, idempotency records, tickets and
    replaced player keys. Deadlines of games with a real clock pass; manual clocks of games stand still. The
    clock runs on, and returns to the real time when all games are deleted.
    """
    lab = _lab()
    lab.advance_clock(body["advance_ms"])
    return _lab_response(lab)


@blueprint.route("/games/<game>/faults", methods=["PUT"])
@_lab_operation(ResponseDoc(200, "The fault.", RemainingFault), errors=[*BODY_ERRORS, *_GAME_ERRORS])
@takes(GameFault, "The fault.")
def set_game_faults(body: dict[str, Any], game: str) -> Response:
    """Set the fault of the next requests of a game.

    The server injects the fault into the next requests below `/v1/games/{game}`, for clients that cannot send
    `Skye-Fault`. A request counts if its method is the given one; faults of event streams apply to and
    count streams only. Requests with `Skye-Fault` and preflight requests do not count. The fault replaces
    the one before, and is dropped after a day.
    """
    lab = _lab_with(game)
    _check_fault(body["fault"], is_stream=True)
    lab.store.set_faults(game, stored_fault(body["method"], body["fault"]), body["requests"])
    return _faults_response(lab, game)


@blueprint.route("/games/<game>/faults")
@_lab_operation(ResponseDoc(200, "The fault.", RemainingFault), errors=_GAME_ERRORS)
def get_game_faults(game: str) -> Response:
    """Get the fault of the next requests of a game.

    With the number of requests that still have it.
    """
    return _faults_response(_lab_with(game), game)


@blueprint.route("/games/<game>/faults", methods=["DELETE"])
@_lab_operation(ResponseDoc(200, "There is no fault any more.", RemainingFault), errors=_GAME_ERRORS)
def delete_game_faults(game: str) -> Response:
    """Remove the fault of the next requests of a game.

    The requests are handled as usual from then on.
    """
    lab = _lab_with(game)
    lab.store.set_faults(game, "", 0)
    return _faults_response(lab, game)


@blueprint.route("/games", methods=["DELETE"])
@_lab_operation(
    ResponseDoc(200, "The number of deleted games.", EmptiedLab), errors=[*STORE_ERRORS, "lab_off"]
)
def empty_lab() -> Response:
    """Delete all games of a lab server.

    The server deletes all its data: games, player keys with their games and events, the list, and the advance
    of its clock. The data of rulesets and other keys in the same Redis stay. Streams of the deleted games end
    with the reason `game_not_found`. A game that a client creates at the same time may stay.
    """
    _lab()
    return uncached_json({"deleted": collaborators().games.store.delete_all()})


@blueprint.route("/inbox/<inbox>", methods=["POST"])
@Describe(
    [
        ResponseDoc(200, "The answer that was set, of any status.", text("InboxBody")),
        ResponseDoc(204, "The request is stored."),
    ],
    errors=[*_INBOX_ERRORS, "bad_request", "body_too_large"],
    headers=[FAULT],
    body={
        "description": "Any body; that of a webhook is JSON.",
        "content": {JSON: {"schema": text("InboxBody")}},
    },
)
def receive_in_lab(inbox: str) -> Response:
    """Receive a webhook in an inbox.

    A receiver for tests: it stores the request, repeats challenges, and answers others with 204, or as `PUT`
    has set. Any name of up to 40 lower-case letters, digits and hyphens is an inbox.
    """
    lab, body = _inbox_lab(inbox), body_of(request)
    message = {name.lower().replace("-", "_"): request.headers.get(name) for name in _SIGNED}
    now = timestamp(collaborators().games.now_ms())
    text_of_body = body[:MAX_INBOX_BODY].decode(errors="replace")
    lab.store.receive(inbox, msgspec.json.encode({"received_at": now, **message, "body": text_of_body}))
    answer = _inbox_answer(lab, inbox)
    if answer["fault"] is not None:
        apply(fault_header.parse(answer["fault"], is_stream=False))
    if answer["challenges"] and (challenge := _found(body, CHALLENGE, "challenge")) is not None:
        return uncached_json({"challenge": challenge})
    if answer["plays"] and (actions := _found(body, BotMessageType.DECISION, "actions")):
        return uncached_json(actions[0])
    if answer["status"] == 204:
        return no_content()
    return uncached_json(msgspec.Raw((answer["body"] or "null").encode()), answer["status"], [])


@blueprint.route("/inbox/<inbox>", methods=["PUT"])
@_lab_operation(ResponseDoc(200, "The inbox.", Inbox), errors=[*BODY_ERRORS, *_INBOX_ERRORS])
@takes(InboxAnswer, "The answer.", required=False)
def set_lab_inbox_answer(body: dict[str, Any], inbox: str) -> Response:
    """Set the answer of an inbox.

    A status, a body such as an action, the first legal action of a bot at a URL (`plays`), and faults: a
    delay, a slow response, a broken connection.
    It answers all requests until another one is set, for a day.
    """
    lab = _inbox_lab(inbox)
    if body["fault"] is not None:
        _check_fault(body["fault"], is_stream=False)
    body["body"] = None if body["body"] is None else msgspec.json.encode(body["body"]).decode()
    lab.store.set_inbox_answer(inbox, msgspec.json.encode(body))
    return _inbox_response(lab, inbox)


@blueprint.route("/inbox/<inbox>")
@_lab_operation(ResponseDoc(200, "The inbox.", Inbox), errors=_INBOX_ERRORS)
def get_lab_inbox(inbox: str) -> Response:
    """Get an inbox.

    The latest 100 requests to it, with their signatures, and how it answers.
    """
    return _inbox_response(_inbox_lab(inbox), inbox)


@blueprint.route("/inbox/<inbox>", methods=["DELETE"])
@_lab_operation(ResponseDoc(200, "The empty inbox.", Inbox), errors=_INBOX_ERRORS)
def empty_lab_inbox(inbox: str) -> Response:
    """Empty an inbox.

    It has no requests any more, and answers as at first.
    """
    lab = _inbox_lab(inbox)
    lab.store.empty_inbox(inbox)
    return _inbox_response(lab, inbox)


def _inbox_lab(inbox: str) -> Laboratory:
    """Return the laboratory, after checking the name of an inbox.

    :raises Problem: lab_off, not_found.
    """
    lab = _lab()
    if not re.fullmatch(r"[a-z0-9-]{1,40}", inbox):
        raise Problem("not_found")
    return lab


def _inbox_answer(lab: Laboratory, inbox: str) -> dict[str, Any]:
    stored = lab.store.inbox_answer(inbox)
    found: dict[str, Any] = InboxAnswer().load({})
    return found if stored is None else found | msgspec.json.decode(stored)


def _inbox_response(lab: Laboratory, inbox: str) -> Response:
    messages = [msgspec.Raw(message) for message in lab.store.received(inbox)]
    return uncached_json({"messages": messages, "answer": _inbox_answer(lab, inbox)})


def _found(body: bytes, kind: str, name: str) -> Any:
    """Return a field of the data of a message, a string or a list; None if it is of another type."""
    with suppress(TypeError, LookupError):
        message = json_or_none(body)
        if message["type"] == kind and isinstance(message["data"][name], str | list):
            return message["data"][name]
    return None


def _lab() -> Laboratory:
    """Return the laboratory.

    :raises Problem: lab_off.
    """
    lab: Laboratory | None = feature("lab")
    if lab is None:
        raise Problem("lab_off")
    return lab


def _check_fault(fault: str, *, is_stream: bool) -> None:
    """Check a fault in the body.

    :raises Problem: invalid_body.
    """
    try:
        fault_header.parse(fault, is_stream=is_stream)
    except Problem as problem:
        errors = [FieldError("/fault", error.detail) for error in problem.errors or ()]
        raise Problem("invalid_body", errors=errors) from problem


def _lab_with(game: str) -> Laboratory:
    """Return the laboratory, after checking that a game exists.

    :raises Problem: lab_off, game_not_found, data_corrupt, data_newer, store_unavailable.
    """
    lab = _lab()
    collaborators().games.stored.read(game)
    return lab


def _lab_response(lab: Laboratory) -> Response:
    view = {
        **time_view(collaborators().games.now_ms()),
        "ahead_ms": lab.store.clock_ahead_ms(),
        "clock": "/v1/lab/clock",
        "games": "/v1/lab/games",
        "faults": "/v1/lab/games/{game}/faults",
        "hunts": "/v1/lab/hunts" if feature("hunts") else None,
        "inbox": "/v1/lab/inbox/{inbox}",
    }
    return uncached_json(view)


def _faults_response(lab: Laboratory, game: str) -> Response:
    stored, requests_left = lab.store.faults(game)
    method, fault = (None, None) if stored is None else fault_of(stored)
    return uncached_json({"fault": fault, "requests": requests_left, "method": method})
