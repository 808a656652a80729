"""Parts of the fault tests: a Redis to inject faults into, an API that uses it, and clients."""

import itertools
import json
import re
import resource
import signal
import threading
import time
from typing import NamedTuple

import redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from skye import Outcome
from skye.positions import action_of, apply_actions
from skye.positions.record import Record, replay
from skye_server.games.absence import with_gave_up
from skye_server.games.events import HostedEvent, PositionSet
from skye_server.server.embedded_redis import RedisServer
from skye_server.store.codec import decode_entry, decode_game
from skye_server.store.redis_store import RedisStore
from tests.deploy.servers import JSON, Instance, messages
from tests.support.launcher import children, open_files
from tests.support.waiting import MAX_RUN_S, MAX_WAIT_S, waited_for
from tests.system.network import NoFault, Relay

TIMEOUT_MS, WAIT_MS = 300, 1500
SETTINGS = {
    "SKYE_REDIS_TIMEOUT_MS": str(TIMEOUT_MS),
    "SKYE_REDIS_WAIT_MS": str(WAIT_MS),
    "SKYE_REDIS_RESERVE_PERCENT": "0",  # a worker would report a full memory for seconds after its repair
}
MAX_S = 30 * (TIMEOUT_MS + WAIT_MS) / 1000
"""The maximum duration of a request in seconds: many times that of the settings, for a busy machine."""

SLOW_LOAD, LOAD_DELAY_US = 60_000, 2000
"""Commands in a file that takes two minutes to load; meanwhile Redis responds only after each thousand."""

MAX_CONNECTIONS = 18
"""The maximum number of connections to Redis: one for each concurrent request, and two subscribers."""


class Redis:
    """A Redis server with an append-only file, with a file size limit that `fill_disk` sets.

    Once it is `stuck`, killing it is the repair.
    """

    def __init__(self, program, folder, address):
        # SIGXFSZ, which the kernel sends for a file too large, would kill; a full disk does not.
        wrapper, self._more = folder / "redis.sh", folder / "more"
        wrapper.write_text(f"#!/bin/sh\ntrap '' XFSZ\nexec {program} \"$@\" $(cat more)\n")
        wrapper.chmod(0o700)
        self._more.touch()
        self.stuck = False
        self.server = RedisServer(wrapper, folder, address)
        self.client = redis.Redis(
            host=address.host, port=address.port, socket_timeout=MAX_WAIT_S, retry=Retry(NoBackoff(), 0)
        )

    @property
    def pid(self):
        return self.server.process.pid

    def start(self):
        self.server.start()
        self.server.wait_until_ready()
        return self

    def load_slowly(self):
        """Kill the server, and restart it with a file that takes minutes to load."""
        with self.client.pipeline(transaction=False) as pipeline:
            for number in range(SLOW_LOAD):
                pipeline.set("filler", number)
            pipeline.execute()
        self.wait_until_written()
        self.kill()
        self._more.write_text(f"--key-load-delay {LOAD_DELAY_US}")
        self.stuck = True
        self.server.start()
        assert waited_for(self._is_loading)
        self._more.write_text("")

    def _is_loading(self):
        try:
            return not self.client.ping()
        except redis.exceptions.BusyLoadingError:
            return True
        except redis.ConnectionError:
            return False

    def wait_until_written(self):
        """Wait until its file has all acknowledged changes: `everysec` may postpone writes for seconds."""
        assert waited_for(lambda: not self.client.info("persistence")["aof_buffer_length"])

    def kill(self):
        self.server.process.kill()
        self.server.process.wait()

    def suspend(self):
        self.server.process.send_signal(signal.SIGSTOP)

    def resume(self):
        self.server.process.send_signal(signal.SIGCONT)

    def restart_empty(self):
        """Restart without a file, as after the loss of a disk."""
        self.kill()
        for file in sorted(self.server.folder.glob("appendonlydir/*")):
            file.unlink()
        self.start()

    def fill_disk(self, spare=0):
        """Limit the growth of its files to `spare` bytes."""
        largest = max(file.stat().st_size for file in self.server.folder.rglob("*") if file.is_file())
        resource.prlimit(self.pid, resource.RLIMIT_FSIZE, (largest + spare, resource.RLIM_INFINITY))

    def free_disk(self):
        resource.prlimit(self.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))

    def repair(self):
        """Undo all faults, or restart the server."""
        if self.stuck:
            self.kill()
            self.stuck = False
        if not self.server.running:
            self.start()
        self.resume()
        self.free_disk()
        self.client.client_unpause()
        self.client.replicaof("NO", "ONE")
        for setting, value in (("maxmemory", 0), ("requirepass", ""), ("maxclients", 1000)):
            self.client.config_set(setting, value)

    def connections(self):
        """Return the number of connected clients, without this one."""
        return len(self.client.client_list()) - 1

    def end(self):
        self.client.close()
        if self.server.running:
            self.resume()
        self.server.stop()


class Parts(NamedTuple):
    """A Redis, the relay to it, and an API of two workers at the relay's other end."""

    redis: Redis
    relay: Relay
    api: Instance

    @property
    def workers(self):
        return sorted(children(self.api.process.pid))

    def repair(self):
        """Undo all faults, and check that the parts recover without a restart."""
        self.relay.fault = NoFault()
        self.redis.repair()
        assert waited_for(self.api.answers), self.api.log.read_text()

    def logged_errors(self):
        """Return tracebacks in the log, and counts of internal errors."""
        metrics = self.api.call("GET", "/metrics").body.decode()
        counted = re.findall(r'skye_requests_total{.*status="(?:500|other)"} [1-9].*', metrics)
        return re.findall(r".*(?:Traceback|exception|WORKER TIMEOUT).*", self.api.log.read_text()) + counted


class RetryingPlayer:
    """A client that retries each request, with the same idempotency key, until it is accepted.

    `versions` are the versions that its writes have produced.
    """

    _keys = itertools.count()

    def __init__(self, api):
        self._api = api
        self.versions = []
        self.refused_calls = 0

    def call(self, method, path, body=None, token=None):
        headers = JSON | {"Idempotency-Key": f"retrying-{next(self._keys)}-0123456789abcdefghijk"}
        if token:
            headers["Authorization"] = f"Bearer {token}"
        sent, until = None if body is None else json.dumps(body), time.monotonic() + MAX_WAIT_S
        while (answer := call_in_time(self._api, method, path, sent, headers)).status == 503:
            check_unavailable(answer)
            self.refused_calls += 1
            assert time.monotonic() < until, answer
            time.sleep(0.02)
        assert answer.status in (200, 201), answer
        if method != "GET":
            self.versions.append(answer.json.get("version") or answer.json["game"]["version"])
        return answer.json


def call_in_time(api, method, path, body=None, headers=()):
    """Return a response, which must arrive within `MAX_S` and not be an internal error."""
    started = time.monotonic()
    answer = api.call(method, path, body, headers)
    assert time.monotonic() - started < MAX_S, (method, path, answer.status)
    assert answer.status < 500 or answer.status == 503, (method, path, answer)
    return answer


def call_until_available(api, method, path, body=None, headers=()):
    """Return the first answer other than 503: a busy machine may also be too slow for the settings.

    :param method: of a request that is safe to repeat.
    """
    answers = []

    def is_settled():
        answers.append(call_in_time(api, method, path, body, headers))
        return answers[-1].status != 503

    assert waited_for(is_settled), answers[-1]
    return answers[-1]


def check_unavailable(answer):
    """Check that a response is `store_unavailable` with `Retry-After`."""
    assert (answer.status, answer.json["code"]) == (503, "store_unavailable"), answer
    assert int(answer.headers["Retry-After"]) > 0


class StreamReader:
    """Follows a game by one stream; stores the numbers of its events, and the reason of its end."""

    def __init__(self, api, game):
        self.events, self.end = [], None
        self._thread = threading.Thread(target=self._follow, args=(api, game))
        self._thread.start()
        assert waited_for(lambda: self.events)

    def _follow(self, api, game):
        with api.follow(game) as stream:
            for name, data in messages(stream, MAX_RUN_S):
                if name == "message":
                    self.events.append(data["id"])
                elif name == "end":
                    self.end = data["reason"]

    def ended(self):
        """Wait for the end of the stream; return its reason."""
        self._thread.join(MAX_WAIT_S)
        assert not self._thread.is_alive()
        return self.end


def check_stored_game(client, game_id):
    """Check that a game in Redis is consistent: version, log, and the state that its actions lead to."""
    stored, entries = RedisStore(client).games.load_with_log(game_id)
    table = decode_game(stored)
    changes = [change for entry in entries for change in decode_entry(entry)]
    numbers = [change.first_event + place for change in changes for place in range(len(change.events))]
    assert numbers == list(range(1, table.last_event + 1))
    assert [change.version for change in changes] == list(range(1, table.version + 1))
    events = [event for change in changes for event in change.events if not isinstance(event, HostedEvent)]
    actions = tuple(filter(None, map(action_of, events)))
    colors = tuple(seat.color for seat in table.seats)
    hosted = [event for change in changes for event in change.events]
    gave_up = with_gave_up(table).state.gave_up
    options = table.options.for_engine(table.first_seat)
    record = Record(colors, table.options.seed, options, actions, gave_up=gave_up)
    starts = [event.state._replace(gave_up=gave_up) for event in hosted if isinstance(event, PositionSet)]
    played = [Outcome(starts[0], ()), *apply_actions(starts[0], actions)] if starts else replay(record)
    assert played[-1].game == table.state
    return table


def sockets(pids):
    """Return how many sockets some processes have open."""
    return sum(str(file).startswith("socket:") for pid in pids for file in open_files(pid))
