"""The actions of a client while one other address sends one operation on 200 connections, with limits on."""

from __future__ import annotations

import contextlib
import http.client
import json
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from typing import NamedTuple
from urllib.parse import urlsplit

from bench.client import middle_and_tail
from bench.operations import Sent
from bench.rows import Row, row
from bench.servers import Server
from skye_server.server.processes import stop

CONNECTIONS = 200
ATTACKED = "on 200 connections of one address: p99 of an action of another"
"""The end of the name of these rows."""

_GOAL = "<= 250"
"""The goal for the 99th percentile of the actions, in milliseconds."""

_PAUSE_S = 0.02
_RECOVERY_S = 1.5


class Victim(NamedTuple):
    """A client that repeats an action; each is sent from a new connection and another address."""

    base: str
    action: Sent

    def times(self, seconds: float) -> list[float]:
        """Return the times of actions in milliseconds.

        :raises RuntimeError: when an action fails.
        """
        taken: list[float] = []
        until = time.monotonic() + seconds
        place = urlsplit(self.base)
        headers = {"Content-Type": "application/json", "Authorization": f"Bearer {self.action.token}"}
        while time.monotonic() < until:
            headers["X-Forwarded-For"] = f"192.0.2.{len(taken) % 250}"
            connection = http.client.HTTPConnection(str(place.hostname), place.port, timeout=60)
            with contextlib.closing(connection):
                begun = time.perf_counter()
                connection.request(
                    self.action.method, self.action.path, json.dumps(self.action.body), headers
                )
                answer = connection.getresponse()
                answer.read()
                taken.append(1000 * (time.perf_counter() - begun))
            if answer.status != 200:
                raise RuntimeError(f"an action has status {answer.status}")
            time.sleep(_PAUSE_S)
        return taken


def one_address_rows(
    server: Server, action: Callable[[], Sent], requests: dict[str, Sent], seconds: float
) -> Iterator[Row]:
    """Measure actions during an attack by each request, each from an address that has its whole budget.

    :param action: returns an action of a new game that can be repeated.
    """
    if shutil.which("wrk") is None:
        yield Row(f"any operation {ATTACKED}", None, "", "no wrk: not measured")
        return
    for number, (name, request) in enumerate(requests.items()):
        victim = Victim(server.base, action())
        with _attack(server.base, request, f"203.0.113.{number}"):
            taken = victim.times(seconds)
        time.sleep(_RECOVERY_S)
        _, tail = middle_and_tail(taken)
        yield row(f"{name} {ATTACKED}", [tail], "ms", goal=_GOAL)


@contextlib.contextmanager
def _attack(base: str, request: Sent, address: str) -> Iterator[None]:
    headers = {"Content-Type": "application/json", "X-Forwarded-For": address}
    headers |= {"Authorization": f"Bearer {request.token}"} if request.token else {}
    lines = [f"wrk.method = {json.dumps(request.method)}"]
    lines += [f"wrk.headers[{json.dumps(name)}] = {json.dumps(value)}" for name, value in headers.items()]
    lines += [] if request.body is None else [f"wrk.body = [[{json.dumps(request.body)}]]"]
    with tempfile.NamedTemporaryFile("w", suffix=".lua") as script:
        script.write("\n".join(lines))
        script.flush()
        command = ["wrk", "-t1", f"-c{CONNECTIONS}", "-d600s", "--timeout", "600s", "-s", script.name]
        process = subprocess.Popen([*command, base + request.path], stdout=subprocess.DEVNULL)
        try:
            yield
        finally:
            stop(process, 10)
