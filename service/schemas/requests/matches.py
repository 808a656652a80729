"""What the service takes to seek a quick match."""

from __future__ import annotations

from service.schemas.enums import ChosenTieBreak, ChosenTimeoutRule
from service.schemas.fields import MAX_TURN_MS, Boolean, Integer
from service.schemas.objects import Object, One
from service.schemas.requests.creation import MIN_TURN_MS
from service.schemas.strings import Name
from skye import PLAYERS


class QuickMatchOptions(Object):
    """The options that the players of a quick match agree on."""

    turn_ms = Integer(MIN_TURN_MS, MAX_TURN_MS, "Milliseconds for each decision; no deadline if not given.")
    on_timeout = ChosenTimeoutRule(
        "Who decides for a seat that lets its deadline pass; `auto` if not given.", load_default="auto"
    )
    tie_break = ChosenTieBreak(
        "What breaks a tie; `leftover_gold` if not given.", load_default="leftover_gold"
    )
    open_gold = Boolean(
        "Whether every purse is shown to everybody; `false` if not given.", load_default=False
    )


class WishedMatch(Object):
    """A game with others who wish for the same."""

    name = Name("What the player is called; a number follows if another player has the name.", required=True)
    seats = Integer(PLAYERS[0], PLAYERS[-1], "How many players the game has.", required=True)
    options = One(
        QuickMatchOptions,
        "The options; only players with the same ones meet.",
        load_default=lambda: QuickMatchOptions().load({}),
    )
    wait_ms = Integer(
        1000,
        3_600_000,
        "How many milliseconds to wait for others; five minutes if not given.",
        load_default=300_000,
    )
