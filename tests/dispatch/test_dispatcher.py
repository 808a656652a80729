"""The dispatcher applies deadlines and writes the events of players, without a request."""

import threading
import time

import pytest

from skye_server import dispatch
from skye_server.commands.current_games import Games
from skye_server.dispatch.dispatcher import Dispatcher
from skye_server.dispatch.process import attend_game
from skye_server.error_codes import Problem
from skye_server.features import Handler
from skye_server.games.due import Due
from skye_server.settings import DAY_S, RENEWAL_S, Settings
from skye_server.store import due_queue
from skye_server.store.codec import decode_game
from skye_server.store.connection.pubsub import ChangeSubscriber
from skye_server.store.games import EXPIRY_S
from skye_server.store.redis_games import RedisGames
from skye_server.store.shards import SHARDS, key_of
from tests.support.dispatching import dispatcher_of, entries, games_of
from tests.support.playing import new_key
from tests.support.waiting import waited_for

TURN_S = 60


@pytest.fixture
def dispatcher(service):
    return dispatcher_of(service)


def stored(game):
    """Return a game as it is stored, without a request that would apply its deadline."""
    return decode_game(game.service.redis.get(key_of(game.id, "game")))


def timed(service, **more):
    return service.create_game(2, options={"turn_ms": TURN_S * 1000, "first_seat": 0}, **more)


def test_missed_deadline_is_applied_without_a_request(service, dispatcher):
    game = timed(service)
    version = stored(game).version
    service.clock.advance(TURN_S - 1)
    dispatcher.run_due()
    assert stored(game).version == version
    service.clock.advance(1)
    dispatcher.run_due()
    assert stored(game).version > version
    assert entries(service, "game") == {game.id: stored(game).deadline_ms}


def test_deadline_that_the_store_refuses_is_applied_later(service, dispatcher, monkeypatch):
    game = timed(service)
    version = stored(game).version
    service.clock.advance(TURN_S)
    with monkeypatch.context() as patched:
        patched.setattr(RedisGames, "commit", lambda *_: False)
        dispatcher.run_due()
    assert stored(game).version == version
    service.clock.advance(1)
    dispatcher.run_due()
    assert stored(game).version > version


def test_two_dispatchers_apply_a_deadline_once(service, monkeypatch):
    game = timed(service)
    games = games_of(service)
    apply, others = Games.apply_deadlines, [Games(games.store, games.settings, service.clock)]

    def apply_while_another_does(games, game):
        if others:
            attend_game(others.pop(), game.id)
        return apply(games, game)

    service.clock.advance(TURN_S)
    monkeypatch.setattr(Games, "apply_deadlines", apply_while_another_does)
    assert attend_game(games, game.id) == stored(game).deadline_ms
    events = service.get(f"{game.path()}/events?limit=100")["events"]
    assert [event["type"] for event in events].count("timed_out") == 2  # both seats of one phase


def test_game_goes_on_to_its_end_by_itself(service, dispatcher):
    game = timed(service)
    turns = iter(range(100))
    while not stored(game).is_over:
        next(turns)
        service.clock.advance(TURN_S)
        dispatcher.run_due()


def test_entry_is_due_at_the_deadline_after_each_commit(service):
    game = timed(service)
    first_ms = stored(game).deadline_ms
    assert entries(service, "game") == {game.id: first_ms}
    service.clock.advance(10)
    game.act_legally(0)
    assert entries(service, "game") == {game.id: first_ms}
    game.act_legally(1)
    assert stored(game).deadline_ms > first_ms
    assert entries(service, "game") == {game.id: stored(game).deadline_ms}


def test_commit_that_fails_leaves_no_entry(service, monkeypatch):
    def fail(*_):
        raise Problem("store_unavailable")

    monkeypatch.setattr(RedisGames, "commit", fail)
    with pytest.raises(AssertionError, match="store_unavailable"):
        timed(service)
    assert entries(service, "game") == {}


@pytest.mark.parametrize("options", [{}, {"turn_ms": 1000, "clock": "manual"}])
def test_game_without_a_deadline_is_due_when_it_expires(service, options):
    game = service.create_game(2, options=options)
    expires_ms = round(1000 * (service.clock.now + Settings().game_ttl_playing_s))
    assert entries(service, "game") == {game.id: expires_ms}


def test_expired_game_is_deleted_with_all_that_refers_to_it(service, dispatcher):
    service.create_game(2, key=new_key())
    (name,) = service.redis.keys("skye:*:game")
    service.redis.expire(name, EXPIRY_S)
    service.clock.advance(Settings().game_ttl_playing_s)
    dispatcher.run_due()
    assert service.redis.keys("skye:*:game") == service.redis.keys("skye:{index}:*") == []
    (events,) = service.redis.keys("skye:{player.*}:events")
    assert b"seat_left" in service.redis.xrevrange(events, count=1)[0][1][b"e"]
    assert service.redis.keys("skye:{player.*}:games") == []
    assert entries(service, "game") == entries(service, "relay") == {}


def test_player_of_one_game_learns_that_it_has_expired(service, dispatcher):
    key = new_key()
    service.create_game(2, key=key)
    (name,), (games,) = service.redis.keys("skye:*:game"), service.redis.keys("skye:{player.*}:games")
    assert service.redis.ttl(games) >= service.redis.ttl(name) + EXPIRY_S - 10
    service.redis.expire(name, EXPIRY_S)
    service.clock.advance(Settings().game_ttl_playing_s)
    dispatcher.run_due()
    left = service.get("/v1/me/events", key)["events"][-1]
    assert (left["type"], left["reason"], left["status"]) == ("seat_left", "expired", None)


def test_player_whom_no_change_concerns_keeps_list_and_events(service, dispatcher):
    game = service.create_game(2, key=new_key())
    kept = [*service.redis.keys("skye:{player.*}:games"), *service.redis.keys("skye:{player.*}:order")]
    kept += service.redis.keys("skye:{player.*}:events")
    assert len(kept) == 3
    for name in kept:
        service.redis.expire(name, DAY_S)
    service.clock.advance(RENEWAL_S - 1)
    game.act_legally(1)  # does not postpone the renewal
    dispatcher.run_due()
    assert min(map(service.redis.ttl, kept)) <= DAY_S
    service.clock.advance(1)
    dispatcher.run_due()
    assert min(map(service.redis.ttl, kept)) > Settings().max_game_ttl_s
    assert entries(service, "relay") == {game.id: stored(game).created_ms + 2000 * RENEWAL_S}


def test_game_that_expired_without_a_dispatcher_is_removed_from_the_list(service, dispatcher):
    game = timed(service)
    service.redis.delete(key_of(game.id, "game"))
    service.clock.advance(TURN_S)
    dispatcher.run_due()
    assert entries(service, "game") == entries(service, "relay") == {}
    assert service.redis.keys("skye:{index}:*") == []


def test_near_deadline_of_a_player_is_reported_without_a_request(service, dispatcher):
    game = timed(service, key=new_key())
    near_ms = stored(game).deadline_ms - TURN_S * 1000 // 4
    assert entries(service, "relay") == {game.id: near_ms}
    service.clock.advance(50)
    dispatcher.run_due()
    (events,) = service.redis.keys("skye:{player.*}:events")
    assert b"deadline_near" in service.redis.xrevrange(events, count=1)[0][1][b"e"]
    assert entries(service, "relay") == {game.id: stored(game).created_ms + 1000 * RENEWAL_S}
    assert entries(service, "game") == {game.id: stored(game).deadline_ms}


def test_game_without_player_keys_has_no_near_deadline(service):
    timed(service)
    assert entries(service, "relay") == {}


def test_work_that_fails_is_tried_again_later(service):
    games, failures = games_of(service), [Problem("store_unavailable"), ValueError(), None]

    def handle(_id):
        if (error := failures.pop(0)) is not None:
            raise error

    dispatcher = Dispatcher(games, {"bot": Handler(handle, 1)})
    games.store.due.add(Due("bot", "x", games.now_ms()))
    for seconds in (1, 60):
        dispatcher.run_due()
        assert entries(service, "bot") == {"x": games.now_ms() + seconds * 1000}
        service.clock.advance(seconds)
    dispatcher.run_due()
    assert entries(service, "bot") == {}


def test_entry_claimed_before_the_reply_of_its_finish_is_handled_again(service, monkeypatch):
    games, handled = games_of(service), []
    dispatcher = Dispatcher(games, {"bot": Handler(handled.append, 4)})
    entry, finish = Due("bot", "x", games.now_ms()), games.store.due.finish

    def finish_late(claim, due_ms):
        is_finished = finish(claim, due_ms)
        if len(handled) == 1:
            games.store.due.add(entry)
            dispatcher._claim(range(SHARDS))  # noqa: SLF001 - what `run` does meanwhile
            handled.append("claimed")
        return is_finished

    monkeypatch.setattr(games.store.due, "finish", finish_late)
    games.store.due.add(entry)
    dispatcher.run_due()
    assert handled == ["x", "claimed", "x"]
    assert service.redis.keys("skye:*:leases") == []


def test_work_that_ends_while_its_lease_is_renewed_is_finished(service, monkeypatch):
    games, renewed, ended, finishing = games_of(service), threading.Event(), threading.Event(), []
    renew, finish = games.store.due.renew, games.store.due.finish

    def renew_slowly(claims):
        found = renew(claims)
        if claims:
            renewed.set()
            assert ended.wait(30)
        return found

    def finish_meanwhile(claim, due_ms):
        is_finished = finish(claim, due_ms)
        finishing.append(is_finished)
        ended.set()
        return is_finished

    monkeypatch.setattr(games.store.due, "renew", renew_slowly)
    monkeypatch.setattr(games.store.due, "finish", finish_meanwhile)

    def handle(_id):
        time.sleep(0.002)  # so that the new lease is another one
        thread.start()
        assert renewed.wait(30)

    dispatcher = Dispatcher(games, {"bot": Handler(handle, 1)})
    thread = threading.Thread(target=dispatcher._renew)  # noqa: SLF001 - what `run` does meanwhile
    games.store.due.add(Due("bot", "x", games.now_ms()))
    dispatcher.run_due()
    thread.join(30)
    assert finishing == [False, True]
    assert service.redis.keys("skye:*:leases") == []


def test_running_dispatcher_handles_in_parallel_and_stops(service):
    games, together = games_of(service), threading.Barrier(4)
    handled = []

    def handle(name):
        together.wait(timeout=30)
        handled.append(name)

    dispatcher = Dispatcher(games, {"bot": Handler(handle, 4)})
    for name in "abcd":
        games.store.due.add(Due("bot", name, games.now_ms()))
    running = threading.Thread(target=dispatcher.run)
    running.start()
    assert waited_for(lambda: sorted(handled) == list("abcd"))
    assert waited_for(lambda: service.get("/readyz")["dispatchers"] == 1)
    dispatcher.stop()
    running.join(30)
    assert service.get("/readyz")["dispatchers"] == 0


@pytest.fixture
def running(service):
    """Run a dispatcher until the test ends; return the ids that it has handled."""
    handled = []
    dispatcher = Dispatcher(games_of(service), {"bot": Handler(handled.append, 4)})
    thread = threading.Thread(target=dispatcher.run)
    yield handled, thread
    dispatcher.stop()
    thread.join(30)


def test_waiting_dispatcher_is_woken_by_a_new_entry(service, running, monkeypatch):
    monkeypatch.setattr(dispatch.dispatcher, "MAX_WAIT_MS", 10**9)
    monkeypatch.setattr(due_queue, "MAX_WAIT_MS", 10**9)
    handled, thread = running
    thread.start()
    games = games_of(service)
    for name in "abc":
        games.store.due.add(Due("bot", name, games.now_ms()))
        assert waited_for(lambda name=name: name in handled)


def test_lost_notification_delays_an_entry_for_a_bounded_time(service, running, monkeypatch):
    monkeypatch.setattr(due_queue, "MAX_WAIT_MS", 50)
    monkeypatch.setattr(ChangeSubscriber, "watch", lambda *_: None)
    handled, thread = running
    thread.start()
    games = games_of(service)
    assert waited_for(lambda: service.get("/readyz")["dispatchers"] == 1)
    games.store.due.add(Due("bot", "a", games.now_ms()))
    assert waited_for(lambda: handled == ["a"])


def test_stopped_dispatcher_leaves_work_that_hangs_to_another(service, monkeypatch):
    monkeypatch.setattr(dispatch.dispatcher, "_STOP_S", 0.05)
    games, begun, released, handled = games_of(service), threading.Event(), threading.Event(), []

    def hang(_id):
        begun.set()
        released.wait(30)

    games.store.due.add(Due("bot", "a", games.now_ms()))
    stopped = Dispatcher(games, {"bot": Handler(hang, 1)})
    thread = threading.Thread(target=stopped.run)
    thread.start()
    assert begun.wait(30)
    stopped.stop()
    thread.join(30)
    assert not released.is_set()
    Dispatcher(games, {"bot": Handler(handled.append, 1)}).run_due()
    assert handled == ["a"]
    released.set()
