"""Kill processes at random times, repeatedly, and check that no acknowledged action is lost.

    python -m tests.system.durability --minutes 5 --seed storm

Worker processes, whole gunicorns, the dispatcher and Redis are killed (`kill -9`) and come back while games
are played on them; then every game is held against the journals of those who played it, and what was derived
of all games against what is derived of them again.
"""

import argparse
import contextlib
import random
import secrets
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from skye_server.server.server_programs import find_program
from tests.support.waiting import MAX_WAIT_S, waited_for
from tests.system.machines import FailingOver, Machines, OneRedis
from tests.system.proof import prove
from tests.system.rebuilt import prove_rebuilt
from tests.system.redis_forms import Cluster, Sentinels
from tests.system.storm import Storm
from tests.system.wire import Wire

MAX_KILLS = 100_000
POSTED_AGAIN = 10
"""Of so many games one is begun again from its record."""


ON_A_REPLICA = {"SKYE_REDIS_REPLICAS": "1", "SKYE_REDIS_TIMEOUT_MS": "1000"}

STORES = {
    "one": (lambda program, folder: OneRedis(program, folder, "always"), {}),
    "sentinels": (lambda program, folder: FailingOver(Sentinels(program, folder)), ON_A_REPLICA),
    "cluster": (lambda program, folder: FailingOver(Cluster(program, folder)), ON_A_REPLICA),
}
"""By name: the function that starts a store, and the settings with which it loses no acknowledged action."""


def served(store, program, folder):
    """Return the machines of a service that keeps its games in one of `STORES`, to be started."""
    make, settings = STORES[store]
    return Machines(make(program, folder), folder, **settings)


def survived(machines, seed, games, enough, victims=Machines.VICTIMS):
    """Let a crowd play while processes are killed, until `enough()` is true; then check all its games.

    `enough` is given how often each victim has been killed. Returns counts of all there was. Raises
    AssertionError, which names the seed.
    """
    dice = random.Random(seed)
    with Storm(machines.ports, seed, games, may_go_back=machines.store.may_go_back) as crowd:
        for victim in in_turn(victims, dice):
            if crowd.wrong or enough(machines.kills):
                break
            begun = time.time()
            time.sleep(dice.uniform(0.02, 0.5))
            machines.kill(victim, dice)
            wait_for_play(crowd, begun)
    assert not crowd.wrong, f"with the seed {seed!r}:\n{crowd.wrong[0]}"
    found = Counter(games=len(crowd.matches))
    with contextlib.closing(Wire(machines.ports, dice)) as wire:
        for number, (match, spectator) in enumerate(crowd.matches):
            try:
                found += prove(match, wire, spectator, again=number % POSTED_AGAIN == 0)
            except AssertionError as error:
                raise AssertionError(f"with the seed {seed!r}: {error}") from error
            found["finished"] += match.is_over
        prove_rebuilt(machines.store.url, wire)
    return found + crowd.counts


def in_turn(victims, dice):
    """Yield the next victim to kill, all equally often, in random order."""
    for _ in range(MAX_KILLS):
        yield from dice.sample(victims, len(victims))


def wait_for_play(crowd, begun, seconds=MAX_WAIT_S):
    """Wait until an action has been acknowledged since a time: without actions nothing can be lost."""
    if not waited_for(lambda: crowd.wrong or crowd.has_acted_since(begun), seconds):
        crowd.wrong.append(f"nothing was acknowledged for {seconds} s")


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--minutes", type=float, default=5, help="how long to go on killing")
    parser.add_argument("--seed", default=None, help="by which games, moves and victims are chosen")
    parser.add_argument("--store", default="one", choices=STORES, help="what the games are kept by")
    parser.add_argument("--games", type=int, default=8, help="how many games are played at once")
    chosen = parser.parse_args()
    program = find_program() or sys.exit("There is no redis-server.")
    seed = chosen.seed or secrets.token_hex(4)
    print(f"The seed is {seed}.", flush=True)
    until = time.monotonic() + 60 * chosen.minutes
    with (
        tempfile.TemporaryDirectory(prefix="skye-") as folder,
        served(chosen.store, program, Path(folder)) as machines,
    ):
        found = survived(machines, seed, chosen.games, lambda _: time.monotonic() > until)
    for name, number in (found + machines.kills).items():
        print(f"{name:>20} {number}")
    print("Nothing that was acknowledged is missing, nothing has happened twice.")


if __name__ == "__main__":
    main()
