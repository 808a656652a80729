"""Loads on a server: at full speed by `wrk` (a Debian package), or at a rate by threads."""

from __future__ import annotations

import http.client
import itertools
import shutil
import statistics
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from bench.plan import Plan
from bench.servers import Server, cpu_seconds

CONNECTIONS = 16
HAS_WRK = shutil.which("wrk") is not None


class Request(NamedTuple):
    """A request.

    :param token: the bearer token; empty for none.
    :param etag: the value of `If-None-Match`; empty for none.
    """

    method: str
    path: str
    token: str = ""
    etag: str = ""
    body: str = ""

    @property
    def headers(self) -> dict[str, str]:
        """The headers of the request."""
        headers = {"Content-Type": "application/json"}
        headers |= {"Authorization": f"Bearer {self.token}"} if self.token else {}
        return headers | ({"If-None-Match": self.etag} if self.etag else {})


class Load(NamedTuple):
    """One run: requests per second, latencies in milliseconds, CPU time in microseconds per request."""

    rate: float
    p50: float
    p99: float
    cpu: float
    redis_cpu: float


class Contender(NamedTuple):
    """A server and the requests to send it.

    :param prepare: called before each run, for example to restore the games.
    """

    server: Server
    requests: Sequence[Request]
    prepare: Callable[[], None] | None = None

    def runner(self, plan: Plan) -> Callable[[], Load]:
        """Return a function that runs the load once."""
        return lambda: self._run(plan)

    def _run(self, plan: Plan) -> Load:
        if self.prepare is not None:
            self.prepare()
        workers = self.server.workers
        before, redis_before = cpu_seconds(workers), cpu_seconds([self.server.redis_pid])
        rate, p50, p99 = at_full_speed(self.server.base, self.requests, plan.seconds)
        # The CPU time includes requests that are incomplete at the end: 16 of thousands.
        each_us = 1e6 / (rate * plan.seconds)
        redis_cpu = cpu_seconds([self.server.redis_pid]) - redis_before
        return Load(rate, p50, p99, each_us * (cpu_seconds(workers) - before), each_us * redis_cpu)


def at_full_speed(base: str, requests: Sequence[Request], seconds: int) -> tuple[float, float, float]:
    """Send requests in turn on 16 connections; return their rate, and p50 and p99 in milliseconds.

    :raises RuntimeError: when a response is an error.
    """
    with tempfile.NamedTemporaryFile("w", suffix=".tsv") as file:
        file.writelines("\t".join(request) + "\n" for request in requests)
        file.flush()
        options = ["-t1", f"-c{CONNECTIONS}", f"-d{seconds}s", "--timeout", "10s"]
        script = Path(__file__).parent / "requests.lua"
        command = ["wrk", *options, "-s", script, base, file.name]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    result = next(line for line in done.stdout.splitlines() if line.startswith("RESULT"))
    rate, p50, p99, refused, failed = (float(word) for word in result.split()[1:])
    if refused or failed:
        raise RuntimeError(f"{refused:.0f} refused and {failed:.0f} failed of {requests[0]}")
    return rate, p50 / 1000, p99 / 1000


class Exchange(NamedTuple):
    """A request and its response.

    :param number: the index of the request.
    :param sent: the time at which it was sent.
    :param headers: the headers of the response.
    """

    number: int
    sent: float
    headers: http.client.HTTPMessage


def at_rate(base: str, requests: Sequence[Request], seconds: float, rate: float) -> list[Exchange]:
    """Send requests in turn at a rate, with equal gaps, whether or not responses arrive.

    :param rate: requests per second, at most some hundred.
    :raises RuntimeError: when a response is an error.
    """
    place, local = urlsplit(base), threading.local()
    connections: list[http.client.HTTPConnection] = []
    numbers = itertools.cycle(range(len(requests)))
    start = time.monotonic()

    def connect() -> None:
        local.connection = http.client.HTTPConnection(str(place.hostname), place.port, timeout=60)
        local.connection.connect()
        connections.append(local.connection)

    def exchange(number: int) -> Exchange:
        request, sent = requests[number], time.monotonic()
        local.connection.request(request.method, request.path, request.body or None, request.headers)
        response = local.connection.getresponse()
        text = response.read()
        if response.status >= 400:
            raise RuntimeError(f"{request}: {response.status} {text!r}")
        return Exchange(number, sent, response.headers)

    try:
        with ThreadPoolExecutor(CONNECTIONS, initializer=connect) as threads:
            sent = []
            for at in range(max(1, round(seconds * rate))):
                time.sleep(max(0.0, start + at / rate - time.monotonic()))
                sent.append(threads.submit(exchange, next(numbers)))
            return [each.result() for each in sent]
    finally:
        for connection in connections:
            connection.close()


def middle_and_tail(values: Sequence[float]) -> tuple[float, float]:
    """Return the 50th and the 99th percentile; of a few values, the latter is close to the largest."""
    cuts = statistics.quantiles(values, n=100, method="inclusive") if len(values) > 1 else list(values) * 99
    return cuts[49], cuts[98]
