"""Matchmaking: create, list, get and cancel the tickets of a player."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, Final, TypedDict

from flask import Blueprint, Response
from marshmallow import validates_schema

from skye import TieBreak
from skye.fields import Count, Keywords, RulesetName, Seat
from skye.rulesets import MAX_PLAYERS, MIN_PLAYERS
from skye_server.contract import enums
from skye_server.contract.creation import MIN_TURN_MS, check_increment
from skye_server.contract.fields import Boolean, Integer, Name, OneOf, StringEnum
from skye_server.contract.objects import NestedObject, Object
from skye_server.features import fields_of, installed
from skye_server.games.creation import check_seats
from skye_server.games.game import OnTimeout
from skye_server.games.views.fields import GameId, PlayerName, SeatCount, Timestamp
from skye_server.games.views.player_events import TicketId
from skye_server.http.framework import collaborators
from skye_server.http.rate_limits import TICKET_KB, charge_creation, charge_stored
from skye_server.http.request_parsing import charged_player, command_from_request, player_of_request, takes
from skye_server.http.responses import json_response, uncached_json
from skye_server.matchmaking import pools, tickets
from skye_server.matchmaking.tickets import MAX_TICKETS
from skye_server.openapi.components import IDEMPOTENCY_KEY
from skye_server.openapi.documented_errors import BODY_ERRORS
from skye_server.openapi.operations import Link, ResponseDoc, of_player


class TicketStatus(StringEnum):
    """The status of a ticket.

    There may be new ones.
    """

    extensible = True
    choices = pools.TicketStatus


DAY_MS: Final = 86_400_000
"""The time for a decision if a ticket names none, and the longest budget, in milliseconds."""

MAX_TURN_MS: Final = 3 * DAY_MS
"""The longest time for a decision of a game of strangers, in milliseconds."""


class TicketOptionsToSet(Object):
    """The options that the players of a game agree on. Each decision has a time limit."""

    turn_ms = Integer(
        MIN_TURN_MS,
        MAX_TURN_MS,
        "Milliseconds for each decision, at most three days; a day if left out, also beside `budget_ms`.",
        allow_none=True,
        load_default=DAY_MS,
    )
    budget_ms = Integer(
        MIN_TURN_MS,
        DAY_MS,
        "Milliseconds of each seat for the whole game, at most a day; no limit if left out.",
        allow_none=True,
    )
    increment_ms = Integer(
        0,
        DAY_MS,
        "Milliseconds that each decision of a seat adds to what it has left of `budget_ms`; 0 if left out.",
        load_default=0,
    )
    on_timeout = OneOf(
        [OnTimeout.BOT],
        "What happens when a seat misses its deadline: always `bot`.",
        load_default=str(OnTimeout.BOT),
    )
    tie_break = enums.TieBreakRule(
        "What breaks a tie; `leftover_gold` if left out.", load_default="leftover_gold"
    )
    open_gold = Boolean("Whether all gold is public; `false` if left out.", load_default=False)

    @validates_schema
    def _has_budget(self, data: dict[str, Any], **_: Any) -> None:
        check_increment(data)


class TicketToCreate(Object):
    """A ticket for a game with other players whose tickets have the same rules, seats and options."""

    name = Name("The player's name; the server adds a number if another player has it.", required=True)
    seat_count = Integer(MIN_PLAYERS, MAX_PLAYERS, "The number of seats.", required=True)
    ruleset = enums.RulesetName("The rules; `base`, or its correction, if left out.")
    options = NestedObject(
        TicketOptionsToSet,
        "The options; the server matches only tickets with equal options.",
        load_default=lambda: TicketOptionsToSet().load({}),
    )
    ttl_ms = Integer(
        1000,
        3_600_000,
        "After how many milliseconds the ticket expires; five minutes if left out.",
        load_default=300_000,
    )

    class Meta:
        """The fields of features."""

        include = fields_of("TicketToCreate")


class TicketOptionsView(TypedDict):
    """The options that the players of a game agree on."""

    turn_ms: Annotated[Count, Keywords(maximum=MAX_TURN_MS), "Milliseconds for each decision."]
    budget_ms: Annotated[
        Count | None, Keywords(maximum=DAY_MS), "Milliseconds of each seat for the game; null: no limit."
    ]
    increment_ms: Annotated[
        Count, Keywords(maximum=DAY_MS), "Milliseconds that each decision of a seat adds to them."
    ]
    on_timeout: Annotated[OnTimeout, "What happens when a seat misses its deadline."]
    tie_break: Annotated[TieBreak, "What breaks a tie."]
    open_gold: Annotated[bool, "Whether all gold is public."]


class Ticket(TypedDict):
    """A matchmaking ticket: a player waits for others whose tickets have the same seats and options."""

    id: Annotated[TicketId, "The id of the ticket."]
    status: Annotated[pools.TicketStatus, "The status of the ticket."]
    name: Annotated[PlayerName, "The player's name; in the game, a number may follow it."]
    ruleset: RulesetName
    seat_count: SeatCount
    options: Annotated[TicketOptionsView, "The options of the game."]
    expires_at: Annotated[Timestamp, "When the ticket stops waiting."]
    game_id: Annotated[GameId | None, "The id of the game; null until the ticket is matched."]
    seat: Annotated[Seat | None, "The player's seat in the game; null without one."]


class TicketList(TypedDict):
    """The tickets of a player that wait."""

    tickets: Annotated[Sequence[Ticket], Keywords(maxItems=MAX_TICKETS), "The tickets, the oldest first."]


blueprint = Blueprint("Matchmaking", __name__, url_prefix="/v1/matchmaking")

_LINKS = [
    Link("get_ticket", "The status of the ticket.", {"ticket": "$response.body#/id"}),
    Link("cancel_ticket", "Stop waiting.", {"ticket": "$response.body#/id"}),
]


@blueprint.route("/tickets", methods=["POST"])
@of_player(
    ResponseDoc(201, "The new ticket.", Ticket, headers=["Location"], links=_LINKS),
    ResponseDoc(200, "The ticket that the player has already.", Ticket, headers=["Location"], links=_LINKS),
    errors=[
        *BODY_ERRORS,
        "invalid_parameter",
        "idempotency_key_reused",
        "too_many_games",
        "storage_full",
        *(code for feature in installed() for code in feature.pairing_errors),
    ],
    headers=[IDEMPOTENCY_KEY],
)
@takes(TicketToCreate, "The seats and options of the game.")
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
    charge_stored(TICKET_KB)
    command, games = command_from_request(), collaborators().games
    ruleset = games.ruleset(body.get("ruleset"))
    check_seats(ruleset, body["seat_count"])
    more = {name: body[name] for name in fields_of("TicketToCreate")}
    criteria = {
        "ruleset": ruleset.id,
        "seats": body["seat_count"],
        "options": body["options"],
        "more": more,
    }
    ticket, is_new = tickets.create_ticket(games, command, body["name"], criteria, body["ttl_ms"])
    location = f"/v1/matchmaking/tickets/{ticket.id}"
    return uncached_json(ticket.view, 201 if is_new else 200, [("Location", location)])


@blueprint.route("/tickets")
@of_player(ResponseDoc(200, "The tickets.", TicketList), errors=["not_acceptable"])
def list_tickets() -> Response:
    """List the tickets of a player key that wait.

    The oldest come first, at most 1,000 of them.
    """
    found = tickets.list_tickets(collaborators().games, charged_player())
    return json_response({"tickets": [ticket.view for ticket in found]})


@blueprint.route("/tickets/<ticket>")
@of_player(
    ResponseDoc(200, "The ticket.", Ticket),
    errors=["not_acceptable", "not_found", "ticket_not_found"],
)
def get_ticket(ticket: str) -> Response:
    """Get a ticket.

    The server stores tickets for a day.
    """
    found = tickets.get_ticket(collaborators().games, player_of_request(), ticket)
    return json_response(found.view)


@blueprint.route("/tickets/<ticket>", methods=["DELETE"])
@of_player(
    ResponseDoc(200, "The ticket as it is now.", Ticket),
    errors=["invalid_parameter", "bad_request", "body_too_large", "not_found", "ticket_not_found"],
    headers=[IDEMPOTENCY_KEY],
)
def cancel_ticket(ticket: str) -> Response:
    """Cancel a ticket.

    Cancelling a matched ticket has no effect: its game has begun.
    """
    found = tickets.cancel_ticket(collaborators().games, command_from_request(), ticket)
    return uncached_json(found.view)
