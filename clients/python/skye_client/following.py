"""The state of an iteration over the events of a game or a player. No input or output.

A follower interprets messages and pages of events, and chooses between streams and long polling. The
iterators in `_async/events.py` and `_sync/events.py` do the reading and waiting.

Every connection may be cut at any moment. The follower advances however short connections are, as long as one
event arrives whole from time to time. A stream that delivers nothing counts as failed; after two of them the
follower polls. A poll that fails makes the next page and the next wait shorter, and a stream is tried next.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from skye_client.errors import ApiError, HistoryLostError, InvalidCredentialError, SkyeError
from skye_client.options import FAULT_HEADER

SILENCE_S: Final = 20.0
"""A stream without a byte, not even a heartbeat, for this long is half-open."""

NO_EVENT: Final = "0-0"
"""The id before a player's first event."""

_POLL_WAIT_MS: Final = 25_000
_FIRST_PAGE: Final = 100
_MAX_PAGE: Final = 1000
_SHRINKING: Final = 4
_STREAM_FAILURES: Final = 2
_MAX_POLLS: Final = 8
_OVER: Final = frozenset({"finished", "aborted"})
_STATUS_OF_END: Final = {"token_unknown": 401, "game_not_found": 404, "invitation_over": 410}


class BrokenStreamError(SkyeError):
    """A stream ended early, or an event is missing: reconnect after the last event that arrived."""


class Follower:
    """The state of an iteration over events, whose ids are numbers, or `NUMBER-SALT` for those of a player.

    :param after: the id of the last event that the caller has: `0` or `0-0` for none.
    :param fault: the fault to inject into the first stream.
    """

    def __init__(self, after: int | str, fault: str | None = None) -> None:
        self.after = after
        self.fault = fault
        self.over = False
        self.has_responded = False
        """Whether the API has sent a message or a page; what is no JSON after that comes from an outage."""
        self.failures = 0
        self._failed_streams = 0
        self._polls_left = 0
        self._is_polling = False
        self._limit = _FIRST_PAGE
        self._wait_ms = _POLL_WAIT_MS

    @property
    def streams(self) -> bool:
        """Whether to open a stream next; otherwise long polling, because streams have failed repeatedly."""
        return self._polls_left == 0

    def stream_opening(self) -> dict[str, str]:
        """Start a stream, which counts as failed until it delivers what is due.

        :returns: the headers of its request.
        """
        self._is_polling = False
        self._failed_streams += 1
        if self._failed_streams >= _STREAM_FAILURES:
            self._polls_left = min(_MAX_POLLS, 2 ** (self._failed_streams - _STREAM_FAILURES))
        headers = {"Last-Event-ID": str(self.after)}
        if self.fault is not None:
            headers[FAULT_HEADER], self.fault = self.fault, None
        return headers

    def poll_opening(self) -> dict[str, Any]:
        """Start a poll; return its query."""
        self._is_polling = True
        return {"after": self.after, "limit": self._limit, "wait_ms": self._wait_ms}

    def failed(self) -> None:
        """Adapt to a stream or poll that failed; `failures` is the number of failures without an event."""
        self.failures += 1
        if self._is_polling:
            self._limit = max(1, self._limit // _SHRINKING)
            self._wait_ms = max(1, self._wait_ms // _SHRINKING)
            self._polls_left = 0

    def message(self, name: str, data: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
        """Yield the events of one message of a stream.

        :raises HistoryLostError: when the server has lost events that were already delivered.
        :raises BrokenStreamError: when an event is missing.
        """
        self.has_responded = True
        if name == "stream" and not self._is_behind(data["last_event"]):
            self._stream_delivered()
        elif name == "message":
            for event in self._in_order(data):
                self._stream_delivered()
                yield event

    def end(self, reason: str, resume: str) -> None:
        """End a stream as its last message says.

        :raises HistoryLostError: when the server has lost events that were already delivered.
        :raises ApiError: when the game or the token does not exist any more.
        """
        if resume == "reload":
            raise HistoryLostError
        if resume == "stop" and reason not in _OVER:
            status = _STATUS_OF_END.get(reason, 410)  # 410: a reason newer than this client
            raise ApiError(status, {"code": reason, "detail": "The stream was ended by the server."})
        self.over = resume == "stop"

    def page(self, page: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
        """Yield the events of one page.

        :raises HistoryLostError: when the server has lost events that were already delivered.
        :raises BrokenStreamError: when an event is missing.
        """
        self.has_responded = True
        self._is_behind(page["last_event"])
        for event in page["events"]:
            yield from self._in_order(event)
        self.failures = 0
        self._polls_left = max(0, self._polls_left - 1)
        self._limit = min(_MAX_PAGE, 2 * self._limit)
        self._wait_ms = min(_POLL_WAIT_MS, 2 * self._wait_ms)
        self.over = page.get("status") in _OVER and not self._is_behind(page["last_event"])

    def _stream_delivered(self) -> None:
        self.failures = self._failed_streams = self._polls_left = 0

    def _is_behind(self, last_event: int | str) -> bool:
        """Return whether the server has events that the caller does not have.

        :raises HistoryLostError: when the caller has events that the server does not have.
        """
        last, after = _number(last_event), _number(self.after)
        if last < after:
            raise HistoryLostError
        return last > after

    def _in_order(self, event: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
        """Yield an event unless it was yielded before. The first one of a player may have any number.

        :raises BrokenStreamError: when an event is missing.
        """
        last, number = _number(self.after), _number(event["id"])
        if number <= last:
            return
        if number > last + 1 and self.after != NO_EVENT:
            raise BrokenStreamError(f"Event {event['id']} follows event {self.after}.")
        self.after = event["id"]
        yield event


def _number(event_id: int | str) -> int:
    return int(str(event_id).partition("-")[0])


def is_final(error: Exception) -> bool:
    """Return whether a retry cannot succeed."""
    if isinstance(error, InvalidCredentialError):
        return True
    return isinstance(error, ApiError) and error.status < 500 and error.status not in (408, 429)
