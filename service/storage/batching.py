"""Sending commands to Redis together: what several requests want of it at once, one of them sends for all.

A round trip costs a process about as much as all else that a read does, and hardly more for ten commands than
for one. So while commands are under way, those who come wait for them to end, and then the first of them
sends what all want. Nobody waits who comes alone, nor for long where Redis is slow.

What each is told is its own: an answer, a refusal, or that the connection broke and nobody knows what became
of the command, as if it had been sent alone. It is sent after it was asked for, and once or not at all.
"""

from __future__ import annotations

import threading
from typing import Any, Final

import redis

_PATIENCE_S: Final = 0.1
"""How long to wait for one's turn; who has waited in vain sends alone."""

_MOST: Final = 32
"""How many commands are sent together, at most."""


class _Call:
    """A command that waits for its turn: `told` can be acquired once it is answered, or is to lead others."""

    __slots__ = ("answer", "args", "leads", "options", "sent", "told")

    def __init__(self, args: tuple[Any, ...], options: dict[str, Any]) -> None:
        self.args = args
        self.options = options
        self.leads = False
        self.sent = False
        self.answer: Any = None
        self.told = threading.Lock()
        self.told.acquire()


class BatchingRedis(redis.Redis):
    """A client that sends together what is asked for at the same time. Pipelines go their own way."""

    def __init__(self, *, patience_s: float = _PATIENCE_S, **options: Any) -> None:
        super().__init__(**options)
        self._patience_s = patience_s
        self._turns = threading.Lock()
        self._busy = False
        self._waiting: list[_Call] = []

    @property
    def waiting(self) -> int:
        """How many commands wait for their turn."""
        return len(self._waiting)

    def execute_command(self, *args: Any, **options: Any) -> Any:
        """Return what a command answers."""
        with self._turns:
            call = _Call(args, options) if self._busy else None
            self._busy = True
            if call is not None:
                self._waiting.append(call)
        if call is not None:
            return self._in_turn(call)
        try:
            return self._alone(*args, **options)
        finally:
            self._hand_on()

    def _alone(self, *args: Any, **options: Any) -> Any:
        return super().execute_command(*args, **options)  # type: ignore[no-untyped-call]  # theirs

    def _in_turn(self, call: _Call) -> Any:
        try:
            told = call.told.acquire(timeout=self._patience_s)
        except BaseException:  # this request is broken off
            self._leave(call)
            raise
        together = self._begin(call)
        if together:
            self._send(together)
        elif not call.sent:
            return self._alone(*call.args, **call.options)
        elif not told:
            call.told.acquire()  # somebody sends it just now
        if isinstance(call.answer, Exception):
            raise call.answer
        return call.answer

    def _begin(self, call: _Call) -> list[_Call]:
        """Return whom to send for: those who wait, if the call leads them; else it waits no longer."""
        with self._turns:
            if call.leads:
                together, self._waiting = self._waiting[:_MOST], self._waiting[_MOST:]
                for each in together:
                    each.sent = True
                return together
            if not call.sent:
                self._waiting.remove(call)
            return []

    def _leave(self, call: _Call) -> None:
        """Wait no longer, and lead nobody."""
        with self._turns:
            if call in self._waiting:
                self._waiting.remove(call)
        if call.leads:
            self._hand_on()

    def _send(self, calls: list[_Call]) -> None:
        """Send all of them, the leader's first, and tell the others."""
        answers: list[Any] = [redis.ConnectionError("who was to send this was broken off")] * len(calls)
        try:
            answers = self._together(calls)
        except redis.RedisError as error:
            answers = [error] * len(calls)
        finally:
            self._hand_on()
            for call, answer in zip(calls, answers, strict=True):
                call.answer = answer
                if not call.leads:
                    call.told.release()

    def _together(self, calls: list[_Call]) -> list[Any]:
        if len(calls) == 1:
            return [self._alone(*calls[0].args, **calls[0].options)]
        pipeline: Any = self.pipeline(transaction=False)
        for call in calls:
            pipeline.execute_command(*call.args, **call.options)
        answers: list[Any] = pipeline.execute(raise_on_error=False)
        return answers

    def _hand_on(self) -> None:
        """Let the first of those who wait lead the others."""
        with self._turns:
            self._busy = bool(self._waiting)
            if self._waiting:
                self._waiting[0].leads = True
                self._waiting[0].told.release()
