"""How seats end: the words and the values that a seat keeps of its player's absence; see `games.absence`."""

from __future__ import annotations

from typing import Final, NamedTuple

from msgspec import Struct

from skye import Phase
from skye.words import Word

DAY_MS: Final = 86_400_000

SUBSTITUTE_BOT: Final = "greedy"
"""The bot that plays for players who resign, are taken over, or miss a deadline."""


class SeatEnd(Word):
    """How a seat ended: its player stayed, or gave it up, so that it cannot win."""

    PLAYED = "played", "its player, or its bot, stayed to the end."
    RESIGNED = "resigned", "its player left the game."
    OUT_OF_TIME = "out_of_time", "its player used up `budget_ms`."
    TOOK_OVER = (
        "took_over",
        (
            "the server took the seat over before the last round, and its player has made no decision of the "
            "own since then."
        ),
    )
    ABSENT = (
        "absent",
        (
            "the server has made more than half of all decisions of the seat. A seat that did not end as "
            "`played` cannot win."
        ),
    )


class Departure(Struct, frozen=True, kw_only=True):
    """When the server began to play a seat, and by which bot.

    :param at_ms: the deadline that was missed, or the time of the resignation.
    """

    bot: str
    round: int
    phase: Phase
    at_ms: int


class Takeover(Departure, frozen=True, kw_only=True):
    """The state of a seat that the server plays until its player returns.

    :param absent_ms: when it counts as absence, so that the others may end the game without its player.
    :param replaced: the bot at a URL that played the seat; None for its player.
    """

    absent_ms: int
    replaced: str | None = None


class Left(Departure, frozen=True, kw_only=True):
    """How a seat was given up finally: by a resignation, without time, or in the record of another game."""

    end: SeatEnd


class SeatOutcome(NamedTuple):
    """How a seat ended, or would end now.

    :param at_ms: the date on which it was given up; None if it was not, as for the three fields that follow.
    :param missed_deadlines: how many deadlines it has missed.
    :param server_decisions: how many of its decisions the server made.
    :param decisions: how many decisions its game has for it, from the beginning to the end.
    """

    end: SeatEnd = SeatEnd.PLAYED
    at_ms: int | None = None
    bot: str | None = None
    round: int | None = None
    phase: Phase | None = None
    missed_deadlines: int = 0
    server_decisions: int = 0
    decisions: int = 0
