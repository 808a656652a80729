"""How much memory and how many connections the machines of a service take."""

import contextlib
import re
from dataclasses import dataclass
from pathlib import Path

import redis

from tests.support.launcher import children


@dataclass(frozen=True)
class Reading:
    """The measurements of one time.

    Of each worker, by its process, the memory in kilobytes and the number of open files; of Redis its memory
    in bytes, its clients, its keys.
    """

    memory: dict
    files: dict
    redis_memory: int
    redis_clients: int
    redis_keys: int

    def __str__(self):
        workers = " ".join(f"{kilobytes / 1024:.1f}" for kilobytes in self.memory.values())
        redis = f"{self.redis_memory / 2**20:.1f} MB, {self.redis_clients} clients, {self.redis_keys} keys"
        return f"workers {workers} MB, {sum(self.files.values())} files; Redis {redis}"


def keys_without_end(machines):
    """Return the keys in Redis that will never expire."""
    with contextlib.closing(redis.Redis.from_url(machines.store.url)) as client:
        return [key for key in client.scan_iter(count=1000) if client.ttl(key) == -1]


def read(machines):
    """Measure machines as they are now."""
    workers = [pid for instance in machines.instances for pid in children(instance.process.pid)]
    memory, files = {}, {}
    for pid in workers:
        with contextlib.suppress(FileNotFoundError):
            status = Path(f"/proc/{pid}/status").read_text()
            memory[pid] = int(re.search(r"VmRSS:\s+(\d+) kB", status)[1])
            files[pid] = len(list(Path(f"/proc/{pid}/fd").iterdir()))
    with contextlib.closing(redis.Redis.from_url(machines.store.url)) as client:
        received = client.info()
        return Reading(memory, files, received["used_memory"], received["connected_clients"], client.dbsize())
