"""The requests that bots at URLs get."""

from __future__ import annotations

from typing import Annotated, Literal, TypedDict

from skye.fields import Count, Keywords, Seat
from skye_server.games.player_events import BotMessageType
from skye_server.games.views.actions import Actions
from skye_server.games.views.game import GameView
from skye_server.openapi.sent_requests import Sent, challenge_request
from skye_server.outgoing.messages import MessageBody
from skye_server.outgoing.sender import MAX_SECONDS

TAG = "Bots at URLs"


class DecisionData(TypedDict):
    """What a bot at a URL needs to decide."""

    seat: Annotated[Seat, "The seat that must decide."]
    time_left_ms: Annotated[Count, "For how many milliseconds the server waits for the answer."]
    last_response_ms: Annotated[
        Count | None,
        "How long the last request for a decision of this seat took, from its sending to the end of the "
        "response or of the wait for it, as the server measured it; null for the first.",
    ]
    game: Annotated[GameView, "The game as the seat sees it."]
    actions: Annotated[
        Actions, "The legal actions. The bot answers with one of them, in an offer with other values."
    ]


class DecisionMessage(MessageBody):
    """A decision that the seat of a bot at a URL must make."""

    type: Literal[BotMessageType.DECISION]
    href: Annotated[str, Keywords(maxLength=100), "The path of the game."]
    data: Annotated[DecisionData, "The decision."]


def sent_requests() -> tuple[Sent, ...]:
    """Return the requests that bots at URLs get."""
    decision = Sent(
        TAG,
        "send_decision",
        "Decide for a seat",
        """
        The seat of a bot at a URL must decide. The server plays the action of the answer. Without a legal
        action in time it asks again after 5 seconds, or as `Retry-After` says, with the same `webhook-id`,
        and then does what `on_timeout` of the game says, also in a game without a time limit. A bot that
        has failed four times in a row is not asked for some time.
        """,
        DecisionMessage,
        MAX_SECONDS,
        "Action",
    )
    return decision, challenge_request(TAG)
