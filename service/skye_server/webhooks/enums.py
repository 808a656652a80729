"""The enumerations of webhooks; `contract.enums` has those that bots at URLs share."""

from __future__ import annotations

from skye_server.contract.fields import Requested, StringEnum
from skye_server.outgoing.receivers import STANDARD
from skye_server.webhooks.formats import CHAT_SERVICES


class WebhookFormat(StringEnum):
    """The format of the requests to a webhook.

    `standard`: signed JSON by Standard Webhooks 1.0; the URL must answer a challenge. `discord`, `slack`: a
    sentence for people, to a URL that Discord or Slack has given out; the server sends no challenge.

    There may be new ones.
    """

    requested = Requested(
        "ChosenWebhookFormat", "The format of the requests to a webhook; see `WebhookFormat`."
    )
    choices = (STANDARD, *CHAT_SERVICES)


class WebhookStatus(StringEnum):
    """The status of a webhook.

    `unverified`: its URL has not answered the challenge, and gets nothing else. `active`: it gets events.
    `disabled`: it has failed for five days; a successful test makes it active again.

    There may be new ones.
    """

    extensible = True
    choices = ("unverified", "active", "disabled")
