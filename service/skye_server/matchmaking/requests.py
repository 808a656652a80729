"""The request body of matchmaking."""

from __future__ import annotations

from skye.rulesets import MAX_PLAYERS, MIN_PLAYERS
from skye_server.contract.creation import MIN_TURN_MS
from skye_server.contract.enums import RulesetName, TieBreakRule, TimeoutRule
from skye_server.contract.fields import Boolean, Integer, Name
from skye_server.contract.objects import NestedObject, Object
from skye_server.games.views.types import MAX_TURN_MS


class TicketOptionsToSet(Object):
    """The options that the players of a game agree on."""

    turn_ms = Integer(MIN_TURN_MS, MAX_TURN_MS, "Milliseconds for each decision; no deadline if left out.")
    on_timeout = TimeoutRule(
        "What happens when a seat misses its deadline; `auto` if left out.", load_default="auto"
    )
    tie_break = TieBreakRule("What breaks a tie; `leftover_gold` if left out.", load_default="leftover_gold")
    open_gold = Boolean("Whether all gold is public; `false` if left out.", load_default=False)


class TicketToCreate(Object):
    """A ticket for a game with other players whose tickets have the same rules, seats and options."""

    name = Name("The player's name; the server adds a number if another player has it.", required=True)
    seat_count = Integer(MIN_PLAYERS, MAX_PLAYERS, "The number of seats.", required=True)
    ruleset = RulesetName("The rules; `base`, or its correction, if left out.")
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
