"""Matchmaking: create, list, get and cancel the tickets of a player."""

from __future__ import annotations

from typing import Any

from flask import Blueprint, Response

from skye_server.games.creation import check_seats
from skye_server.http.framework import collaborators
from skye_server.http.rate_limits import charge_creation
from skye_server.http.request_parsing import charged_player, command_from_request, reading_player, takes
from skye_server.http.responses import json_response, uncached_json
from skye_server.matchmaking import requests, responses, tickets
from skye_server.openapi.documented_errors import BODY_ERRORS
from skye_server.openapi.operations import Link, ResponseDoc, of_player
from skye_server.openapi.parameters import IDEMPOTENCY_KEY

blueprint = Blueprint("Matchmaking", __name__, url_prefix="/v1/matchmaking")

_LINKS = [
    Link("get_ticket", "The status of the ticket.", {"ticket": "$response.body#/id"}),
    Link("cancel_ticket", "Stop waiting.", {"ticket": "$response.body#/id"}),
]


@blueprint.route("/tickets", methods=["POST"])
@of_player(
    ResponseDoc(201, "The new ticket.", responses.Ticket, headers=["Location"], links=_LINKS),
    ResponseDoc(
        200, "The ticket that the player has already.", responses.Ticket, headers=["Location"], links=_LINKS
    ),
    errors=[*BODY_ERRORS, "invalid_parameter", "idempotency_key_reused", "too_many_games"],
    headers=[IDEMPOTENCY_KEY],
)
@takes(requests.TicketToCreate, "The seats and options of the game.")
def create_ticket(body: dict[str, Any]) -> Response:
    """Create a ticket.

    The player of the key waits for others whose tickets have the same rules, `seat_count` and `options`. As
    soon as there are enough players, the server starts a public game with all of them, in random seats; it
    has no host. The events `seat_taken` and `your_turn` of the key announce it; polling the ticket shows it
    too. If there are not enough players within `ttl_ms`, the ticket expires: event `ticket_expired`.

    If a ticket of the player with the same values waits, or was matched in the last ten seconds and its game
    goes on, the response is that ticket, with status 200.
    """
    charge_creation(1)
    command, games = command_from_request(), collaborators().games
    ruleset = games.ruleset(body.get("ruleset"))
    check_seats(ruleset, body["seat_count"])
    criteria = {"ruleset": ruleset.id, "seats": body["seat_count"], "options": body["options"]}
    ticket, is_new = tickets.create_ticket(games, command, body["name"], criteria, body["ttl_ms"])
    location = f"/v1/matchmaking/tickets/{ticket.id}"
    return uncached_json(ticket.view, 201 if is_new else 200, [("Location", location)])


@blueprint.route("/tickets")
@of_player(ResponseDoc(200, "The tickets.", responses.TicketList), errors=["not_acceptable"])
def list_tickets() -> Response:
    """List the tickets of a player key that wait.

    The oldest come first, at most 1,000 of them.
    """
    found = tickets.list_tickets(collaborators().games, charged_player())
    return json_response({"tickets": [ticket.view for ticket in found]})


@blueprint.route("/tickets/<ticket>")
@of_player(
    ResponseDoc(200, "The ticket.", responses.Ticket),
    errors=["not_acceptable", "not_found", "ticket_not_found"],
)
def get_ticket(ticket: str) -> Response:
    """Get a ticket.

    The server stores tickets for a day.
    """
    found = tickets.get_ticket(collaborators().games, reading_player(), ticket)
    return json_response(found.view)


@blueprint.route("/tickets/<ticket>", methods=["DELETE"])
@of_player(
    ResponseDoc(200, "The ticket as it is now.", responses.Ticket),
    errors=["invalid_parameter", "bad_request", "body_too_large", "not_found", "ticket_not_found"],
    headers=[IDEMPOTENCY_KEY],
)
def cancel_ticket(ticket: str) -> Response:
    """Cancel a ticket.

    Cancelling a matched ticket has no effect: its game has begun.
    """
    found = tickets.cancel_ticket(collaborators().games, command_from_request(), ticket)
    return uncached_json(found.view)
