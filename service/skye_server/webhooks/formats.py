"""Formats of webhooks: signed JSON, or a sentence for a chat service that cannot answer a challenge.

The server posts sentences to the URLs that the service itself gives out, on its own hosts, whatever the
settings allow for receivers of signed JSON.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final, NamedTuple

import msgspec

from skye.words import Word
from skye_server.games.player_events import PlayerEventType
from skye_server.games.proposals import ProposalKind
from skye_server.outgoing.targets import TargetError

TEST_SENTENCE: Final = "Isle of Skye: this is a test of the webhook."


_OF_CHAT: Final = (
    "a sentence for people, to a URL that Discord or Slack has given out; the server sends no challenge."
)


class WebhookFormat(Word):
    """The format of the requests to a webhook."""

    STANDARD = "standard", "signed JSON by Standard Webhooks 1.0; the URL must answer a challenge."
    DISCORD = "discord", _OF_CHAT
    SLACK = "slack", _OF_CHAT


class ChatService(NamedTuple):
    """A service that shows messages to people.

    :param url: matches the URLs that the service gives out.
    :param shown: what these URLs begin with, for error responses.
    :param field: the field of the text in the body.
    :param more: the other fields of the body.
    :param gone: statuses with which the service says that a URL is no longer valid.
    """

    url: re.Pattern[str]
    shown: str
    field: str
    more: Mapping[str, Any]
    gone: tuple[int, ...]

    def check(self, url: str) -> None:
        """Check a URL.

        :raises TargetError: when the service has not given it out.
        """
        if not self.url.fullmatch(url):
            raise TargetError(f"A URL of this format begins with {self.shown}.")

    def body(self, sentence: str) -> bytes:
        """Return the body of a request that posts a sentence."""
        return msgspec.json.encode({self.field: sentence, **self.more})


CHAT_SERVICES: Final[dict[str, ChatService]] = {
    WebhookFormat.DISCORD: ChatService(
        re.compile(
            r"https://(?:discord|discordapp)\.com/api/(?:v\d+/)?webhooks/[\w/-]+(?:\?[\w=&]*)?", re.ASCII
        ),
        "https://discord.com/api/webhooks/",
        "content",
        {"allowed_mentions": {"parse": []}},
        (404, 410),
    ),
    WebhookFormat.SLACK: ChatService(
        re.compile(r"https://hooks\.slack\.com/services/[\w/-]+", re.ASCII),
        "https://hooks.slack.com/services/",
        "text",
        {},
        (404, 410),
    ),
}

_SKYE: Final = "Isle of Skye: "
_GAME: Final = "Isle of Skye, game {game_id}: "

_TO_PLAYER: Final[dict[str, str]] = {
    PlayerEventType.SEAT_TAKEN: _GAME + "you have seat {seat}.",
    PlayerEventType.YOUR_TURN: _GAME + "it is your turn ({turn}).",
    PlayerEventType.DEADLINE_NEAR: _GAME + "your time is nearly over ({turn}).",
    PlayerEventType.PROPOSAL_OPENED: _GAME
    + "another player, or the host, proposes to {proposal}: accept or refuse.",
    PlayerEventType.LOBBY_FULL: _GAME + "every seat is taken: the host can start it.",
    PlayerEventType.SEAT_LEFT: _GAME + "you no longer have a seat ({reason}).",
    PlayerEventType.GAME_OVER: _GAME + "the game is {status}.",
    PlayerEventType.TICKET_EXPIRED: _SKYE
    + "there were not enough players for the matchmaking ticket {ticket_id}.",
    PlayerEventType.WEBHOOK_DISABLED: _SKYE
    + "the webhook {webhook_id} is disabled, after failures for five days.",
}

_TO_HOST: Final[dict[str, str]] = _TO_PLAYER | {
    PlayerEventType.SEAT_TAKEN: _GAME + "a player has seat {seat}.",
    PlayerEventType.YOUR_TURN: _GAME + "it is the turn of seat {seat} ({turn}).",
    PlayerEventType.DEADLINE_NEAR: _GAME + "the time of seat {seat} is nearly over ({turn}).",
    PlayerEventType.PROPOSAL_OPENED: _GAME + "seat {seat} is asked to agree to {proposal}.",
    PlayerEventType.SEAT_LEFT: _GAME + "the player of seat {seat} has gone ({reason}).",
}


def sentence(kind: str, data: Mapping[str, Any], *, to_player: bool) -> str:
    """Return the sentence for an event.

    :param data: the event as the API shows it. It has no text of players, which a service could format.
    :param to_player: whether the webhook is one of the player whom the event concerns.
    """
    deadline = data.get("deadline")
    until = f", until {deadline[:16].replace('T', ' ')} UTC" if deadline else ""
    turn = f"{data.get('phase')}{until}"
    proposal = "pause the game" if data.get("kind") == ProposalKind.PAUSE else "end the game without a result"
    return (_TO_PLAYER if to_player else _TO_HOST)[kind].format(**data, turn=turn, proposal=proposal)
