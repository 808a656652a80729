"""Games of many concurrent players, during faults of the servers."""

import random
import threading
from collections import Counter

from tests.system.client_threads import ClientThreads
from tests.system.players import open_match
from tests.system.spectators import Spectator
from tests.system.wire import Wire


class Storm(ClientThreads):
    """Games that are played at once by the clients of `ports`, a new one for each that ends.

    Each seat is a thread of its own, and so is the spectator that each game has. `matches` are pairs of a
    game and its spectator. With `may_go_back` games may be seen to lose what nobody was acknowledged.
    """

    def __init__(self, ports, seed, games, *, may_go_back=False):
        super().__init__(games)
        self._ports, self._seed, self._may_go_back = ports, seed, may_go_back
        self._wires = []
        self.matches = []

    def __exit__(self, *_):
        super().__exit__()
        for wire in self._wires:
            wire.close()

    @property
    def counts(self):
        """How many requests were answered with each status, or not."""
        return sum((wire.counts for wire in self._wires), Counter())

    def responses(self, port):
        """Return how many responses came from a port."""
        return sum(wire.responses[port] for wire in self._wires)

    def has_acted_since(self, moment):
        """Return whether an action has been acknowledged since a time of `time.time`."""
        latest = self.matches[-2 * len(self._threads) :]
        last = (entry for match, _ in latest for seat in match.seats for entry in seat.journal[-2:])
        return any(entry.answered > moment for entry in last)

    def wire(self, dice):
        """Return a new client."""
        made = Wire(self._ports, dice, may_go_back=self._may_go_back)
        self._wires.append(made)
        return made

    def _run(self, slot):
        opening = self.wire(random.Random(f"{self._seed}/{slot}"))
        number = 0
        while not self._stopped.is_set():
            seed = f"{self._seed}/{slot}/{number}"
            match = open_match(opening, seed, self.wire, may_go_back=self._may_go_back)
            watching = self.wire(random.Random(seed))
            spectator = Spectator(watching, match.game, may_go_back=self._may_go_back)
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
            spectator.leave()
            watching.join()
            for wire in (spectator.wire, *(seat.wire for seat in match.seats)):
                wire.close()
            number += 1


class _Either(threading.Event):
    """An event that is set as well when another is."""

    def __init__(self, other):
        super().__init__()
        self._other = other

    def is_set(self):
        return super().is_set() or self._other.is_set()
