"""Load on a server as hard as it can bear, and what that took: by wrk, or by our own client without it."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from bench.client import CONNECTIONS, Ask, drive, load_of
from bench.client import Load as Latencies
from bench.plan import Plan
from bench.servers import Server, cpu_seconds

HERE = Path(__file__).parent


class Load(NamedTuple):
    """What a run measured: requests per second, latencies in milliseconds, CPU in microseconds a request."""

    rate: float
    p50: float
    p99: float
    cpu: float
    redis_cpu: float


class Contender(NamedTuple):
    """Whom to ask, and what; `prepare` puts things right before each run."""

    server: Server
    asks: Sequence[Ask]
    prepare: Callable[[], None] | None = None

    def runner(self, plan: Plan) -> Callable[[], Load]:
        """Return what runs the load once."""
        return lambda: self._run(plan)

    def _run(self, plan: Plan) -> Load:
        if self.prepare is not None:
            self.prepare()
        workers = self.server.workers
        before, redis_before = cpu_seconds(workers), cpu_seconds([self.server.redis_pid])
        by_wrk = plan.seconds >= 1 and shutil.which("wrk") is not None
        seen = (_wrk if by_wrk else _own)(self.server.base, self.asks, plan.seconds)
        # What is under way at the end is counted as CPU and not as a request: 16 of thousands.
        number = seen.rate * plan.seconds
        cpu = 1e6 * (cpu_seconds(workers) - before) / number
        return Load(*seen, cpu, 1e6 * (cpu_seconds([self.server.redis_pid]) - redis_before) / number)


def _own(base: str, asks: Sequence[Ask], seconds: float) -> Latencies:
    answered = drive(base, asks, seconds)
    return load_of(answered)._replace(rate=len(answered) / seconds)


def _wrk(base: str, asks: Sequence[Ask], seconds: float) -> Latencies:
    with tempfile.NamedTemporaryFile("w", suffix=".tsv") as file:
        file.writelines("\t".join(ask) + "\n" for ask in asks)
        file.flush()
        options = ["-t1", f"-c{CONNECTIONS}", f"-d{seconds:.0f}s", "--timeout", "10s"]
        command = ["wrk", *options, "-s", HERE / "requests.lua", base, file.name]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    result = next(line for line in done.stdout.splitlines() if line.startswith("RESULT"))
    rate, p50, p99, refused, failed = (float(word) for word in result.split()[1:])
    if refused or failed:
        raise RuntimeError(f"{refused:.0f} refused and {failed:.0f} failed of {asks[0]}")
    return Latencies(rate, p50 / 1000, p99 / 1000)
