"""Signs of life and outages of services in the process of a test, by one clock that the test moves."""

from contextlib import contextmanager

from skye_server.http.framework import collaborators
from skye_server.store import layout
from skye_server.store.outages import SIGN_S, SignsOfLife
from tests.support.playing import Service
from tests.support.waiting import waited_for


def signs_of(service):
    """Return what a service knows of signs of life and outages."""
    return collaborators(service.app).games.signs


@contextmanager
def giving_signs(service):
    """Let a service in the process of a test be a worker, for dispatchers that are processes.

    It gives signs of life, and the store has the number of the layout, which a worker writes at its start.
    """
    calls = collaborators(service.app).games.store.calls
    number = f"{layout.LAYOUT} {layout.VERSION}"
    calls.call(layout.KEY, lambda server: server.set(layout.KEY, number), writes=True)
    signs_of(service).start(gives_signs=True)
    try:
        yield
    finally:
        signs_of(service).stop()


class Processes:
    """Processes on one store, of which the first is a worker. The clock of the store is theirs too.

    No thread gives signs: `play` lets time pass in which the worker gives them, and `stop` time without.
    """

    def __init__(self, monkeypatch, **settings):
        monkeypatch.setattr(SignsOfLife, "_run", lambda *_: None)
        self.worker = Service(**settings)
        self.clock = self.worker.clock
        self.clock.now = round(self.clock.now)
        monkeypatch.setattr("time.time", self.clock)
        self.all = [self.worker]
        signs_of(self.worker).start(gives_signs=True)
        self.sign()

    def beside(self):
        """Return another process on the store, which has read the last sign."""
        other = Service(self.worker.redis, clock=self.clock)
        signs_of(other).start(gives_signs=False)
        signs_of(other).look()
        self.all.append(other)
        return other

    def sign(self):
        """Let the worker give a sign, and all processes read it."""
        assert waited_for(signs_of(self.worker).sign)  # none is given after a stall of two seconds
        self.read()

    def read(self):
        """Let all processes read the last sign and the list."""
        for service in self.all[1:]:
            signs_of(service).read()

    def pass_time(self, seconds):
        """Move the clock of the store and of all processes."""
        self.clock.now += seconds

    def play(self, seconds):
        """Let time pass in which the worker gives signs."""
        for step in [SIGN_S] * int(seconds // SIGN_S) + [seconds % SIGN_S]:
            self.pass_time(step)
            self.sign()

    def stop(self, seconds):
        """Let time pass in which no worker can act, until one gives a sign again."""
        self.pass_time(seconds)
        self.sign()
