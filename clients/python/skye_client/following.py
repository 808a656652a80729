"""The state of an iteration over the events of a game or a player. No input or output.

A follower interprets messages and pages of events, and chooses between streams and long polling. The
iterators in `_async/events.py` and `_sync/events.py` do the reading and waiting.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

from skye_client.errors import ApiError, HistoryLostError, SkyeError
from skye_client.options import FAULT_HEADER

SILENCE_S: Final = 20.0
"""A stream without a byte, not even a heartbeat, for this long is half-open."""

NO_EVENT: Final = "0-0"
"""The id before a player's first event."""

POLL_WAIT_MS: Final = 25_000
_STREAM_FAILURES: Final = 2
_POLLS_BEFORE_STREAM: Final = 5
_OVER: Final = frozenset({"finished", "aborted"})
_FINAL: Final = {"token_unknown": 401, "game_not_found": 404}


class GapError(SkyeError):
    """An event is missing in a stream, so the iterator reconnects after the last event that arrived."""


class Follower:
    """The state of an iteration over events.

    :param after: the id of the last event that the caller has.
    :param fault: the fault to inject into the first stream.
    """

    def __init__(self, after: int | str, fault: str | None = None) -> None:
        self.after = after
        self.fault = fault
        self.over = False
        self.failures = 0
        self._failed_streams = 0
        self._polls = 0

    def has_lost(self, _last_event: Any) -> bool:
        """Return whether the server's last event is older than the caller's, so that it has lost events."""
        return False

    def in_order(self, event: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
        """Yield an event unless it was yielded before.

        :raises GapError: when an event is missing.
        """
        raise NotImplementedError

    @property
    def streams(self) -> bool:
        """Whether to open a stream next; otherwise long polling, because streams have failed repeatedly."""
        return self._failed_streams < _STREAM_FAILURES

    def stream_opening(self) -> dict[str, str]:
        """Start a stream, which counts as failed until its first message arrives.

        :returns: the headers of its request.
        """
        self._failed_streams += 1
        headers = {"Last-Event-ID": str(self.after)}
        if self.fault is not None:
            headers[FAULT_HEADER] = self.fault
            self.fault = None
        return headers

    def server_unavailable(self) -> None:
        """Do not count the last stream as failed, because the server itself is unavailable."""
        self._failed_streams = max(0, self._failed_streams - 1)

    def failed(self) -> None:
        """Count a failure; `failures` is the number of consecutive failures."""
        self.failures += 1

    def message(self, name: str, data: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
        """Yield the events of one message of a stream.

        :raises HistoryLostError: when the server has lost events that were already delivered.
        :raises ApiError: when the game or the token does not exist any more.
        :raises GapError: when an event is missing.
        """
        if name == "stream":
            if self.has_lost(data["last_event"]):
                raise HistoryLostError
            self.failures = self._failed_streams = 0
        elif name == "end":
            self._end(data["reason"])
        elif name == "message":
            yield from self.in_order(data)

    def page(self, page: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
        """Yield the events of one page.

        :raises HistoryLostError: when the server has lost events that were already delivered.
        :raises GapError: when an event is missing.
        """
        if self.has_lost(page["last_event"]):
            raise HistoryLostError
        for event in page["events"]:
            yield from self.in_order(event)
        self.failures = 0
        self._polls += 1
        if self._polls % _POLLS_BEFORE_STREAM == 0:
            self._failed_streams = _STREAM_FAILURES - 1  # try one stream again

    def status(self, status: str) -> None:
        """Set the status of the game, which a page of events does not contain."""
        self.over = self.over or status in _OVER

    def _end(self, reason: str) -> None:
        if reason == "history_lost":
            raise HistoryLostError
        if reason in _FINAL:
            raise ApiError(_FINAL[reason], {"code": reason, "detail": "The stream was ended by the server."})
        self.over = reason in _OVER  # otherwise reconnect: `restart`, or a reason newer than this client


class GameFollower(Follower):
    """The state of an iteration over the events of one game, which are numbered from 1.

    :param after: the number of the last event that the caller has; 0 for none.
    """

    after: int

    def has_lost(self, _last_event: Any) -> bool:
        """Return whether the number of the server's last event shows that it has lost events."""
        return bool(_last_event < self.after)

    def in_order(self, event: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
        """Yield an event unless it was yielded before.

        :raises GapError: when an event is missing.
        """
        if event["id"] <= self.after:
            return
        if event["id"] > self.after + 1:
            raise GapError(f"Event {event['id']} follows event {self.after}.")
        self.after = event["id"]
        yield event


class PlayerFollower(Follower):
    """The state of an iteration over the events of a player, whose ids are `NUMBER-SALT`.

    The server compares the ids itself, and refuses with `history_lost`.

    :param after: the id of the last event that the caller has; `0-0` for none.
    """

    after: str

    def in_order(self, event: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
        """Yield an event unless it was yielded before. The first one may have any number.

        :raises GapError: when an event is missing.
        """
        last, number = _number(self.after), _number(event["id"])
        if number <= last:
            return
        if number > last + 1 and last > 0:
            raise GapError(f"Event {event['id']} follows event {self.after}.")
        self.after = event["id"]
        yield event


def _number(event_id: str) -> int:
    return int(event_id.partition("-")[0])


def is_final(error: Exception) -> bool:
    """Return whether a retry cannot succeed."""
    return isinstance(error, ApiError) and error.status < 500 and error.status not in (408, 429)
