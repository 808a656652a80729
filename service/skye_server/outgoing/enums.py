"""The enumerations that webhooks and bots at URLs share."""

from __future__ import annotations

from skye_server.contract.fields import StringEnum
from skye_server.outgoing.messages import MessageStatus


class DeliveryStatus(StringEnum):
    """The status of a delivery.

    There may be new ones.
    """

    extensible = True
    choices = MessageStatus
