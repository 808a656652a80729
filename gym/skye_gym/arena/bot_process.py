"""A bot in a separate process, over JSON lines on its standard streams (see PROTOCOL.md).

What the process writes to its standard error appears on that of the league.
"""

from __future__ import annotations

import contextlib
import json
import os
import selectors
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from random import Random
from typing import Any, Final, NamedTuple

from skye.errors import SkyeError
from skye.positions.record import move_from, move_view
from skye.positions.snapshot import position_of
from skye.rules.moves import Move, TakeBack
from skye.rules.play import legal_moves, offer_limits
from skye.rules.state import GameState
from skye.visibility.observation import observed_game
from skye_gym.answers import json_of
from skye_gym.arena import supervisor
from skye_gym.arena.process_cpu import CAN_MEASURE, CpuMeter

PROTOCOL_VERSION: Final = 1

MAX_REPLY: Final = 65_536
"""The maximum length of a reply in bytes."""

MAX_REASON: Final = 500
"""The maximum length of the reason that a bot sends instead of a move, in characters."""

MAX_SECONDS: Final = 86_400
"""The maximum of a time limit in seconds: a day."""

_ERROR_TAIL: Final = 400
"""The number of bytes from the end of the bot's standard error that a failure reports."""

_MAX_SHOWN: Final = 65_536
"""The number of bytes of the bot's standard error that appear for each decision."""

_MAX_LINE: Final = 2_000
"""The number of bytes after which a line is broken: less than a pipe takes from several processes unmixed."""


class Budget(NamedTuple):
    """The time limit of a decision.

    :param decision_s: seconds for each decision.
    :param startup_s: additional seconds for the first decision of a process, in which it starts.
    :param cpu_s: seconds of CPU for each decision, see `skye_gym.arena.cpu_limit`; None does not limit them.
    """

    decision_s: float = 1.0
    startup_s: float = 20.0
    cpu_s: float | None = None

    @property
    def exceeded(self) -> str:
        """What is said of a bot that needs more time."""
        return f"exceeded its budget of {self.decision_s:g} s"


class BotFailed(SkyeError):
    """A bot crashed, exceeded its time limit, or did not send a move."""


class BotUnavailable(BotFailed):
    """The program of a bot cannot be started, or its URL cannot be reached."""


class BotProcess:
    """A bot that runs as a command and receives only the observation of its seat.

    :param command: the program and its arguments.
    :param budget: the time limit of each decision.
    :param name: the name before each line that the process writes to its standard error.
    """

    def __init__(self, command: Sequence[str], budget: Budget, name: str = "bot") -> None:
        self.clock: Callable[[], float] = time.perf_counter if budget.cpu_s is None else self.cpu_seconds
        self._cpu_s_of_stopped = 0.0
        self._meter: CpuMeter | None = None
        self._command = command
        self._budget = budget
        self._name = name
        self._pipes: _Pipes | None = None
        self._decisions = 0

    @property
    def starting(self) -> bool:
        """Whether the next decision starts the process."""
        return self._pipes is None

    def decide(self, game: GameState, seat: int, rng: Random) -> Move:
        """Return the bot's move.

        The first call starts the process.

        :raises BotFailed: when the bot sends no move in time, or the reason why it has none. This stops the
            process; the next call starts another one.
        """
        seconds = self._budget.decision_s
        if self._pipes is None:
            self._pipes = _Pipes(self._command, _ShownLines(self._name))
            seconds += self._budget.startup_s
            if self._budget.cpu_s is not None:
                self._meter = CpuMeter(self._pipes.process_id)
        self._decisions += 1
        budget_s = self._budget.cpu_s or self._budget.decision_s
        request = _request(game, seat, self._decisions, rng.getrandbits(53), budget_s)
        try:
            line = self._pipes.request(json.dumps(request, separators=(",", ":")).encode() + b"\n", seconds)
            return move_in(line, "move", self._move_of)
        except TimeoutError:
            raise BotFailed(f"{self._budget.exceeded}{self._stop()}") from None
        except _NoMove as failure:
            self._stop()
            raise BotFailed(str(failure)) from None
        except BotFailed as failure:
            raise BotFailed(f"{failure}{self._stop()}") from None

    def _move_of(self, reply: Any) -> Move:
        if reply["id"] != self._decisions:
            raise BotFailed(f"replied to decision {reply['id']!r:.20} instead of {self._decisions}")
        if isinstance(reply.get("error"), str):
            raise _NoMove(reply["error"][:MAX_REASON])
        return move_from(reply["move"]["type"], reply["move"])

    def cpu_seconds(self) -> float:
        """Return the CPU time of all processes that this bot has had; it never decreases."""
        return self._cpu_s_of_stopped + (0.0 if self._meter is None else self._meter.seconds())

    def close(self) -> None:
        """Stop all processes."""
        self._stop()

    def _stop(self) -> str:
        """Kill all processes; return the end of the bot's standard error, as the end of a sentence."""
        if self._meter is not None:
            self._cpu_s_of_stopped += self._meter.stop()
            self._meter = None
        pipes, self._pipes = self._pipes, None
        if pipes is None:
            return ""
        written = pipes.close().decode(errors="replace").strip()
        return f": {written}" if written else ""


class _NoMove(BotFailed):
    """A bot sent the reason why it has no move."""


class _ShownLines:
    """Shows what a bot writes to its standard error, on that of the league: each line with the bot's name."""

    def __init__(self, name: str) -> None:
        clear = "\r\033[K" if sys.stderr.isatty() else ""  # the line of the progress
        self._prefix = f"{clear}[{name}] "
        self._incomplete = b""
        self._left = _MAX_SHOWN

    def begin_decision(self) -> None:
        """Show the lines of a decision, whatever earlier decisions wrote."""
        self._left = _MAX_SHOWN

    def add(self, data: bytes) -> None:
        """Show the complete lines; break those that are too long."""
        if self._left <= 0:
            return
        self._left -= len(data)
        *lines, self._incomplete = (self._incomplete + data).split(b"\n")
        for line in lines:
            self._show(line)
        if len(self._incomplete) > _MAX_LINE or self._left <= 0:
            self.end()
        if self._left <= 0:
            self._show(b"... and more, which is left out")

    def end(self) -> None:
        """Show an incomplete line."""
        line, self._incomplete = self._incomplete, b""
        if line:
            self._show(line)

    def _show(self, line: bytes) -> None:
        for start in range(0, max(1, len(line)), _MAX_LINE):
            text = line[start : start + _MAX_LINE].decode(errors="replace")
            sys.stderr.write(f"{self._prefix}{text}\n")


class _Pipes:
    """A process and its three standard streams.

    Where the system lists the children of a process, a supervisor runs the command, and ends all processes
    that the command has started (see `skye_gym.arena.supervisor`).

    It also reads standard error, so that a bot which writes much there fills no pipe: it shows the beginning
    for each decision, and keeps the end.

    :param shown: shows standard error.
    :raises BotUnavailable: when the command cannot be started.
    """

    def __init__(self, command: Sequence[str], shown: _ShownLines) -> None:
        self._supervised: socket.socket | None = None
        if CAN_MEASURE:
            self._supervised, theirs = socket.socketpair()
            with theirs:
                arguments = [supervisor.__file__, str(theirs.fileno()), *command]
                self._process = _started([sys.executable, "-I", "-S", *arguments], theirs.fileno())
        else:
            self._process = _started(command)
        self._streams = [
            stream for stream in (self._process.stdin, self._process.stdout, self._process.stderr) if stream
        ]
        self._input, self._output, self._errors = (stream.fileno() for stream in self._streams)
        for stream in self._streams:
            os.set_blocking(stream.fileno(), False)
        self._received = b""
        self._error_tail = b""
        self._shown = shown
        if self._supervised is not None and (reason := _line_from(self._supervised)) != "\n":
            self.close()
            raise BotUnavailable(f"cannot be started: {reason.strip()}")

    @property
    def process_id(self) -> int:
        """The id of the supervisor, or of the process where there is none."""
        return self._process.pid

    def request(self, request: bytes, seconds: float) -> bytes:
        """Send a line and return the line that the process writes.

        :param seconds: the time limit.
        :raises TimeoutError: when the process writes no line in time.
        :raises BotFailed: when the process ends, or writes too much.
        """
        deadline = time.monotonic() + seconds
        self._shown.begin_decision()
        with selectors.DefaultSelector() as selector:
            selector.register(self._input, selectors.EVENT_WRITE)
            selector.register(self._output, selectors.EVENT_READ)
            selector.register(self._errors, selectors.EVENT_READ)
            while request or b"\n" not in self._received:
                left = deadline - time.monotonic()
                if left <= 0:
                    raise TimeoutError
                ready = {key.fd for key, _ in selector.select(left)}
                if self._errors in ready and not self._read_errors():
                    selector.unregister(self._errors)
                if self._output in ready:
                    self._read_output()
                if self._input in ready:
                    request = request[self._write(request) :]
                    if not request:
                        selector.unregister(self._input)
        self._read_errors()  # what the bot wrote before its reply
        if self._supervised is not None and (self._process.poll() or 0) < 0:
            raise BotFailed("ended")  # the supervisor was killed, and no longer measures the bot
        line, _, self._received = self._received.partition(b"\n")
        return line

    def close(self) -> bytes:
        """Kill the process and its descendants; return the end of its standard error."""
        if self._supervised is None:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
        else:
            with contextlib.suppress(OSError):
                self._supervised.shutdown(socket.SHUT_RDWR)  # the supervisor kills them
            self._supervised.close()
            try:
                self._process.wait(supervisor.MAX_ENDING_S + 1)
            except subprocess.TimeoutExpired:  # the bot has stopped the supervisor
                supervisor.kill_descendants(self._process.pid)
                self._process.kill()
                self._process.wait()
        self._read_errors()
        self._shown.end()
        for stream in self._streams:
            stream.close()
        return self._error_tail

    def _write(self, data: bytes) -> int:
        try:
            return os.write(self._input, data)
        except BlockingIOError:
            return 0
        except OSError:
            raise BotFailed("ended") from None

    def _read_output(self) -> None:
        data = os.read(self._output, MAX_REPLY)
        if not data:
            raise BotFailed("ended")
        self._received += data
        if len(self._received) > MAX_REPLY:
            raise BotFailed(f"sent more than {MAX_REPLY} bytes")

    def _read_errors(self) -> bool:
        """Read standard error without blocking; return whether there was data."""
        try:
            data = os.read(self._errors, MAX_REPLY)
        except BlockingIOError:
            return False
        self._error_tail = (self._error_tail + data)[-_ERROR_TAIL:]
        self._shown.add(data)
        return bool(data)


def _started(command: Sequence[str], *descriptors: int) -> subprocess.Popen[bytes]:
    """Start a process with pipes, which inherits descriptors."""
    pipe = subprocess.PIPE
    try:
        return subprocess.Popen(
            command, stdin=pipe, stdout=pipe, stderr=pipe, start_new_session=True, pass_fds=descriptors
        )
    except OSError as error:
        raise BotUnavailable(f"cannot be started: {error}") from None


def _line_from(supervised: socket.socket) -> str:
    with supervised.makefile(encoding="utf-8") as file:
        return file.readline()


def _request(game: GameState, seat: int, number: int, seed: int, budget_s: float) -> dict[str, Any]:
    limits = offer_limits(game, seat)
    moves = legal_moves(game, seat) if limits is None else []
    return {
        "protocol": PROTOCOL_VERSION,
        "id": number,
        "seat": seat,
        "budget_ms": round(1000 * budget_s),
        "seed": seed,
        "position": position_of(observed_game(game, seat)),
        "moves": [move_view(move) for move in moves if not isinstance(move, TakeBack)],
        "offer": None if limits is None else limits._asdict(),
    }


def move_in(reply: bytes, kind: str, read: Callable[[Any], Move]) -> Move:
    """Return the move that `read` finds in the JSON of a reply.

    :param kind: what a reply must contain, for the message.
    :raises BotFailed: when there is no move.
    """
    try:
        move = read(json_of(reply))
        hash(move)
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        raise BotFailed(f"sent no {kind}: {reply[:80]!r} ({error!r:.80})") from None
    return move
