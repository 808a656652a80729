"""Streams of server-sent events: every event once and in order, however often the connection is cut."""

import itertools
import json
import threading
import time

import pytest

from skye_server.error_codes import Problem
from skye_server.http.framework import collaborators
from skye_server.store.redis_games import RedisGames
from skye_server.store.redis_players import RedisPlayers
from skye_server.store.shards import key_of
from tests.support.comparing import with_fields_of
from tests.support.endpoints import PLAYER_KEY
from tests.support.playing import Service, dice, problem_code
from tests.support.stores import store_of
from tests.support.waiting import MAX_WAIT_S

STREAM = {"Accept": "text/event-stream"}


class Stream:
    """An open stream, read message by message."""

    def __init__(self, game, token=None, after=None, **headers):
        headers = STREAM | headers | ({} if after is None else {"Last-Event-ID": str(after)})
        self.answer = game.call("GET", "events/stream", token=token, headers=headers)
        assert (self.answer.status_code, self.answer.mimetype) == (200, "text/event-stream")
        self._messages = self._split(self.answer.iter_encoded())

    @staticmethod
    def _split(chunks):
        for chunk in chunks:
            assert chunk.endswith(b"\n\n")
            yield from (message + b"\n\n" for message in chunk.split(b"\n\n")[:-1])

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.answer.close()

    def raw(self):
        """Return the next message as it came, or nothing at the end."""
        return next(self._messages, b"").decode()

    def read(self):
        """Return the next message that is no comment, as its fields; nothing at the end."""
        until = time.monotonic() + MAX_WAIT_S
        while (message := self.raw()).startswith(":"):
            assert time.monotonic() < until, "nothing but comments"
        fields = dict(line.split(": ", 1) for line in message.splitlines() if line)
        return fields | {"data": json.loads(fields["data"])} if fields else {}

    def rest(self):
        """Return all messages to the end."""
        return list(iter(self.read, {}))


@pytest.fixture(scope="module")
def over():
    """A game that is over."""
    game = Service().create_game(2)
    game.play_out(dice(1))
    return game


def ended(reason, resume, last_event):
    """Return the data of the last message of a stream."""
    return {"reason": reason, "resume": resume, "last_event": last_event}


def test_stream_sends_its_position_and_all_events_and_ends(over):
    events = over.service.get(over.path("events"))["events"]
    with Stream(over) as stream:
        first, *received, last = stream.rest()
    view = over.view()
    assert (first["event"], first["retry"]) == ("stream", "500")
    assert first["data"] == {
        "game_id": over.id,
        "status": "finished",
        "version": view["version"],
        "last_event": view["last_event"],
        "after": 0,
        "now": "2027-01-15T08:00:00.000Z",
    }
    assert [message["data"] for message in received] == events
    assert [int(message["id"]) for message in received] == [event["id"] for event in events]
    assert (last["event"], last["data"]) == ("end", ended("finished", "stop", events[-1]["id"]))


def test_reconnected_stream_resumes_after_its_last_event(over):
    number = over.view()["last_event"]
    for cut in (1, 2, number // 2, number - 1):
        with Stream(over, after=cut) as stream:
            first, *received, _ = stream.rest()
        assert first["data"]["after"] == cut
        assert [message["data"]["id"] for message in received] == list(range(cut + 1, number + 1))


def test_client_with_all_events_of_a_finished_game_gets_204(over):
    number = over.view()["last_event"]
    answer = over.call("GET", "events/stream", headers={**STREAM, "Last-Event-ID": str(number)})
    assert (answer.status_code, answer.data) == (204, b"")
    with Stream(over, after=number - 1) as stream:
        assert len(stream.rest()) == 3


def test_last_event_id_header_overrides_the_query_parameter(over):
    answer = over.call("GET", "events/stream?after=3", headers={**STREAM, "Last-Event-ID": "5"})
    assert '"after":5' in answer.text


def test_event_is_sent_at_once(service):
    game = service.create_game(2)
    after = game.view()["last_event"]
    with Stream(game, after=after) as stream, Stream(game, game.tokens[0], after) as own:
        assert stream.read()["event"] == own.read()["event"] == "stream"
        game.offer(0, 1, 2)
        received, shown = stream.read()["data"], own.read()["data"]
        assert (received["type"], received["id"], received["prices"]) == ("offer_set", after + 1, None)
        assert sum(shown["prices"].values()) == 3
        waiting = threading.Timer(0.05, game.offer, [1, 1, 1])
        waiting.start()
        types = []
        while "tiles_discarded" not in types:
            types.append(stream.read()["data"]["type"])
        assert types == ["turn_changed", "offer_set", "offers_revealed", "tiles_discarded"]
        waiting.join()


def test_event_of_another_process_is_sent(service):
    game = service.create_game(2)
    other = Service(service.redis)
    with Stream(game, after=game.view()["last_event"]) as stream:
        stream.read()
        body = game.actions(0)[0]["body"]
        assert other.call("PUT", game.path("offer", 0), body, game.tokens[0]).status_code == 200
        assert stream.read()["data"]["type"] == "offer_set"


def test_stream_without_events_sends_heartbeats(service, monkeypatch):
    monkeypatch.setattr("skye_server.following.streams.HEARTBEAT_S", 0.01)
    game = service.create_game(2)
    with Stream(game, after=game.view()["last_event"]) as stream:
        stream.read()
        assert [stream.raw() for _ in range(3)] == [": heartbeat\n\n"] * 3
        game.offer(0, 1, 1)
        assert stream.read()["data"]["type"] == "offer_set"


def test_stream_ends_with_an_aborted_game(service):
    game = service.create_game(2)
    with Stream(game, after=game.view()["last_event"]) as stream:
        stream.read()
        game.abort()
        types = [message["data"].get("type") or message["data"]["reason"] for message in stream.rest()]
        assert types[types.index("game_aborted") :] == ["game_aborted", "turn_changed", "aborted"]


def test_stream_ends_when_its_token_becomes_invalid(service):
    game = service.create_game(3)
    with Stream(game, game.tokens[0], game.view()["last_event"]) as stream:
        stream.read()
        game.call("POST", "resign", seat=0)
        assert stream.read()["data"]["reason"] == "token_unknown"
        assert stream.read() == {}


def test_stream_of_a_spectator_ends_when_a_hidden_game_starts(service):
    game = service.create_game(2, start=False, options={"public_from": "end"})
    last_event = game.view()["last_event"]
    with Stream(game) as stream:
        assert [stream.read() for _ in range(last_event + 1)][-1]["id"] == str(last_event)
        game.call("POST", "start", token=game.host)
        game.act_legally(0)
        (end,) = stream.rest()
    assert end["data"] == ended("not_public_yet", "stop", last_event)


def test_stream_ends_at_shutdown_with_the_reason_restart(service):
    game = service.create_game(2)
    after = game.view()["last_event"]
    with Stream(game, after=after) as stream:
        stream.read()
        collaborators(service.app).change_notifier.stop()
        assert stream.read()["data"] == ended("restart", "reconnect", after)
        assert stream.read() == {}


class Failing(RedisGames):
    """Games of a store that can be unavailable."""

    away = False

    def load_with_log(self, game_id, after=0, limit=None):
        if self.away:
            raise Problem("store_unavailable")
        return super().load_with_log(game_id, after, limit)


def test_stream_outlasts_an_outage_of_the_store(monkeypatch):
    monkeypatch.setattr("skye_server.following.streams.OUTAGE_S", 0.01)
    monkeypatch.setattr("skye_server.following.streams.HEARTBEAT_S", 0.01)
    service = Service()
    store = store_of(service.redis, Failing)
    service = Service(service.redis, store)
    game = service.create_game(2)
    with Stream(game, after=game.view()["last_event"]) as stream:
        stream.read()
        store.games.away = True
        game.offer(0, 1, 1)
        until = time.monotonic() + MAX_WAIT_S
        while (message := stream.raw()) != ": the store does not respond\n\n":
            assert message == ": heartbeat\n\n"
            assert time.monotonic() < until
        store.games.away = False
        assert stream.read()["data"]["type"] == "offer_set"


@pytest.mark.parametrize("first_failure", [1, 2])
def test_stream_of_a_player_key_outlasts_an_outage_of_the_store(first_failure, service, monkeypatch):
    monkeypatch.setattr("skye_server.following.streams.OUTAGE_S", 0.01)
    key_record, calls = RedisPlayers.key_record, itertools.count()

    def fail_twice(*arguments):
        if next(calls) in (first_failure, first_failure + 1):
            raise Problem("store_unavailable")
        return key_record(*arguments)

    game = service.create_game(2, key=PLAYER_KEY)
    after = game.view()["last_event"]
    monkeypatch.setattr(RedisPlayers, "key_record", fail_twice)
    with Stream(game, PLAYER_KEY, after) as stream:
        assert stream.read()["event"] == "stream"
        game.offer(1, 1, 1)
        assert stream.read()["data"]["type"] == "offer_set"
    assert next(calls) > first_failure + 2


@pytest.mark.parametrize(("more", "check_s"), [(0, 0.1), (1, 600.0), (2, 600.0)])
def test_stream_ends_when_the_store_lost_events_that_it_sent(more, check_s, monkeypatch):
    monkeypatch.setattr("skye_server.following.streams.CHECK_S", check_s)
    service = Service()
    game = service.create_game(3)
    names = [key_of(game.id, part).encode() for part in ("game", "log")]
    earlier = {name: service.redis.dump(name) for name in names}
    last = game.view()["last_event"]
    with Stream(game, after=last) as stream:
        game.offer(0, 1, 1)
        assert [stream.read()["data"].get("type") for _ in range(3)] == [None, "offer_set", "turn_changed"]
        for name in names:
            service.redis.restore(name, 0, earlier[name], replace=True)
        service.clock.advance(1)
        for seat in range(1, 1 + more):
            game.offer(seat, 1, 1)
        assert stream.read()["data"] == ended("history_lost", "reload", last + 2)
        assert stream.read() == {}


@pytest.mark.parametrize("visibility", ["private", "public"])
def test_stream_of_an_invited_player_ends_with_the_invitation(service, visibility):
    game = service.begin(visibility=visibility, players=[{"name": "Ann"}, {"name": "Bob"}, {"invite": True}])
    code, last = game.created["invitations"][0]["code"], game.created["game"]["last_event"]
    with Stream(game, after=last, token=code) as stream:
        assert stream.read()["event"] == "stream"
        game.call("POST", "start", token=game.host)
        assert stream.read()["data"] == ended("invitation_over", "stop", last)


def test_stream_is_refused_before_it_begins(service):
    game = service.create_game(2, visibility="private")
    assert problem_code(game.call("GET", "events/stream", headers=STREAM)) == "game_not_found"
    assert (
        problem_code(game.call("GET", "events/stream", token="skye_seat_" + "n" * 22, headers=STREAM))
        == "game_not_found"
    )
    assert (
        problem_code(game.call("GET", "events/stream?after=-1", token=game.host, headers=STREAM))
        == "invalid_parameter"
    )


def test_long_poll_is_woken_by_an_event(service):
    game = service.create_game(2)
    after = game.view()["last_event"]
    waiting = threading.Timer(0.05, game.offer, [0, 1, 1])
    waiting.start()
    received = service.get(game.path("events") + f"?after={after}&wait_ms=60000")
    waiting.join()
    assert [event["type"] for event in received["events"]] == ["offer_set", "turn_changed"]


def test_long_poll_of_a_game_that_is_over_responds_at_once(over):
    number, version = over.view()["last_event"], over.view()["version"]
    received = over.service.get(over.path("events") + f"?after={number}&wait_ms=60000")
    state = {"last_event": number, "version": version, "status": "finished", "events": []}
    assert with_fields_of(state, received) == state


def test_events_after_one_that_the_game_does_not_have_are_lost(over):
    after = over.view()["last_event"] + 1
    for query in (f"?after={after}", f"?after={after}&wait_ms=60000"):
        assert problem_code(over.call("GET", f"events{query}")) == "history_lost"
    for answer in (
        over.call("GET", f"events/stream?after={after}"),
        over.call("GET", "events/stream", headers={"Last-Event-ID": str(after)}),
    ):
        assert problem_code(answer) == "history_lost"


class CountingGames(RedisGames):
    """Games of a store, which count the log entries that were read."""

    entries_read = 0

    def load_with_log(self, *arguments, **options):
        table, entries = super().load_with_log(*arguments, **options)
        self.entries_read += len(entries)
        return table, entries


@pytest.mark.parametrize("limit", [1, 3])
def test_page_of_events_reads_no_more_of_the_log_than_it_shows(over, limit):
    service = over.service
    game = service.create_game(2)
    game.play_to("building", 3)
    whole = service.get(game.path("events?limit=1000"))["events"]
    store = store_of(service.redis, CountingGames)
    page = Service(service.redis, store).get(game.path(f"events?limit={limit}&after=2"))
    assert page["events"] == whole[2 : 2 + limit]
    assert page["last_event"] == whole[-1]["id"]
    assert store.games.entries_read <= limit + 1
