"""Play thousands of games at once with hundreds of spectators, and check all responses.

    python -m gevent.monkey --module tests.system.soak --games 2000 --streams 500 --minutes 10

Two gunicorns behind nginx serve them from one Redis. Every game that ends is proven by its players' journals,
and at the end nothing may have grown that should not: the workers' memory, connections, keys in Redis. The
clients are one process of this program; gevent makes its thousands of threads cheap.
"""

import argparse
import contextlib
import json
import os
import random
import re
import resource
import secrets
import sys
import tempfile
import threading
import time
from collections import Counter
from pathlib import Path

from werkzeug.datastructures import Headers

from skye_server.server.server_programs import find_program
from tests.contract.checked import Contract, read_document
from tests.deploy.servers import nginx_program
from tests.support.waiting import MAX_RUN_S, MAX_WAIT_S, waited_for
from tests.system import gauges
from tests.system.client_threads import ClientThreads
from tests.system.invariants import prove_alike, prove_result, prove_secrecy
from tests.system.machines import Machines, OneRedis
from tests.system.players import open_match
from tests.system.proof import prove, require
from tests.system.spectators import Spectator
from tests.system.wire import Wire, bearer

QUICK, QUICK_SHARE = 0.03, 0.6
"""So many of the games are played quickly enough to end, and take so much of all actions."""

LOOKED_AT, CHECKED, POSTED_AGAIN = 0.03, 0.02, 0.05
MAX_PROVEN = 50
"""Of the games that are not over at the end, about so many are proven all the same."""

KEPT_BY_NGINX = 64
"""The number of idle connections that each worker of nginx keeps open (`keepalive` in upstream.conf)."""

KEPT_S = MAX_RUN_S
"""How long games that are over, and answers to keys, are kept here."""

_OF_ALL_GAMES = re.compile(rb"skye:(\{index\}:|\{s\d+\}:due\.|\{rulesets\}:|\{clock\}:(outages|layout)$)")
"""The keys that have entries of many games, or the data of their ruleset, and do not expire."""

MAX_GROWN_KB = 12_000
"""A worker keeps up to 256 games at hand, of up to 30 KB each in the last round, and its connections."""

SETTINGS = {
    "SKYE_GAME_TTL_FINISHED_S": str(KEPT_S),
    "SKYE_GAME_TTL_ABORTED_S": str(KEPT_S),
    "SKYE_IDEMPOTENCY_TTL_S": str(KEPT_S),
    "SKYE_TRUSTED_PROXIES": "1",
    "SKYE_LIMITS": "off",
}


def address(slot):
    """Return the loopback address of a game's players: nginx limits the requests in progress of each."""
    return f"127.1.{slot // 250}.{slot % 250 + 1}"


class Soak(ClientThreads):
    """Concurrent games with `rate` actions a second in all, and their results."""

    def __init__(self, ports, seed, games, streams, rate):
        super().__init__(games)
        self._ports, self._seed, self._streams = ports, seed, streams
        quick = max(1, round(games * QUICK))
        self._pauses_s = [
            quick / (rate * QUICK_SHARE) if slot < quick else (games - quick) / (rate * (1 - QUICK_SHARE))
            for slot in range(games)
        ]
        self._proven = MAX_PROVEN / games
        self._contract = Contract(read_document())
        self._dice = random.Random(seed)
        self._wires = []
        self.found = Counter()
        self.seconds = {"GET": [], "write": []}

    @property
    def counts(self):
        """How many requests were answered with each status, or not."""
        return sum((wire.counts for wire in self._wires), Counter())

    def _wire(self, dice, slot):
        wire = Wire(self._ports, dice, self._check, source=address(slot))
        self._wires.append(wire)
        return wire

    def _check(self, method, path, reply):
        """Record the time of a response, and validate some responses against the contract."""
        if not self._stopped.is_set():
            self.seconds["GET" if method == "GET" else "write"].append(reply.seconds)
        if self._dice.random() < CHECKED:
            self._contract.check(method, path.partition("?")[0], AsFlask(reply))
            self.found["held against the contract"] += 1

    def _run(self, slot):
        dice = random.Random(f"{self._seed}/{slot}")
        wire = self._wire(dice, slot)
        self._stopped.wait(dice.uniform(0, self._pauses_s[slot]))
        for number in range(1000):
            if self._stopped.is_set():
                break
            match = open_match(wire, f"{self._seed}/{slot}/{number}", lambda _: wire)
            self._play_and_prove(match, wire, dice, slot)
        wire.close()

    def _play_and_prove(self, match, wire, dice, slot):
        """Play one game to its end, or abort it at the end of the soak; then compare it with the events."""
        pause_s = self._pauses_s[slot]
        with self._looked_on(match, dice, slot) as spectator:
            while not (self._stopped.is_set() or match.is_over):
                match.step(dice)
                if dice.random() < LOOKED_AT:
                    self._look(match, wire, dice)
                self._stopped.wait(dice.uniform(0, 2 * pause_s))
            if not match.is_over:
                reply = wire.ask_until_answered("POST", f"{match.path}/abort", headers=bearer(match.host))
                require(reply.status in (200, 409), match.path, reply)  # 409: its own proposal is open
                for number, seat in enumerate(match.seats):
                    answer = f"{match.path}/players/{number}/proposal"
                    wire.ask_until_answered("POST", answer, {"accept": True}, bearer(seat.token))
                status = wire.read(match.path)["status"]
                require(status == "aborted", match.path, status)
        if match.is_over or dice.random() < self._proven:
            self._prove(match, wire, spectator, again=match.is_over and dice.random() < POSTED_AGAIN)

    def _look(self, match, wire, dice):
        self.found["looked at"] += 1
        prove_alike(match, wire)
        dice.choice(match.seats).listen()

    @contextlib.contextmanager
    def _looked_on(self, match, dice, slot):
        """A spectator of some of the games, to their ends; or None."""
        if slot % max(1, len(self._pauses_s) // self._streams):
            yield None
            return
        open_gold = match.seats[0].first["options"]["open_gold"]
        spectator = Spectator(
            self._wire(dice, slot),
            match.game,
            check=lambda event: prove_secrecy(event, match.seed, open_gold=open_gold),
        )
        gone = threading.Event()
        watching = threading.Thread(target=self._guard, args=(spectator.follow, gone))
        watching.start()
        try:
            yield spectator
            watching.join(MAX_WAIT_S)
            require(spectator.is_over, match.path, "the stream has not sent the end")
        finally:
            gone.set()
            watching.join(MAX_WAIT_S)

    def _prove(self, match, wire, spectator, *, again):
        self.found += prove(match, wire, spectator, again=again)
        self.found["games proven"] += 1
        if spectator is not None:
            self.found["streams"] += spectator.opened
            self.found["events streamed"] += len(spectator.marks)
        if match.is_over:
            prove_result(match, wire)
            self.found["games finished"] += 1


_OF_THE_WAY = {"connection", "keep-alive", "server", "transfer-encoding"}


class AsFlask:
    """A response in the format of the contract checks, without headers that nginx adds."""

    def __init__(self, reply):
        self.status_code, self.data = reply.status, reply.body
        pairs = reply.headers.items()
        self.headers = Headers([pair for pair in pairs if pair[0].lower() not in _OF_THE_WAY])
        self.mimetype = self.headers.get("Content-Type", "").partition(";")[0]

    @property
    def json(self):
        return json.loads(self.data)

    @property
    def text(self):
        return self.data.decode()


def soaked(machines, seed, games, streams, rate, play_s):
    """Play for some seconds; return the soak, and the readings before, during and after it."""
    readings = [gauges.read(machines)]
    with Soak(machines.ports[-1:], seed, games, streams, rate) as soak:
        until = time.monotonic() + play_s
        while not soak.wrong and time.monotonic() < until:
            waited_for(lambda: soak.wrong, min(10.0, play_s / 8))
            readings.append(gauges.read(machines))
            sent = sum(soak.counts.values())
            print(
                f"{sent} requests, {soak.found['games finished']} games finished; {readings[-1]}", flush=True
            )
    assert not soak.wrong, f"with the seed {seed!r}:\n{soak.wrong[0]}"
    return soak, [*readings, gauges.read(machines)]


def prove_steady(machines, readings, clients):
    """Check that no resource has leaked, and that all are released."""
    before, *meanwhile, after = readings
    require(before.memory.keys() == after.memory.keys(), "workers have come and gone")
    half = meanwhile[len(meanwhile) // 2]
    for worker, kilobytes in meanwhile[-1].memory.items():
        grown = kilobytes - half.memory[worker]
        require(grown < MAX_GROWN_KB, f"worker {worker} has grown by {grown} KB in the second half")
    # A client waits for one answer at a time, and only for that is Redis asked.
    require(after.redis_clients <= before.redis_clients + clients, "connections to Redis", after)
    let_go = waited_for(lambda: files_left(before, gauges.read(machines)) <= 0)
    require(let_go, "files or connections are left open", before, gauges.read(machines))
    # The lists and the due queue have an entry for each game, which its end removes; outages are few.
    forever = [key for key in gauges.keys_without_end(machines) if not _OF_ALL_GAMES.match(key)]
    require(not forever, "keys that never expire:", forever[:5])


def files_left(before, now):
    """Return how many files the workers have open beyond those that they may keep."""
    to_redis = now.redis_clients - before.redis_clients
    from_nginx = KEPT_BY_NGINX * os.cpu_count()
    return sum(now.files.values()) - sum(before.files.values()) - to_redis - from_nginx


def percentiles(seconds):
    """Return the median and the 99th percentile in milliseconds."""
    ordered = sorted(seconds)
    return [round(1000 * ordered[int(len(ordered) * share)], 1) for share in (0.5, 0.99)]


def report(soak, readings):
    """Print the results."""
    for kind, seconds in soak.seconds.items():
        print(kind, len(seconds), "p50 and p99 in ms:", *percentiles(seconds))
    for found in (soak.found, soak.counts):
        print(", ".join(f"{name}: {number}" for name, number in sorted(found.items(), key=str)))
    print("before:", readings[0])
    print("after:", readings[-1], flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--games", type=int, default=2000, help="how many games are played at once")
    parser.add_argument("--streams", type=int, default=500, help="how many of them are followed")
    parser.add_argument("--rate", type=float, default=100, help="actions a second, over all games")
    parser.add_argument("--minutes", type=float, default=10, help="how long to go on")
    parser.add_argument("--seed", default=None, help="by which games and moves are chosen")
    chosen = parser.parse_args()
    program = find_program() or sys.exit("There is no redis-server.")
    if not nginx_program():
        sys.exit("There is no nginx.")
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))  # each client is a connection
    seed = chosen.seed or secrets.token_hex(4)
    print(f"The seed is {seed}.", flush=True)
    with tempfile.TemporaryDirectory(prefix="skye-") as folder:
        redis = OneRedis(program, Path(folder))
        with Machines(redis, Path(folder), **SETTINGS) as machines:
            soak, readings = soaked(
                machines, seed, chosen.games, chosen.streams, chosen.rate, 60 * chosen.minutes
            )
            report(soak, readings)
            prove_steady(machines, readings, chosen.games + chosen.streams)
    print("Every answer was right, and nothing has grown that should not.")


if __name__ == "__main__":
    main()
