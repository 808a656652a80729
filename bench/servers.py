"""Redis and gunicorn for the benchmark, as deployed, and their CPU time."""

from __future__ import annotations

import contextlib
import os
import random
import socket
import subprocess
import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

import redis

from skye_server.server.embedded_redis import RedisServer
from skye_server.server.processes import stop
from skye_server.setting_parsers import Address
from skye_server.store.redis_store import RedisStore

ROOT = Path(__file__).parent.parent
WORKERS = 2


class Server(NamedTuple):
    """A gunicorn server: its URL, the process id of its master, and its Redis."""

    base: str
    pid: int
    redis_url: str
    redis_pid: int

    @property
    def workers(self) -> list[int]:
        """The process ids of its workers."""
        return [int(pid) for pid in Path(f"/proc/{self.pid}/task/{self.pid}/children").read_text().split()]


@contextlib.contextmanager
def redis_server(program: Path, folder: Path) -> Iterator[RedisServer]:
    """Run Redis with an append-only file, as deployed, but without rewriting the file."""
    folder.mkdir(exist_ok=True)
    with RedisServer(program, folder, Address("127.0.0.1", free_port())) as server:
        server.wait_until_ready()
        with redis.Redis.from_url(server.url) as client:
            client.config_set("auto-aof-rewrite-percentage", 0)
            RedisStore(client).claim_layout()  # games are stored here before the first worker reads
        yield server


@contextlib.contextmanager
def gunicorn(application: str, redis: RedisServer, **settings: str) -> Iterator[Server]:
    """Serve an application with the settings of a deployment, and other settings."""
    address = Address("127.0.0.1", free_port())
    ours = {"SKYE_REDIS_URL": redis.url, "SKYE_BIND": str(address), "SKYE_WORKERS": str(WORKERS)}
    command = [sys.executable, "-m", "gunicorn", "--config", "python:skye_server.worker.gunicorn_conf"]
    command.append(application)
    process = subprocess.Popen(command, env=os.environ | ours | settings, cwd=ROOT)
    assert redis.process is not None
    try:
        wait_for_answer(address, "/healthz", process)
        yield Server(f"http://{address}", process.pid, redis.url, redis.process.pid)
    finally:
        stop(process, 30)


def wait_for_answer(address: Address, path: str, process: subprocess.Popen[bytes]) -> None:
    """Wait until a GET gets a response, with any status.

    :raises RuntimeError: when the process ends, or after two minutes.
    """
    until = time.monotonic() + 120
    while time.monotonic() < until and process.poll() is None:
        with contextlib.suppress(OSError), socket.create_connection(address, timeout=30) as connection:
            connection.sendall(f"GET {path} HTTP/1.1\r\nHost: bench\r\nConnection: close\r\n\r\n".encode())
            if connection.recv(64).startswith(b"HTTP/1.1 "):
                return
        time.sleep(0.01)
    raise RuntimeError(f"no response from {address}")


_PORTS = range(30_000, 32_768)
"""Ports below those that Linux assigns to outgoing connections, and above those of the tests."""


def free_port() -> int:
    """Return a free port of the loopback address.

    :raises RuntimeError: when no port is free.
    """
    for port in random.sample(_PORTS, len(_PORTS)):
        with contextlib.suppress(OSError), socket.create_server(("127.0.0.1", port)):
            return port
    raise RuntimeError("no port is free")


def cpu_seconds(pids: Iterable[int]) -> float:
    """Return the CPU time of processes so far in seconds, the sum of all their threads."""
    tasks = [task for pid in pids for task in Path(f"/proc/{pid}/task").iterdir()]
    return sum(map(thread_nanoseconds, tasks)) / 1e9


def thread_nanoseconds(task: Path) -> int:
    """Return the CPU time of a thread; 0 if it has ended."""
    try:
        return int((task / "schedstat").read_text().split()[0])
    except (FileNotFoundError, ProcessLookupError):
        return 0
