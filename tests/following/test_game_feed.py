"""Game feeds: one reader of a game for all of its streams, and streams whose clients read slowly."""

import contextlib
import threading

import fakeredis
import pytest

from skye_server.following.stream_queue import MAX_QUEUED, Batch
from skye_server.http.framework import collaborators
from skye_server.store.redis_games import RedisGames
from tests.following.test_following import Stream
from tests.support.playing import Service
from tests.support.stores import store_of
from tests.support.waiting import waited_for

MORE_THAN_QUEUED = MAX_QUEUED + 10


class CountingGames(RedisGames):
    """Games of a store, which count how often a log was read."""

    reads = 0

    def load_with_log(self, *arguments, **options):
        self.reads += 1
        return super().load_with_log(*arguments, **options)


@pytest.fixture
def counting():
    """A service whose store counts reads of logs."""
    redis = fakeredis.FakeRedis(server=fakeredis.FakeServer())
    store = store_of(redis, CountingGames)
    with Service(redis, store) as service:
        yield service, store


def change_offer(game, number):
    """Replace the offer of seat 0 a number of times: two events the first time, then one each."""
    for each in range(number):
        assert game.offer(0, 1 + each % 2, 1).status_code == 200


def events(stream, to):
    """Return the ids of the messages up to an event."""
    ids = []
    while not ids or ids[-1] < to:
        ids.append(stream.read()["data"]["id"])
    return ids


def test_event_with_many_streams_is_read_once_for_all(counting):
    service, store = counting
    game = service.create_game(2)
    change_offer(game, 1)
    after = game.view()["last_event"]
    with contextlib.ExitStack() as opened:
        streams = [opened.enter_context(Stream(game, after=after)) for _ in range(20)]
        for stream in streams:
            stream.read()
        change_offer(game, 1)
        for stream in streams:  # all have subscribed once they have sent something
            assert stream.read()["data"]["id"] == after + 1
        store.games.reads = 0
        change_offer(game, 1)
        assert [stream.read()["data"]["id"] for stream in streams] == [after + 2] * 20
        assert store.games.reads < 10


def test_event_is_rendered_once_for_all_callers_of_a_seat(service, monkeypatch):
    rendered = []
    views = Batch.views
    monkeypatch.setattr(
        Batch, "views", lambda batch, caller: rendered.append(caller.seat) or views(batch, caller)
    )
    game = service.create_game(2)
    change_offer(game, 1)
    after = game.view()["last_event"]
    tokens = [None, None, game.host, game.tokens[0], game.tokens[0], game.tokens[1]]
    with contextlib.ExitStack() as opened:
        streams = [opened.enter_context(Stream(game, token, after)) for token in tokens]
        for _ in range(3):  # streams that begin may read the log by themselves
            for stream in streams:
                stream.read()
            change_offer(game, 1)
        for stream in streams:
            stream.read()
        rendered.clear()
        change_offer(game, 1)
        shown = [stream.read()["data"]["prices"] for stream in streams]
        assert [prices is None for prices in shown] == [True, True, True, False, False, True]
        assert sorted(rendered, key=str) == [0, 1, None]


def test_stream_of_a_slow_client_has_all_events(service):
    game = service.create_game(2)
    after = game.view()["last_event"]
    with Stream(game, after=after) as late, Stream(game, after=after) as prompt:
        assert late.read()["event"] == prompt.read()["event"] == "stream"
        change_offer(game, 1)
        assert events(late, after + 2) == events(prompt, after + 2)
        for number in range(MORE_THAN_QUEUED):
            change_offer(game, 2)
            assert events(prompt, after + 4 + 2 * number)[-1] == after + 4 + 2 * number
        last = game.view()["last_event"]
        assert events(late, last) == list(range(after + 3, last + 1))


def test_stream_that_begins_beside_other_streams_has_no_gap(service):
    game = service.create_game(2)
    after = game.view()["last_event"]
    with contextlib.ExitStack() as opened:
        streams = []
        for number in range(5):
            stream = opened.enter_context(Stream(game, after=after))
            stream.read()
            streams.append(stream)
            change_offer(game, number + 1)
        last = game.view()["last_event"]
        for stream in streams:
            assert events(stream, last) == list(range(after + 1, last + 1))


def test_feed_ends_with_its_last_stream(service):
    game = service.create_game(2)
    feeds = collaborators(service.app).feeds
    with Stream(game, after=game.view()["last_event"]) as stream:
        stream.read()
        change_offer(game, 1)
        stream.read()
        assert feeds.followed == {game.id}
    assert not feeds.followed


class StopsMeanwhile:
    """An executor of a process that begins to shut down while work is submitted."""

    is_shut_down = False

    def __init__(self, notifier):
        self._notifier = notifier

    def submit(self, *_):
        stopping = threading.Thread(target=self._notifier.stop)
        stopping.start()
        stopping.join(0.2)
        assert not self.is_shut_down

    def shutdown(self, *, wait):
        self.is_shut_down = not wait


def test_stream_that_begins_during_a_shutdown_is_served(service, monkeypatch):
    game = service.create_game(2)
    after = game.view()["last_event"]
    executor = StopsMeanwhile(collaborators(service.app).change_notifier)
    monkeypatch.setattr(collaborators(service.app).feeds, "_readers", executor)
    with Stream(game, after=after) as stream:
        assert stream.read()["event"] == "stream"
        assert stream.read()["data"] == {"reason": "restart", "resume": "reconnect", "last_event": after}
    assert waited_for(lambda: executor.is_shut_down)
