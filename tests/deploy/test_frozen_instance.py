"""One of two instances behind nginx is suspended: requests, streams and long polls go to the other."""

import contextlib
import http.client
import json
import sys
import threading
import time

import pytest

from tests.deploy.servers import JSON, suspended
from tests.support.sizes import sized
from tests.support.waiting import waited_for

STREAMS, POLLERS, READERS = 10, 4, 8
RETRY_S = 0.5
"""The pause before a stream is opened again, as the server asks for it (`retry: 500`)."""

LONGEST_WAIT_S = 10
"""How long nginx waits for an instance, and a little more."""

WATCHED_S = sized(2, 6) * LONGEST_WAIT_S
"""How long the clients are watched after nginx has detected the suspended instance."""


class Clients:
    """Clients in threads, each of which repeats a call until the end."""

    def __init__(self, nginx):
        self.nginx = nginx
        self.is_over = threading.Event()
        self.requests = []  # start and duration of each
        self.statuses = set()
        self._threads = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.is_over.set()
        for thread in self._threads:
            thread.join()

    def repeat(self, function, *arguments):
        """Repeat a call in a thread."""

        def run():
            while not self.is_over.is_set():
                function(*arguments)

        self._threads.append(threading.Thread(target=run))
        self._threads[-1].start()

    def read(self, game):
        """Read a game, and record how long that took."""
        began = time.monotonic()
        self.statuses.add(self.nginx.call("GET", f"/v1/games/{game}").status)
        self.requests.append((began, time.monotonic() - began))
        self.is_over.wait(0.05)

    def seconds_after(self, moment):
        """Return the sorted durations of the requests that began after a moment."""
        return sorted(took for began, took in self.requests if began > moment)


class Follower:
    """A client that follows a game by streams or long polls; `silence_s` is how long it received nothing."""

    def __init__(self, clients, game):
        self.path = f"/v1/games/{game['game']['id']}/events"
        self.last_event = game["game"]["last_event"]
        self.clients, self.heard_at, self.silence_s = clients, time.monotonic(), 0.0

    def hear(self):
        """Record that something was received."""
        now = time.monotonic()
        self.silence_s, self.heard_at = max(self.silence_s, now - self.heard_at), now

    def stream(self):
        """Open a stream, and read it until it breaks off."""
        resume = {"Last-Event-ID": str(self.last_event)}
        with (
            contextlib.suppress(OSError, http.client.HTTPException),
            self.clients.nginx.asked("GET", f"{self.path}/stream", headers=resume) as stream,
        ):
            if stream.status == 200:
                for line in stream:
                    self.hear()
                    if line.startswith(b"id: "):
                        self.last_event = int(line.split()[1])
                    if self.clients.is_over.is_set():
                        return
        self.clients.is_over.wait(RETRY_S)

    def poll(self):
        """Send a long poll."""
        answer = self.clients.nginx.call("GET", f"{self.path}?after={self.last_event}&wait_ms=30000")
        self.clients.statuses.add(answer.status)
        self.last_event = answer.json.get("last_event", self.last_event)
        self.hear()


def join(instance, follower, name):
    """Change the game of a follower."""
    path = follower.path.removesuffix("/events")
    answer = instance.call("POST", f"{path}/players", json.dumps({"name": name}), JSON)
    assert answer.status == 201


def timeouts(nginx, instance):
    """Return how many responses of an instance nginx has waited for in vain."""
    return sum(
        "upstream timed out" in line and instance.socket_path.name in line
        for line in nginx.log.read_text().splitlines()
    )


@pytest.mark.parametrize("nginx", [[]], indirect=True)
def test_frozen_instance_is_left_out_and_all_clients_are_served(nginx, instance):
    served, frozen = instance().start(), instance().start()
    with Clients(nginx) as clients:
        streams = [Follower(clients, served.new_game()) for _ in range(STREAMS)]
        pollers = [Follower(clients, served.new_game()) for _ in range(POLLERS)]
        for follower in streams:
            clients.repeat(follower.stream)
        for follower in pollers:
            clients.repeat(follower.poll)
        for _ in range(READERS):
            clients.repeat(clients.read, streams[0].path.split("/")[3])
        assert waited_for(lambda: all(one.silence_s for one in streams))
        with suspended(frozen):
            for follower in pollers + streams:
                join(served, follower, "Ann")
            assert waited_for(lambda: all(one.last_event == 2 for one in streams + pollers))
            assert waited_for(lambda: timeouts(nginx, frozen))
            time.sleep(LONGEST_WAIT_S)  # for what was sent to it before
            known, began = timeouts(nginx, frozen), time.monotonic()
            time.sleep(WATCHED_S)
            later = timeouts(nginx, frozen) - known
    seconds = clients.seconds_after(began)
    silences = sorted(one.silence_s for one in streams + pollers)
    sys.stdout.write(
        f"{len(seconds)} requests, p99 {seconds[int(len(seconds) * 0.99)]:.3f}, max {seconds[-1]:.3f} s; "
        f"{later} sent to the frozen instance; silent for {silences[-1]:.1f} s at most\n"
    )
    assert clients.statuses == {200}
    # Otherwise each client would wait in each period; nginx sends to both while it has excluded the other.
    assert timeouts(nginx, served) or later < WATCHED_S / LONGEST_WAIT_S * READERS / 2
