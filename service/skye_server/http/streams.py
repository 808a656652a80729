"""Limits of event streams and long polls, and the event from which a client resumes."""

from __future__ import annotations

import re
from collections.abc import Callable

from flask import request

from skye_server.client_address import network
from skye_server.error_codes import FieldError, Problem
from skye_server.http.framework import collaborators

_LAST_EVENT_ID = "Last-Event-ID"


def count_open(token: str | None, *, is_stream: bool, of_player: bool = False) -> Callable[[], None]:
    """Count the stream or the long poll of this request as one that its client has open.

    :param of_player: whether it follows all games of a player.
    :returns: a function that counts its end.
    :raises Problem: too_many_streams.
    """
    address = network(request.remote_addr)
    return collaborators().open_streams.open(token, address, is_stream=is_stream, of_player=of_player)


def last_event_id(form: str, error: str) -> str | None:
    """Return the id of the last event that a reconnecting client has, None without one.

    An empty header is none: it is what a client sends whose last event id is the empty string.

    :param form: the regular expression of an id.
    :param error: the error text for other ids.
    :raises Problem: invalid_parameter.
    """
    last = request.headers.get(_LAST_EVENT_ID) or None
    if last is not None and not re.fullmatch(form, last):
        raise Problem("invalid_parameter", errors=[FieldError(_LAST_EVENT_ID, error, "header")])
    return last
