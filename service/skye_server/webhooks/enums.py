"""The enumerations of webhooks; `outgoing.enums` has that which bots at URLs share."""

from __future__ import annotations

from skye_server.contract.fields import Requested, StringEnum
from skye_server.outgoing import receivers
from skye_server.webhooks import formats


class WebhookFormat(StringEnum):
    """The format of the requests to a webhook.

    There may be new ones.
    """

    requested = Requested(
        "ChosenWebhookFormat", "The format of the requests to a webhook; see `WebhookFormat`."
    )
    choices = formats.WebhookFormat


class WebhookStatus(StringEnum):
    """The status of a webhook.

    There may be new ones.
    """

    extensible = True
    choices = receivers.ReceiverStatus
