"""Spectators: each follows the event stream of a game, and resumes it when it breaks."""

import contextlib
import math
import time
from dataclasses import dataclass, field

from tests.deploy.servers import messages
from tests.system.players import OVER, record_mark
from tests.system.wire import BROKEN, InvariantViolated, NoResponse

MAX_STREAMS = 10_000
"""The number of streams for one game after which a loop fails."""


@dataclass(eq=False)
class Spectator:
    """A spectator that follows a game by its stream; `marks` are digests of the events by number.

    `check` is called with every event. `opened` is how many streams it took. With `may_go_back` the game may
    be seen to lose events: the spectator then begins again.
    """

    wire: object
    game: str
    marks: dict = field(default_factory=dict)
    check: object = None
    opened: int = 0
    is_over: bool = False
    may_go_back: bool = False

    def follow(self, stopped):
        """Follow the game to its end, or until `stopped` is set."""
        for _ in range(MAX_STREAMS):
            if stopped.is_set() or self.is_over:
                return
            with contextlib.suppress(NoResponse, *BROKEN):
                self._read_one(stopped)
            time.sleep(0.05)
        raise InvariantViolated(f"{self.game}: the stream always breaks off")

    def leave(self):
        """Cut the stream that is being read, which may send nothing for long."""
        self.wire.break_off()

    def _read_one(self, stopped):
        """Read one stream until it ends or breaks off."""
        headers = {"Last-Event-ID": str(len(self.marks))}
        answer = self.wire.request("GET", f"/v1/games/{self.game}/events/stream", headers=headers)
        try:
            if answer.status == 204:
                self.is_over = True
            elif answer.status == 200:
                self.opened += 1
                self._listen(answer, stopped)
            elif answer.status == 410:
                self._go_back(f"had {len(self.marks)} events, of which some are lost")
            elif answer.status != 503:
                raise InvariantViolated(f"the stream of {self.game}: {answer.status} {answer.read(500)}")
        finally:
            self.wire.close()

    def _listen(self, lines, stopped):
        for name, data in messages(_until(stopped, lines), seconds=math.inf):  # it ends when `stopped` is set
            if name == "message":
                record_mark(self.marks, data)
                if self.check is not None:
                    self.check(data)
            if name == "end":
                self.is_over = data["reason"] in OVER
                if data["reason"] == "history_lost":
                    self._go_back("events that it received are lost")
            if name == "end" or stopped.is_set():
                return

    def _go_back(self, why):
        """Begin again."""
        if not self.may_go_back:
            raise InvariantViolated(f"{self.game}: {why}")
        self.marks.clear()


def _until(stopped, lines):
    """Yield lines, including heartbeats, until `stopped` is set."""
    for line in lines:
        yield line
        if stopped.is_set():
            return
