"""What acknowledged changes a partition loses: games on Redis servers in network namespaces.

    unshare --net python -m tests.system.partitions SHAPE REPLICAS FOLDER

plays games on the servers of a shape while they are partitioned and a replica is elected, heals the partition
and prints counts as JSON. REPLICAS is SKYE_REDIS_REPLICAS; each master has two replicas. Every change sets
the offer of a seat to one that differs from the last, with a key, and is sent again until it is acknowledged.
"""

import contextlib
import itertools
import json
import sys
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from skye_server.server.server_programs import find_program
from skye_server.store.shards import key_of
from tests.deploy.servers import JSON, Instance
from tests.support.sizes import sized
from tests.support.waiting import MAX_WAIT_S, waited_for
from tests.system.hosts import DROP, REFUSE, Network
from tests.system.redis_forms import Cluster, Sentinels

GAMES = 4
PAUSE_S = 0.2
"""Between two offers of a seat, which may revise them 375 times: games are played for half a minute."""
COUNTED = ("acknowledged", "acknowledged_after_the_election", "lost", "doubled")
PLAYED_S = sized(2, 5)
"""How long games are played before the partition, after the election, and after the partition."""


def behind_sentinels(folder, new_host):
    """Return a master with two replicas, and three Sentinels."""
    return Sentinels(find_program(), folder, 1000, replicas=2, new_host=new_host)


def cluster(folder, new_host):
    """Return three masters, each with two replicas."""
    only = ("--cluster-allow-replica-migration", "no", "--cluster-require-full-coverage", "no")
    return Cluster(find_program(), folder, *only, replicas=2, new_host=new_host)


def concerns(form, game):
    """Return whether a game is stored by the first server, which is cut off."""
    return form.master(key_of(game.id, "game")) is form.servers[0]


def sentinels_refuse(form, api):
    """Part {master, first replica, API} from {second replica, Sentinels}, which refuse connections."""
    return *_around_a_master(form, api, form.sentinels), REFUSE


def sentinels_hang(form, api):
    """Part the same, without replies."""
    return *_around_a_master(form, api, form.sentinels), DROP


def one_sentinel_stays(form, api):
    """Part {master, first replica, one Sentinel, API} from {second replica, two Sentinels}."""
    near, *far = form.sentinels
    some, others = _around_a_master(form, api, far)
    return [*some, near.host], others, DROP


def _around_a_master(form, api, sentinels):
    master, replica, other = form.servers
    far = [other, *sentinels]
    return [api, master.host, replica.host], [server.host for server in far]


def master_with_the_api(form, api):
    """Part {master, first replica, API} from all other nodes of a cluster."""
    near = (form.servers[0], form.servers[3])
    far = [server.host for server in form.servers if server not in near]
    return [api, *(server.host for server in near)], far, DROP


def api_on_both_sides(form, api):
    """Part {master, first replica} from all other nodes of a cluster; the API reaches all."""
    some, others, how = master_with_the_api(form, api)
    return some[1:], others, how


SHAPES = {
    "sentinels_refuse": (behind_sentinels, sentinels_refuse),
    "sentinels_hang": (behind_sentinels, sentinels_hang),
    "one_sentinel_stays": (behind_sentinels, one_sentinel_stays),
    "master_with_the_api": (cluster, master_with_the_api),
    "api_on_both_sides": (cluster, api_on_both_sides),
}
"""By name: the servers, and the function that returns two sides and how packets between them end."""


class Game:
    """A game whose first seat sets its offer repeatedly; `acknowledged` are versions, offers and times."""

    def __init__(self, api):
        self._api = api
        body = {"players": [{"name": "Ann"}, {"name": "Bob"}], "auto_start": True}
        created = api.new_game(json.dumps(body).encode())
        self.id = created["game"]["id"]
        self._path = f"/v1/games/{self.id}"
        self._headers = {"Authorization": f"Bearer {created['players'][0]['token']}"}
        tiles = self._read("players/0/actions")["actions"][0]["constraints"]["tiles"]
        pairs = [(first, second) for first in range(1, 5) for second in range(1, 6 - first)]
        offers = [
            {
                "discard": tile,
                "prices": dict(zip([kept for kept in tiles if kept != tile], pair, strict=True)),
            }
            for tile in tiles
            for pair in pairs
        ]
        self._offers = itertools.cycle(offers)
        self.acknowledged = []
        self.sent = 0

    def _read(self, name):
        reply = self._api.call("GET", f"{self._path}/{name}", headers=self._headers)
        assert reply.status == 200, reply.body
        return reply.json

    def play(self, stopped):
        """Send offers until `stopped`, each until it is acknowledged."""
        while not stopped.is_set():
            offer = next(self._offers)
            self.sent += 1
            headers = (
                JSON | self._headers | {"Idempotency-Key": f"{self.id}-{self.sent}-0123456789abcdefghijk"}
            )
            while not stopped.is_set():
                reply = self._api.call("PUT", f"{self._path}/players/0/offer", json.dumps(offer), headers)
                if reply.status == 200:
                    self.acknowledged.append((reply.json["version"], offer, time.monotonic()))
                    time.sleep(PAUSE_S)
                    break
                assert reply.status == 503, reply.body

    def counts(self, elected_at, healed_at):
        """Compare what was acknowledged with the log."""
        reply = self._api.call("GET", self._path, headers=self._headers)
        assert reply.status in (200, 404), reply.body
        log = {}
        if reply.status == 200:
            actions = self._read("record")["actions"]
            first = reply.json["version"] - len(actions) + 1
            log = dict(enumerate(actions, first))
        made = [{name: action[name] for name in ("discard", "prices")} for action in log.values()]
        versions = Counter(version for version, _, _ in self.acknowledged)
        return Counter(
            acknowledged=len(self.acknowledged),
            acknowledged_after_the_election=sum(
                elected_at < at < healed_at for _, _, at in self.acknowledged
            ),
            lost=sum(not _is_made(log.get(version), offer) for version, offer, _ in self.acknowledged),
            # Offers that follow each other differ, unless some between them are lost.
            doubled=sum(times - 1 for times in versions.values())
            + sum(one == next_one for one, next_one in itertools.pairwise(made)),
        )


def _is_made(action, offer):
    return action is not None and all(action[name] == value for name, value in offer.items())


@contextlib.contextmanager
def serving(host, url, replicas, folder):
    """The API on a host."""
    settings = {
        "SKYE_REDIS_TIMEOUT_MS": "1000",
        "SKYE_REDIS_WAIT_MS": "1000",
        "SKYE_REDIS_REPLICAS": replicas,
    }
    api = Instance(folder / "api.sock", url, **settings)
    api.prefix = host.inside
    try:
        yield api.start()
    finally:
        api.kill()


def partitioned(shape, replicas, folder):
    """Return the counts of games that are played before, during and after a partition."""
    make, sides = SHAPES[shape]
    with Network(folder) as network, ThreadPoolExecutor(GAMES) as threads, contextlib.ExitStack() as last:
        form, host = last.enter_context(make(folder, network.host)), network.host()
        api = last.enter_context(serving(host, form.url, replicas, folder))
        stopped = threading.Event()
        last.callback(stopped.set)
        games = []
        while len(games) < GAMES:
            games += [game for game in [Game(api)] if concerns(form, game)]
        playing = [threads.submit(game.play, stopped) for game in games]

        def play_goes_on():
            since = [len(game.acknowledged) for game in games]
            assert waited_for(
                lambda: (
                    any(each.done() for each in playing)
                    or all(len(game.acknowledged) > known for game, known in zip(games, since, strict=True))
                )
            )

        play_goes_on()
        time.sleep(PLAYED_S)
        some, others, how = sides(form, host)
        network.part(some, others, how)
        assert waited_for(lambda: not concerns(form, games[0]))
        elected_at = time.monotonic()
        time.sleep(PLAYED_S)
        healed_at = time.monotonic()
        network.heal()
        form.wait_until_whole()
        play_goes_on()
        stopped.set()
        for each in playing:
            each.result(MAX_WAIT_S)
        found = sum((game.counts(elected_at, healed_at) for game in games), Counter())
        return {"shape": shape, "replicas": int(replicas)} | {name: found[name] for name in COUNTED}


def main():
    shape, replicas, folder = sys.argv[1], sys.argv[2], Path(sys.argv[3])
    sys.stdout.write(json.dumps(partitioned(shape, replicas, folder)) + "\n")


if __name__ == "__main__":
    main()
