"""The bot at a URL that plays a seat: bind and release it, and read what was sent to it."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

from flask import Blueprint, Response

from skye_server.commands.views import TakenSeatView, changed_view
from skye_server.contract.creation import UrlBot
from skye_server.error_codes import Problem
from skye_server.games.authorization import require_seat
from skye_server.http.framework import collaborators, url_bots
from skye_server.http.request_parsing import bearer_token, command_from_request, takes
from skye_server.http.responses import game_response, json_response, tag_to_match, uncached_json
from skye_server.openapi.documented_errors import BODY_ERRORS, GAME_ERRORS, OWN_SEAT_ERRORS
from skye_server.openapi.operations import OWN_VIEW, Describe, ResponseDoc, Token, writes
from skye_server.outgoing.messages import DeliveryList, delivery_view
from skye_server.url_bots.bots import bot_messages, delete_bots
from skye_server.url_bots.commands import authorize_bot, bind_bot, release_bot
from skye_server.url_bots.sent import TAG

blueprint = Blueprint(TAG, __name__, url_prefix="/v1/games/<game>/players/<seat:seat>/bot")

_OVER = ("game_aborted", "game_finished")
_BINDING = ("too_many_changes", "seat_played_by_bot", "bot_unreachable")


@blueprint.route("", methods=["PUT"])
@writes(
    ResponseDoc(200, "The seat, and the secret of its bot.", TakenSeatView),
    errors=[*BODY_ERRORS, *OWN_SEAT_ERRORS, *_OVER, *_BINDING],
)
@takes(UrlBot, "The bot.")
def bind_bot_at_url(body: dict[str, Any], game: str, seat: int) -> Response:
    """Let a bot at a URL play a seat.

    The holder of the seat keeps the token or the key, and can release the bot again. The host does the same
    for a seat that only a bot at a URL has. The URL must repeat a challenge first; it gets each decision of
    the seat from then on (`send_decision` in `webhooks`).

    The server shows the secret only in this response.
    """
    games, command = collaborators().games, command_from_request()
    authorize_bot(*games.read(game, command.token), seat)
    with url_bots().of_player(command, body) as secret:
        changed, replaced = bind_bot(games, command, game, seat, body["url_bot"])
    with suppress(Problem):  # as in `delete_bots`
        # A late retry keeps the current bot, and the messages to one that the server has replaced show why.
        kept = {seat.url_bot for seat in games.stored.read(game).seats if seat.bot is not None}
        delete_bots(games.store, *{replaced, body["url_bot"]} - kept)
    number = require_seat(changed.game, changed.caller, seat)
    view: TakenSeatView = {"seat": number, "token": None, "secret": secret, "game": changed_view(changed)}
    return uncached_json(view, headers=[("ETag", tag_to_match(changed))])


@blueprint.route("", methods=["DELETE"])
@writes(OWN_VIEW, errors=[*OWN_SEAT_ERRORS, *_OVER, "seat_without_url_bot"])
def release_bot_at_url(game: str, seat: int) -> Response:
    """Release the bot at a URL of a seat.

    The holder of the seat plays on. A seat without a holder is played by a bot of the server from then on.
    The server deletes the URL, the secret and the deliveries.
    """
    games, command = collaborators().games, command_from_request()
    changed = release_bot(games, command, game, seat)
    with suppress(Problem):  # as in `delete_bots`
        current, caller = games.read(game, command.token)
        released = current.seats[require_seat(current, caller, seat)]
        if not released.has_url_bot:  # a retry may come after another bot was bound
            delete_bots(games.store, released.url_bot)
    return game_response(changed)


@blueprint.route("/deliveries")
@Describe(
    [ResponseDoc(200, "The deliveries.", DeliveryList)],
    [*GAME_ERRORS, *OWN_SEAT_ERRORS, "not_acceptable"],
    Token.REQUIRED,
)
def list_bot_deliveries(game: str, seat: int) -> Response:
    """List the decisions that were sent to the bot at a URL of a seat.

    The latest 100, with the reason if the bot has not made one; none for a seat without such a bot. For the
    holder of the seat. The host lists those of a seat that only a bot at a URL has.
    """
    games = collaborators().games
    current, caller = games.read(game, bearer_token())
    number = authorize_bot(current, caller, seat)
    found = bot_messages(games.store, current.seats[number].url_bot)
    return json_response({"deliveries": [delivery_view(message) for message in found]})
