"""Both instances are restarted, one after the other, while games are played and followed through nginx."""

import http.client
import itertools
import json
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing

import pytest

from tests.deploy.servers import JSON, messages
from tests.support.waiting import MAX_RUN_S, MAX_WAIT_S, waited_for
from tests.support.whole_game import played
from tests.system.client_threads import ClientThreads

PLAYERS = 3
"""The number of clients that play at the same time."""


class Client:
    """A client as the demo plays by, over one connection that it keeps open. It sends no keys."""

    def __init__(self, nginx):
        self._connection = http.client.HTTPConnection("127.0.0.1", nginx.port, timeout=MAX_WAIT_S)

    def close(self):
        self._connection.close()

    def call(self, method, path, body=None, token=None):
        headers = JSON | ({"Authorization": f"Bearer {token}"} if token else {})
        self._connection.request(method, path, None if body is None else json.dumps(body), headers)
        answer = self._connection.getresponse()
        text = answer.read()
        assert answer.status in (200, 201), (answer.status, text)
        return json.loads(text)


class Clients(ClientThreads):
    """Clients that play one game after the other."""

    def __init__(self, nginx):
        super().__init__(PLAYERS)
        self.nginx = nginx
        self.games = 0
        self.steps = 0
        self._seen = 0

    def have_played(self):
        """Return whether the clients have made a step since this last returned True, or failed."""
        if self.steps == self._seen and not self.wrong:
            return False
        self._seen = self.steps
        return True

    def _run(self, number):
        with closing(Client(self.nginx)) as client:
            for count in itertools.count():
                for _ in played(client, 2, f"{number}-{count}"):
                    self.steps += 1
                    if self._stopped.wait(0.005):
                        return
                self.games += 1


def follow(nginx, game):
    """Follow a game to its end as an EventSource does; return the events received, and why streams ended."""
    received, endings = [], []
    patience = time.monotonic() + MAX_RUN_S
    while (not endings or endings[-1] == "restart") and time.monotonic() < patience:
        with nginx.follow(game, **{"Last-Event-ID": str((received or [0])[-1])}) as stream:
            for name, data in messages(stream, MAX_RUN_S):
                if name == "message":
                    received.append(data["id"])
                elif name == "end":
                    endings.append(data["reason"])
        time.sleep(0.05)
    return received, endings


def join(nginx, game, name):
    answer = nginx.call("POST", f"/v1/games/{game}/players", json.dumps({"name": name}).encode(), JSON)
    assert answer.status == 201, answer.body


def test_rolling_restart_loses_no_request(nginx, instance):
    instances = [instance().start(), instance().start()]
    with Clients(nginx) as clients:
        for restarted in instances:
            assert waited_for(clients.have_played)
            assert restarted.end() == 0
            assert waited_for(clients.have_played), "the other instance serves no game"
            restarted.start()
        assert waited_for(lambda: clients.wrong or clients.games > 0)
    assert clients.wrong == []


def test_starting_instance_receives_no_request_until_it_can_serve(nginx, instance, folder):
    instance().start()
    may_load = folder / "may-load"
    starting = instance(application="tests.support.slow_to_load:app", MAY_LOAD=str(may_load))
    starting.launch()
    assert waited_for(lambda: list(folder.glob("api-b.sock*")))
    assert {nginx.call("POST", "/v1/games", b"{}", JSON).status for _ in range(10)} == {201}
    may_load.touch()
    assert waited_for(starting.answers)


def test_stream_resumes_at_another_instance_after_a_restart(nginx, instance):
    instances = [instance().start(), instance().start()]
    created = nginx.new_game()
    game = created["game"]["id"]
    with ThreadPoolExecutor() as pool:
        followed = pool.submit(follow, nginx, game)
        for restarted, names in zip(instances, ("AB", "CD"), strict=True):
            join(nginx, game, names[0])
            restarted.end()
            join(nginx, game, names[1])
            restarted.start()
        nginx.call(
            "POST", f"/v1/games/{game}/abort", headers={"Authorization": f"Bearer {created['host_token']}"}
        )
        received, endings = followed.result(MAX_RUN_S)
    assert received == list(range(1, received[-1] + 1))
    assert len(received) >= 6  # created, four seated, aborted
    assert "restart" in endings
    assert endings[-1] == "aborted"


@pytest.fixture(autouse=True)
def _nothing_complained_of(folder):
    yield
    for log in folder.glob("api-*.log"):
        assert log.read_text() == ""
