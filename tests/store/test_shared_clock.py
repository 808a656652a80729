"""The time of the service is that of Redis: a wrong clock of one machine times nobody out."""

import logging
import threading

import pytest

from skye_server import create_app
from skye_server.commands.current_games import Games
from skye_server.dispatch.process import dispatcher
from skye_server.error_codes import Problem
from skye_server.http.framework import collaborators
from skye_server.settings import Settings
from skye_server.store.redis_store import RedisStore
from skye_server.store.shared_clock import READ_S, SharedClock
from tests.support.playing import Clock, Service
from tests.support.waiting import waited_for

HOUR_S = 3_600
TURN_MS = 1_800_000


class Clocks:
    """The clocks of a Redis and of a machine, and the shared clock of a process there."""

    def __init__(self, own_ahead_s=0.0):
        self.redis, self.monotonic = Clock(), Clock(5.0)
        self.own_ahead_s = own_ahead_s
        self.is_up = True
        self.request_s = self.reply_s = 0.0
        self.read_by = None
        self.differences = []
        self.shared = SharedClock(self._read, lambda: self.redis() + self.own_ahead_s, self.monotonic)
        self.shared.on_reading = self.differences.append

    def _read(self):
        self.read_by = threading.current_thread()
        if not self.is_up:
            raise Problem("store_unavailable")
        self.pass_time(self.request_s)
        read = self.redis()
        self.pass_time(self.reply_s)
        return read

    def pass_time(self, seconds):
        self.redis.advance(seconds)
        self.monotonic.advance(seconds)

    def read_again(self):
        """Let time pass until the clock of Redis is read again, in a thread."""
        before = len(self.differences)
        self.pass_time(READ_S)
        self.shared()
        assert waited_for(lambda: len(self.differences) > before)


@pytest.mark.parametrize("ahead_s", [HOUR_S, -HOUR_S, 3.0, 0.0])
def test_clock_that_differs_from_redis_is_reported_once(ahead_s, caplog):
    caplog.set_level(logging.INFO)
    clocks = Clocks(ahead_s)
    for _ in range(2):
        assert clocks.shared() == clocks.redis()
        clocks.read_again()
    assert clocks.differences == [pytest.approx(ahead_s)] * 3
    words = (
        f"The clock of this machine is {abs(ahead_s):.0f} s {'ahead of' if ahead_s > 0 else 'behind'} that of"
    )
    assert caplog.text.count(words) == (ahead_s != 0)
    clocks.own_ahead_s = 0.5
    clocks.read_again()
    assert caplog.text.count("agrees with that of Redis again") == (ahead_s != 0)


@pytest.mark.parametrize(("request_s", "reply_s"), [(12.0, 0.0), (0.0, 12.0), (11.0, 3.0)])
def test_reading_that_takes_seconds_moves_no_clock(request_s, reply_s, caplog):
    clocks = Clocks()
    for _ in range(3):
        clocks.request_s, clocks.reply_s = request_s, reply_s
        clocks.pass_time(60)
        assert clocks.shared() == pytest.approx(clocks.redis())
        clocks.request_s = clocks.reply_s = 0.0
        clocks.read_again()
    assert caplog.text == ""


def test_clock_that_is_set_during_an_outage_changes_nothing():
    clocks = Clocks()
    clocks.shared()
    clocks.is_up = False
    for clocks.own_ahead_s in (HOUR_S, -HOUR_S):
        clocks.pass_time(60)
        assert clocks.shared() == clocks.redis()


def test_clock_of_the_process_counts_until_redis_can_be_read_once():
    clocks = Clocks(HOUR_S)
    clocks.is_up = False
    assert clocks.shared() == clocks.redis() + HOUR_S
    clocks.is_up = True
    assert clocks.shared() == clocks.redis()


def test_idle_process_reads_redis_before_it_returns_the_time():
    clocks = Clocks()
    clocks.shared()
    clocks.redis.advance(HOUR_S)  # the machine was suspended, and its monotonic clock with it
    clocks.pass_time(60)
    assert clocks.shared() == clocks.redis()
    assert clocks.read_by is threading.current_thread()


def timed(any_redis):
    """Return a service on the clock of Redis, and a game with a deadline in half an hour."""
    service = Service(any_redis, RedisStore(any_redis))
    service.app = create_app(Settings(), RedisStore(any_redis))
    service.http = service.app.test_client()
    return service, service.create_game(2, options={"turn_ms": TURN_MS})


def dispatch(store, clock):
    """Handle all that is due by a clock."""
    games = Games(store, Settings(), clock)
    dispatcher(games).run_due()


def test_dispatcher_an_hour_ahead_times_nobody_out(any_redis):
    service, game = timed(any_redis)
    store = RedisStore(any_redis)

    def ahead():
        return store.time() + HOUR_S

    before = game.view()["version"]
    dispatch(store, SharedClock(store.time, ahead))
    assert game.view()["version"] == before
    dispatch(store, ahead)  # the same on the clock of its machine
    assert game.view()["version"] > before
    assert "timed_out" in {
        event["type"] for event in service.get(f"{game.path()}/events?limit=100")["events"]
    }


def test_instance_an_hour_ahead_stamps_events_by_redis(any_redis):
    service, game = timed(any_redis)
    store = RedisStore(any_redis)
    service.app = create_app(Settings(), store, SharedClock(store.time, lambda: store.time() + HOUR_S))
    service.http = service.app.test_client()
    before = game.view()
    game.act_legally(0)
    after = game.view()
    assert after["version"] == before["version"] + 1
    at_ms = collaborators(service.app).games.now_ms()
    assert abs(at_ms / 1000 - store.time()) < 2
    changes = collaborators(service.app).games.changes_after(game.id, 0)[1]
    assert all(abs(change.at_ms - at_ms) < 60_000 for change in changes)
    assert after["deadline"] == before["deadline"]


def test_jump_of_redis_applies_one_deadline_of_a_game(any_redis):
    clocks = Clocks()
    service = Service(any_redis)
    service.app = create_app(Settings(), RedisStore(any_redis), clocks.shared)
    clocks.shared.on_reading = clocks.differences.append
    service.http = service.app.test_client()
    game = service.create_game(2, options={"turn_ms": TURN_MS})
    clocks.redis.advance(HOUR_S)
    clocks.read_again()
    collaborators(service.app).games.read(game.id, None)
    events = service.get(f"{game.path()}/events?limit=100")["events"]
    assert [event["type"] for event in events].count("timed_out") == 2  # both seats of one phase
    assert len({event["at"] for event in events if event["type"] == "timed_out"}) == 1
    assert game.view()["status"] == "playing"


def test_difference_of_the_clock_is_a_metric(service):
    collaborators(service.app).metrics.clock_read(-HOUR_S)
    assert "\nskye_clock_difference_seconds 3600.0\n" in service.call("GET", "/metrics").text
