"""A bot in a process of its own that speaks JSON lines; PROTOCOL.md is the page for its author."""

from __future__ import annotations

import contextlib
import json
import os
import selectors
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence
from random import Random
from typing import Any, Final

from skye.game import Game
from skye.moves import Move, TakeBack
from skye.observation import observed_game
from skye.position import position_of
from skye.record import move_from, move_view
from skye.rules import legal_moves, offer_limits

PROTOCOL_VERSION: Final = 1

STARTUP_S: Final = 20.0
"""Extra time for the first decision of a process, in which it loads what it needs."""

_MAX_REPLY: Final = 65_536
"""Bytes; a longer line is not a reply."""

_ERROR_TAIL: Final = 400
"""Characters of the bot's standard error that a failure shows."""


class BotFailed(Exception):
    """A bot crashed, exceeded its budget or sent something that is not a legal move."""


class BotProcess:
    """A bot that runs as a command; it sees what its seat may know and nothing of this process."""

    def __init__(self, command: Sequence[str], budget_s: float) -> None:
        self.clock: Callable[[], float] = time.perf_counter
        self._command = command
        self._budget_s = budget_s
        self._process: subprocess.Popen[bytes] | None = None
        self._received = b""
        self._decisions = 0

    def decide(self, game: Game, seat: int, rng: Random) -> Move:
        """Return the bot's move.

        :raises BotFailed: when there is none in time. The process is stopped then; the next call starts
            another.
        """
        try:
            first = self._process is None
            self._start()
            self._decisions += 1
            self._send(_request(game, seat, self._decisions, rng.getrandbits(53), self._budget_s))
            line = self._read_line(self._budget_s + (STARTUP_S if first else 0))
            return _move_in(line, self._decisions)
        except BotFailed as failure:
            raise BotFailed(f"{failure}{self._stop()}") from None

    def close(self) -> None:
        """Stop the process."""
        self._stop()

    def _start(self) -> None:
        if self._process is not None:
            return
        self._received = b""
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the process
        try:
            self._process = subprocess.Popen(
                self._command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._errors,
                start_new_session=True,
            )
        except OSError as error:
            self._errors.close()
            raise BotFailed(f"cannot be started: {error}") from None
        assert self._process.stdin is not None and self._process.stdout is not None  # noqa: PT018
        os.set_blocking(self._process.stdin.fileno(), False)
        os.set_blocking(self._process.stdout.fileno(), False)

    def _send(self, request: dict[str, Any]) -> None:
        assert self._process is not None and self._process.stdin is not None  # noqa: PT018
        data = json.dumps(request, separators=(",", ":")).encode() + b"\n"
        deadline = time.monotonic() + self._budget_s + STARTUP_S
        with selectors.DefaultSelector() as selector:
            selector.register(self._process.stdin, selectors.EVENT_WRITE)
            while data:
                if not selector.select(deadline - time.monotonic()):
                    raise BotFailed("does not read its input")
                try:
                    data = data[os.write(self._process.stdin.fileno(), data) :]
                except BlockingIOError:
                    continue
                except OSError:
                    raise BotFailed("ended") from None

    def _read_line(self, seconds: float) -> bytes:
        assert self._process is not None and self._process.stdout is not None  # noqa: PT018
        deadline = time.monotonic() + seconds
        with selectors.DefaultSelector() as selector:
            selector.register(self._process.stdout, selectors.EVENT_READ)
            while b"\n" not in self._received:
                left = deadline - time.monotonic()
                if left <= 0 or not selector.select(left):
                    raise BotFailed(f"exceeded its budget of {self._budget_s:g} s")
                data = os.read(self._process.stdout.fileno(), _MAX_REPLY)
                if not data:
                    raise BotFailed("ended")
                self._received += data
                if len(self._received) > _MAX_REPLY:
                    raise BotFailed("sent too much")
        line, _, self._received = self._received.partition(b"\n")
        return line

    def _stop(self) -> str:
        """Kill the process and its children; return what it last wrote to standard error."""
        process, self._process = self._process, None
        if process is None:
            return ""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                pipe.close()
        process.wait()
        self._errors.seek(0)
        written = self._errors.read().decode(errors="replace").strip()
        self._errors.close()
        return f": {written[-_ERROR_TAIL:]}" if written else ""


def _request(game: Game, seat: int, number: int, seed: int, budget_s: float) -> dict[str, Any]:
    limits = offer_limits(game, seat)
    return {
        "protocol": PROTOCOL_VERSION,
        "id": number,
        "seat": seat,
        "budget_ms": round(1000 * budget_s),
        "seed": seed,
        "position": position_of(observed_game(game, seat)),
        "moves": [move_view(move) for move in legal_moves(game, seat) if not isinstance(move, TakeBack)],
        "offer": None if limits is None else limits._asdict(),
    }


def _move_in(line: bytes, number: int) -> Move:
    try:
        reply = json.loads(line)
        if reply["id"] != number:
            raise BotFailed(f"answered decision {reply['id']!r:.20} instead of {number}")
        fields = reply["move"]
        move = move_from(fields["type"], fields)
        hash(move)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise BotFailed(f"sent no move: {line[:80]!r} ({error!r:.80})") from None
    return move
