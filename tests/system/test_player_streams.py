"""The stream of a player through kills and failovers: every event once, in order, of every game."""

import random
import threading
from collections import Counter

import pytest

from skye_client import HistoryLostError, RetryPolicy, Skye
from tests.support.sizes import sized
from tests.support.waiting import waited_for
from tests.system.machines import Machines, OneRedis
from tests.system.redis_forms import Sentinels
from tests.system.storm_on_redis import serving

GAMES = sized(12, 200)
ALONE = {"players": [{"name": "Ann"}, {"bot": "random"}], "auto_start": True}
PATIENT = RetryPolicy(attempts=1000, base_s=0.05, max_s=0.5, budget_s=120)
UNLIMITED = {"SKYE_LIMITS": "off"}


class Listener:
    """A client that follows a player in a thread. `seen` are the events since the store last lost some."""

    def __init__(self, url, key):
        self.seen, self.losses, self.failure = [], 0, None
        self._client = Skye(url, retry=PATIENT)
        self._player = self._client.player(key)
        self._thread = threading.Thread(target=self._follow, daemon=True)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._client.close()  # which ends the iterator with an error

    def _follow(self):
        while self.failure is None:
            try:
                for event in self._player.events():
                    self.seen.append(event)
            except HistoryLostError:
                self.losses += 1
                self.seen = []
            except Exception as error:  # noqa: BLE001 - the test fails with it, unless it is over
                self.failure = error


def prove(player, listener, games):
    """Check that the listener has received the stored events, two of each game, without a gap."""
    assert waited_for(lambda: listener.failure or len(listener.seen) >= 2 * len(games)), listener.failure
    stored = player.event_page(limit=1000)["events"]
    assert [event["id"] for event in listener.seen] == [event["id"] for event in stored]
    numbers = [int(event["id"].partition("-")[0]) for event in stored]
    assert numbers == list(range(1, 2 * len(games) + 1))
    of_each = Counter((event["game_id"], event["type"]) for event in stored)
    assert of_each == {(game, kind): 1 for game in games for kind in ("seat_taken", "your_turn")}


def losses(port, fail):
    """Create games of a player who is followed; prove the events, and return how often some were lost.

    `fail` is called with the number of each game.
    """
    url = f"http://127.0.0.1:{port}"
    with Skye(url, retry=PATIENT) as skye:
        player, games = skye.player(), []
        with Listener(url, player.key) as listener:
            for number in range(GAMES):
                games.append(player.games.create(ALONE)["game"]["id"])
                fail(number)
            prove(player, listener, games)
        return listener.losses


@pytest.mark.parametrize("victim", ["worker", "store", "gunicorn"])
def test_player_stream_through_kills_has_every_event_once(victim, redis_program, tmp_path):
    dice = random.Random(victim)
    with Machines(OneRedis(redis_program, tmp_path, "always"), tmp_path, **UNLIMITED) as machines:

        def fail(number):
            if number % (GAMES // 3) == 1:
                machines.kill(victim, dice)

        assert losses(machines.ports[-1], fail) == 0


def test_player_stream_through_a_failover_has_every_event_once(redis_program, tmp_path):
    settings = {"SKYE_REDIS_REPLICAS": "1", "SKYE_REDIS_TIMEOUT_MS": "1000"} | UNLIMITED
    with Sentinels(redis_program, tmp_path) as form, serving(tmp_path, form.url, **settings) as port:
        losses(port, lambda number: number == GAMES // 2 and form.master().kill())
