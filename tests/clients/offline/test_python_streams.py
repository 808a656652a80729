"""The Python client gets every event, however its connections are cut."""

from contextlib import ExitStack
from itertools import chain, islice, repeat
from types import SimpleNamespace

import anyio
import httpx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from skye_client import AsyncSkye, Skye, UnexpectedResponseError
from skye_client._async import events as async_events
from skye_client._sync import events as sync_events
from tests.clients.offline.flaky_server import HEAD_BYTES, FlakyServer

MAX_EVENTS, MAX_SIZE = 30, 600
FRAME_BYTES = 200
"""More than what is around one event: the first message of a stream, or the other fields of a page."""

LIVES = st.tuples(st.integers(0, 6000), st.floats(0, 60))
LONG_ENOUGH = st.tuples(st.integers(HEAD_BYTES + FRAME_BYTES + MAX_SIZE, 6000), st.floats(1, 60))


@st.composite
def servers(draw):
    """Draw a server whose connections are cut.

    One of a few connections lives long enough for one event; all of them where streams or polls are blocked.
    """
    blocked = draw(st.sampled_from([None, "stream", "poll"]))
    short = [] if blocked else draw(st.lists(LIVES, max_size=3))
    server = FlakyServer(
        happened_s=sorted(draw(st.lists(st.floats(0, 100) | st.just(0.0), min_size=1, max_size=MAX_EVENTS))),
        sizes=draw(st.lists(st.integers(0, MAX_SIZE), min_size=1, max_size=5)),
        first=draw(st.lists(st.tuples(st.integers(0, 2000), st.floats(0, 1)), max_size=8)),
        repeated=draw(st.permutations([draw(LONG_ENOUGH), *short])),
        is_of_player=draw(st.booleans()),
        blocked=blocked,
        blocked_bytes=draw(st.integers(0, HEAD_BYTES + 50)),
    )
    server.max_connections = len(server.first) + len(server.repeated) * needed(server)
    return server


def needed(server):
    """Return how many connections that live long enough a client may need.

    Each delivers an event, or makes the next page smaller; while there is no event, each takes some time.
    """
    return 4 * len(server.happened_s) + 20 + int(4 * server.happened_s[-1])


def followed(skye, server):
    """Return the iterator over the events of the game or player of a server."""
    return (skye.player("key") if server.is_of_player else skye.game("g")).events()


def check(server, seen):
    """Check that each event was seen once and in order, and soon."""
    numbers = [int(str(event["id"]).partition("-")[0]) for event in seen]
    assert numbers == list(range(1, len(server.happened_s) + 1))
    assert server.clock.now_s <= server.happened_s[-1] + server.max_connections * 60


@settings(max_examples=50, deadline=None)
@given(servers())
def test_every_event_arrives_once_and_in_order_through_cuts(server):
    with (
        pytest.MonkeyPatch.context() as patch,
        httpx.Client(transport=server) as http,
    ):
        patch.setattr(sync_events, "time", SimpleNamespace(sleep=server.clock.sleep))
        seen = list(islice(followed(Skye("http://test", http=http), server), len(server.happened_s)))
    check(server, seen)


@settings(max_examples=50, deadline=None)
@given(servers())
def test_every_event_arrives_once_and_in_order_asynchronously(server):
    async def follow():
        seen = []
        async with httpx.AsyncClient(transport=server) as http:
            events = followed(AsyncSkye("http://test", http=http), server)
            while len(seen) < len(server.happened_s):
                seen.append(await anext(events))
            await events.aclose()
        return seen

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(async_events, "anyio", SimpleNamespace(sleep=server.clock.sleep_async))
        check(server, anyio.run(follow))


@pytest.fixture
def flaky(monkeypatch):
    """A function that returns a server with given properties, and the game on it."""
    with ExitStack() as opened:

        def flaky(**properties):
            server = FlakyServer(sizes=[100], **properties)
            monkeypatch.setattr(sync_events, "time", SimpleNamespace(sleep=server.clock.sleep))
            http = opened.enter_context(httpx.Client(transport=server))
            return server, Skye("http://test", http=http).game("g")

        yield flaky


def test_iteration_ends_with_a_game_whose_connections_are_cut(flaky):
    life = (HEAD_BYTES + FRAME_BYTES, 1)
    server, game = flaky(happened_s=[0.0] * 20 + [30.0] * 20, first=[(0, 0)] * 9, repeated=[life])
    check(server, game.events())


def test_polls_become_shorter_than_the_time_that_connections_live(flaky):
    times = [100.0 * number for number in range(1, 31)]
    server, game = flaky(happened_s=times, first=[], repeated=[(10_000, 5)], blocked="stream")
    delays = [server.clock.now_s - times[event["id"] - 1] for event in game.events()]
    assert max(delays) < 2, "a poll of 25 seconds is always cut, and its repetition waits longer and longer"


@pytest.fixture
def ids_of(monkeypatch):
    """A function that returns the ids of the events of a game whose requests get some responses in turn."""
    monkeypatch.setattr(sync_events, "time", SimpleNamespace(sleep=lambda _seconds: None))

    def ids_of(*responses):
        left = chain(responses, repeat(responses[-1]))

        def respond(_request):
            kind, text = next(left)
            return httpx.Response(200, headers={"Content-Type": kind}, text=text)

        with httpx.Client(transport=httpx.MockTransport(respond)) as http:
            return [event["id"] for event in Skye("http://test", http=http).game("g").events()]

    return ids_of


MAINTENANCE = ("text/html", "<h1>Maintenance</h1>")


def stream(*messages):
    return "text/event-stream", "".join(f"{message}\n\n" for message in messages)


def test_iteration_that_has_begun_outlives_the_page_of_a_proxy(ids_of):
    opening = 'event: stream\ndata: {"last_event": 2}'
    end = 'event: end\ndata: {"reason": "finished", "resume": "stop"}'
    first, rest = stream(opening, 'data: {"id": 1}'), stream(opening, 'data: {"id": 2}', end)
    assert ids_of(first, *[MAINTENANCE] * 4, rest) == [1, 2]


def test_iteration_over_what_is_not_the_api_fails(ids_of):
    with pytest.raises(UnexpectedResponseError, match="Maintenance"):
        ids_of(MAINTENANCE)
