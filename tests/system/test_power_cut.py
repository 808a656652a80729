"""A power cut of the machine of a Redis with `appendfsync everysec` loses data that was not on the disk.

A test cannot cut the power. It looks at the append-only file while games are played, and afterwards starts
Redis on what the file held at some moment, torn off at any byte: what a disk holds to which nothing later was
written. How much later that is than the last second's `fsync` is Redis's promise and no test's.
"""

import copy
import itertools
import random
import secrets
import threading
import time

from tests.support.sizes import sized
from tests.support.waiting import waited_for
from tests.system.durability import wait_for_play
from tests.system.machines import Machines, OneRedis
from tests.system.players import Match
from tests.system.proof import prove, require
from tests.system.storm import Storm
from tests.system.wire import Wire, bearer

GAMES, CUTS, PLAY_S = sized((4, 2, 2), (6, 6, 8))
MAX_CUTS = 50
"""Cuts are made until one has taken back an action that can be sent again."""

POSTPONED_S = 2.2
"""The maximum time in seconds that Redis replies before it writes, while an `fsync` is running.

Redis waits for two seconds, and reads the time ten times a second.
"""


class Growth:
    """How long a growing file was at which time."""

    def __init__(self, file):
        self.file, self.seen = file, []
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._watch)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._stopped.set()
        self._thread.join()

    @property
    def longest_pause_s(self):
        """The longest time between two looks at the file: the whole machine may have stood still then."""
        return max(later - earlier for (earlier, _), (later, _) in itertools.pairwise(self.seen))

    def _watch(self):
        while not self._stopped.wait(0.01):
            self.seen.append((time.time(), self.file.stat().st_size))


def appended(folder):
    """Return the file that Redis, whichever version, appends changes to."""
    return max(folder.glob("**/*.aof"), key=lambda file: file.stat().st_mtime)


def cut_back(machines, file, content):
    """Start Redis on another content of its file."""
    machines.store.break_off()
    file.write_bytes(content)
    machines.store.start()


def prove_what_is_left(match, wire, kept_until):
    """Compare a game with its state before a cut; return the lost actions, all later than a time."""
    reply = wire.ask_until_answered("GET", match.path)
    if reply.status == 404:
        require(match.opened > kept_until, match.path, "is lost")
        return [entry for seat in match.seats for entry in seat.journal if entry.after is not None]
    view = reply.json
    left = Match(match.game, match.seed, match.host, [copy.copy(seat) for seat in match.seats], match.opened)
    lost = []
    for seat in left.seats:
        lost += [entry for entry in seat.journal if (entry.after or 0) > view["version"]]
        seat.journal = [entry for entry in seat.journal if (entry.after or 0) <= view["version"]]
        seat.marks = {number: mark for number, mark in seat.marks.items() if number <= view["last_event"]}
    require(all(entry.answered > kept_until for entry in lost), match.path, "has lost more than it may")
    if view["last_event"] >= max(seat.first["last_event"] for seat in left.seats):
        prove(left, wire)
    return lost


def send_again(match, wire, lost):
    """Retry the first lost action of a game, twice: it must take effect once."""
    view = wire.read(match.path)
    for entry in lost:
        if entry.key and entry.after == view["version"] + 1:
            headers = bearer(match.seats[entry.seat].token) | {"Idempotency-Key": entry.key}
            for _ in range(2):
                reply = wire.ask_until_answered(*entry.request, headers)
                require((reply.status, reply.json["version"]) == (200, entry.after), entry, reply)
            require(wire.read(match.path)["version"] == entry.after, entry, "was made twice")
            return 1
    return 0


def test_power_cut_loses_only_the_last_changes(redis_program, tmp_path):
    seed = secrets.token_hex(4)
    dice, sent_again = random.Random(seed), 0
    with Machines(OneRedis(redis_program, tmp_path), tmp_path) as machines:
        file = appended(tmp_path)
        with Growth(file) as growth, Storm(machines.ports, seed, GAMES) as crowd:
            wait_for_play(crowd, time.time())
            waited_for(lambda: crowd.wrong, PLAY_S)
        assert not crowd.wrong, crowd.wrong
        postponed_s = POSTPONED_S + 2 * growth.longest_pause_s
        content, wire = file.read_bytes(), Wire(machines.ports, dice)
        for cut in range(MAX_CUTS):
            if cut >= CUTS and sent_again:
                break
            moment, size = dice.choice(growth.seen)
            torn = min(size + dice.randrange(3000), len(content))
            cut_back(machines, file, content[:torn])
            for match, _ in crowd.matches:
                try:
                    lost = prove_what_is_left(match, wire, moment - postponed_s)
                except AssertionError as error:
                    raise AssertionError(f"with the seed {seed!r}: {error}") from error
                if wire.ask_until_answered("GET", match.path).status == 200:
                    sent_again += send_again(match, wire, lost)
        wire.close()
    assert sent_again > 0
