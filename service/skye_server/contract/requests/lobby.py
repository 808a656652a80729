"""The request bodies of the lobby and of manual clocks."""

from __future__ import annotations

from typing import Any

from marshmallow import Schema

from skye_server.contract.enums.games import SeatableBot
from skye_server.contract.enums.tiles import Color
from skye_server.contract.fields import Integer, InviteCode, Name, Seat
from skye_server.contract.objects import Constant, Object, Variants
from skye_server.contract.requests.webhooks import Secret, Url

MAX_ADVANCE_MS = 366 * 86_400_000
"""How far a clock can be advanced at once, in milliseconds: a year."""


class PersonToSeat(Object):
    """A person who takes a seat."""

    name = Name("The player's name.", required=True)
    color = Color("The player's colour; the first free one if left out.")


class PersonToJoin(PersonToSeat):
    """A person who takes a seat of an existing game."""

    seat = Seat("The seat to take; the lowest free one if left out.")
    invite_code = InviteCode("An invitation code, for a caller that sends a player key as the bearer token.")


class BotToSeat(Object):
    """A bot that takes a seat; only the host may seat one."""

    bot = SeatableBot("The bot that plays.", required=True)
    name = Name("The bot's name; the server chooses one if left out.")
    color = Color("The bot's colour; the first free one if left out.")


class UrlBot(Object):
    """A bot at a URL. The URL must repeat a challenge, as that of a webhook."""

    bot_url = Url("Where the server sends the decisions of the seat.", required=True)
    secret = Secret("The secret that signs requests; the server makes one if left out.")


class UrlBotToSeat(UrlBot):
    """A bot at a URL that takes a seat; only the host may seat one."""

    name = Name("The bot's name; the server chooses one if left out.")
    color = Color("The bot's colour; the first free one if left out.")


class UrlBotToJoin(UrlBotToSeat):
    """A bot at a URL that takes a seat of an existing game."""

    seat = Seat("The seat to take; the lowest free one if left out.")


class BotToJoin(BotToSeat):
    """A bot that takes a seat of an existing game."""

    seat = Seat("The seat to take; the lowest free one if left out.")


class PlayerToInvite(Object):
    """An invitation: the server reserves a seat for the holder of a single-use code."""

    invite = Constant(True, "Always true.")


class PlayerChanges(Object):
    """Changes to a player in the lobby."""

    min_properties = 1
    name = Name("The new name; unchanged if left out.")
    color = Color("The new colour; unchanged if left out.")


class PlayerToSeat(Variants):
    """A person or a bot that takes a seat."""

    variants = (PersonToJoin, BotToJoin, UrlBotToJoin)

    def variant(self, data: dict[str, Any]) -> type[Schema]:
        """Return the form that has the field sent: `bot_url`, `bot` or neither."""
        if "bot_url" in data:
            return UrlBotToJoin
        return BotToJoin if "bot" in data else PersonToJoin


class ClockAdvance(Object):
    """How far to advance a clock."""

    advance_ms = Integer(1, MAX_ADVANCE_MS, "Milliseconds.", required=True)
