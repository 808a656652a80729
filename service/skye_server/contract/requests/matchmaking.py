"""The request bodies of quick matches."""

from __future__ import annotations

from skye import PLAYERS
from skye_server.contract.enums import ChosenTieBreak, ChosenTimeoutRule
from skye_server.contract.fields import Boolean, Integer, Name
from skye_server.contract.objects import NestedObject, Object
from skye_server.contract.requests.creation import MIN_TURN_MS
from skye_server.games.views.fields import MAX_TURN_MS


class QuickMatchOptions(Object):
    """The options that the players of a quick match agree on."""

    turn_ms = Integer(MIN_TURN_MS, MAX_TURN_MS, "Milliseconds for each decision; no deadline if left out.")
    on_timeout = ChosenTimeoutRule(
        "What happens when a seat misses its deadline; `auto` if left out.", load_default="auto"
    )
    tie_break = ChosenTieBreak(
        "What breaks a tie; `leftover_gold` if left out.", load_default="leftover_gold"
    )
    open_gold = Boolean("Whether all gold is public; `false` if left out.", load_default=False)


class QuickMatchToSeek(Object):
    """A game with other players who asked for the same seats and options."""

    name = Name("The player's name; the server adds a number if another player has it.", required=True)
    seats = Integer(PLAYERS[0], PLAYERS[-1], "The number of players.", required=True)
    options = NestedObject(
        QuickMatchOptions,
        "The options; the server matches only players with equal options.",
        load_default=lambda: QuickMatchOptions().load({}),
    )
    wait_ms = Integer(
        1000,
        3_600_000,
        "How many milliseconds to wait for other players; five minutes if left out.",
        load_default=300_000,
    )
