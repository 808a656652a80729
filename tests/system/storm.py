"""Games played by many at once, while the machines that keep them are killed."""

import contextlib
import os
import random
import signal
import threading
import traceback
from collections import Counter

from tests.conftest import free_port
from tests.deploy.servers import Instance, Nginx, nginx_program, waited_for
from tests.system.conftest import children, gone
from tests.system.players import open_match
from tests.system.spectators import Spectator
from tests.system.wire import Wire

PATIENCE_S = 120
"""How long a crowd may take to come to rest, on a machine that has much else to do."""


class Crowd:
    """Games that are played at once by the clients of `ports`, a new one for each that ends.

    Each seat is a thread of its own, and so is the spectator that each game has. `matches` are pairs of a
    game and its spectator; `wrong` is what went wrong with any.
    """

    def __init__(self, ports, seed, games):
        self._ports, self._seed = ports, seed
        self._stopped = threading.Event()
        self._slots = [threading.Thread(target=self._guard, args=(self._run, n)) for n in range(games)]
        self._wires = []
        self.matches = []
        self.wrong = []

    def __enter__(self):
        for thread in self._slots:
            thread.start()
        return self

    def __exit__(self, *_):
        self.stop()

    def stop(self):
        """Let everybody finish what they are about, and wait for that."""
        self._stopped.set()
        for thread in self._slots:
            thread.join(PATIENCE_S)
        if any(thread.is_alive() for thread in self._slots):
            self.wrong.append(f"a client is still waiting after {PATIENCE_S} s")

    @property
    def counts(self):
        """How many requests were answered with each status, or not."""
        return sum((wire.counts for wire in self._wires), Counter())

    def has_acted_since(self, moment):
        """Say whether an action has been acknowledged since a time by `time.time`."""
        latest = self.matches[-2 * len(self._slots) :]
        last = (entry for match, _ in latest for seat in match.seats for entry in seat.journal[-2:])
        return any(entry.answered > moment for entry in last)

    def wire(self, dice):
        """Return a new client's way to the service."""
        made = Wire(self._ports, dice)
        self._wires.append(made)
        return made

    def _run(self, slot):
        opening = self.wire(random.Random(f"{self._seed}/{slot}"))
        number = 0
        while not self._stopped.is_set():
            seed = f"{self._seed}/{slot}/{number}"
            match = open_match(opening, seed, self.wire)
            spectator = Spectator(self.wire(random.Random(seed)), match.game)
            self.matches.append((match, spectator))
            over = _Either(self._stopped)
            watching = threading.Thread(target=self._guard, args=(spectator.follow, over))
            players = [
                threading.Thread(target=self._guard, args=(seat.play, self._stopped)) for seat in match.seats
            ]
            for thread in (watching, *players):
                thread.start()
            for thread in players:
                thread.join()
            over.set()
            watching.join()
            for wire in (spectator.wire, *(seat.wire for seat in match.seats)):
                wire.close()
            number += 1
        opening.close()

    def _guard(self, run, *args):
        """Run a part of the crowd; what goes wrong with it stops all."""
        try:
            run(*args)
        except Exception:  # noqa: BLE001 - whatever it is, the test is told
            self.wrong.append(traceback.format_exc())
            self._stopped.set()


class Machines:
    """A Redis and two gunicorns that serve from it, each of which can be killed and comes back.

    Where there is nginx, it stands before the two, and clients come in by it as well as directly. `ports`
    are where. `kills` are counts by victim.
    """

    VICTIMS = ("worker", "gunicorn", "redis", "redis and worker")

    def __init__(self, redis, folder, **settings):
        self.redis = redis
        self._folder = folder
        self._nginx = None
        self._own = [free_port(), free_port()]
        self.ports = list(self._own)
        settings = {"SKYE_TRUSTED_PROXIES": "1"} | settings
        self.instances = [Instance(folder / f"api-{name}.sock", redis.url, **settings) for name in "ab"]
        self.kills = Counter()

    def __enter__(self):
        with contextlib.ExitStack() as unless_started:
            unless_started.callback(self.__exit__)
            self.redis.start()
            self.redis.wait_until_ready()
            for instance in self.instances:
                self._start(instance)
            if program := nginx_program():
                self._nginx = Nginx(program, self._folder)
                self.ports.append(self._nginx.port)
            unless_started.pop_all()
        return self

    def __exit__(self, *_):
        if self._nginx is not None:
            self._nginx.process.terminate()
            self._nginx.process.wait(10)
        for instance in self.instances:
            if instance.process is not None:
                kill_all(instance.process)
        self.redis.stop()

    def _start(self, instance):
        instance.start(f"127.0.0.1:{self._own[self.instances.index(instance)]}")

    def kill(self, victim, dice):
        """Kill a victim, of several by the dice, and bring it back."""
        instance = dice.choice(self.instances)
        self.kills[victim] += 1
        if "worker" in victim:
            kill_a_worker(instance.process, dice)
        if victim == "gunicorn":
            kill_all(instance.process)
            self._start(instance)
        if "redis" in victim:
            self.kill_redis()

    def kill_redis(self):
        """Kill Redis and start it again on the files that it left."""
        self.redis.process.kill()
        self.redis.process.wait()
        self.redis.start()
        self.redis.wait_until_ready()


def kill_a_worker(process, dice):
    """Kill one of a gunicorn's workers, which then starts another."""
    assert waited_for(lambda: children(process.pid)), "gunicorn has no worker"
    with contextlib.suppress(ProcessLookupError):
        os.kill(dice.choice(children(process.pid)), signal.SIGKILL)


def kill_all(process):
    """Kill a gunicorn and its workers."""
    if process.poll() is not None:
        return
    process.send_signal(signal.SIGSTOP)  # so that it starts no worker meanwhile
    workers = children(process.pid)
    for pid in (process.pid, *workers):
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    process.wait()
    assert gone(workers)


class _Either(threading.Event):
    """An event that is set as well when another is."""

    def __init__(self, other):
        super().__init__()
        self._other = other

    def is_set(self):
        return super().is_set() or self._other.is_set()
