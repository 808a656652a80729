"""Full load on a server, by `wrk` or without it by `bench.client`, and the CPU time of the server."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from bench.client import CONNECTIONS, Request, drive, load_of
from bench.client import Load as Latencies
from bench.plan import Plan
from bench.servers import Server, cpu_seconds

HERE = Path(__file__).parent


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
        by_wrk = plan.seconds >= 1 and shutil.which("wrk") is not None
        seen = (_wrk if by_wrk else _own)(self.server.base, self.requests, plan.seconds)
        # The CPU time includes requests that are incomplete at the end: 16 of thousands.
        number = seen.rate * plan.seconds
        cpu = 1e6 * (cpu_seconds(workers) - before) / number
        return Load(*seen, cpu, 1e6 * (cpu_seconds([self.server.redis_pid]) - redis_before) / number)


def _own(base: str, requests: Sequence[Request], seconds: float) -> Latencies:
    exchanges = drive(base, requests, seconds)
    return load_of(exchanges)._replace(rate=len(exchanges) / seconds)


def _wrk(base: str, requests: Sequence[Request], seconds: float) -> Latencies:
    with tempfile.NamedTemporaryFile("w", suffix=".tsv") as file:
        file.writelines("\t".join(request) + "\n" for request in requests)
        file.flush()
        options = ["-t1", f"-c{CONNECTIONS}", f"-d{seconds:.0f}s", "--timeout", "10s"]
        command = ["wrk", *options, "-s", HERE / "requests.lua", base, file.name]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    result = next(line for line in done.stdout.splitlines() if line.startswith("RESULT"))
    rate, p50, p99, refused, failed = (float(word) for word in result.split()[1:])
    if refused or failed:
        raise RuntimeError(f"{refused:.0f} refused and {failed:.0f} failed of {requests[0]}")
    return Latencies(rate, p50 / 1000, p99 / 1000)
