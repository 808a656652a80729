"""Enumerations of streams and webhooks."""

from __future__ import annotations

from skye_server.contract.fields import StringEnum
from skye_server.games.webhook_events import DECISION, WEBHOOK_EVENTS


class StreamEndReason(StringEnum):
    """Why a stream ends.

    `finished`, `aborted`: the game is over. `restart`: the server stops. `history_lost`: the store
    has lost events that the server had sent. `game_not_found`, `token_unknown`: the caller may no longer read
    the game.

    There may be new ones.
    """

    extensible = True
    choices = ("finished", "aborted", "restart", "history_lost", "game_not_found", "token_unknown")


class PlayerStreamEndReason(StringEnum):
    """Why a player's stream ends.

    `restart`: the server stops. `history_lost`: the store has lost events that the server had
    sent. `token_unknown`: the key was replaced.

    There may be new ones.
    """

    extensible = True
    choices = ("restart", "history_lost", "token_unknown")


class StreamResume(StringEnum):
    """What a client does after the end of a stream, whatever the reason.

    `reconnect`: open the stream again, after the last event received. `reload`: load the data again, and
    follow from its `last_event`. `stop`: no event follows that changes the view.

    There will be no others under `/v1`.
    """

    choices = ("reconnect", "reload", "stop")


class ChosenWebhookEvent(StringEnum):
    """A type of event that a webhook can send.

    `seat_taken`: a player has a seat, or its number has changed. `your_turn`: the game waits for a decision.
    `deadline_near`: it is still open shortly before its deadline. `seat_left`: a player has left the game.
    `game_over`: the game is finished or aborted. `ticket_expired`: there were not enough players for a
    matchmaking ticket. `webhook_disabled`: another webhook has failed for five days.
    """

    choices = WEBHOOK_EVENTS


class WebhookEventName(StringEnum):
    """A type of event that a webhook sends.

    `seat_taken`: a player has a seat, or its number has changed. `your_turn`: the game waits for a decision.
    `deadline_near`: it is still open shortly before its deadline. `seat_left`: a player has left the game.
    `game_over`: the game is finished or aborted. `ticket_expired`: there were not enough players for a
    matchmaking ticket. `webhook_disabled`: another webhook has failed for five days. `decision`: the seat
    of a bot at a URL must decide.

    There may be new ones.
    """

    extensible = True
    choices = (*WEBHOOK_EVENTS, DECISION)


class WebhookStatus(StringEnum):
    """The status of a webhook.

    `unverified`: its URL has not answered the challenge, and gets nothing else. `active`: it gets events.
    `disabled`: it has failed for five days; a successful test makes it active again.

    There may be new ones.
    """

    extensible = True
    choices = ("unverified", "active", "disabled")


class DeliveryStatus(StringEnum):
    """The status of a delivery.

    `pending`: an attempt is due or in progress. `delivered`: the receiver has accepted it. `failed`: the last
    attempt has failed.

    There may be new ones.
    """

    extensible = True
    choices = ("pending", "delivered", "failed")
