"""Injected faults on a real gunicorn: the effect of each, and the recovery of the Python client."""

import threading
import time
from contextlib import closing
from itertools import islice

import httpx
import pytest

from skye_client import ApiError, ConnectionFailedError, RetryPolicy, Skye
from tests.support.waiting import MAX_WAIT_S

ONCE = RetryPolicy(attempts=1)
BODY = {"name": "Faults", "players": [{"name": "Ann"}, {"name": "Bob"}], "auto_start": True}
ALONE = BODY | {"players": [{"name": "Ann"}, {"bot": "random"}]}
"""A game that its host can abort alone."""


class FaultyHttp(httpx.Client):
    """Requests a fault with its first request only; records the responses."""

    def __init__(self, fault):
        self.faults = [fault]
        self.responses = []
        hooks = {"request": [self._ask], "response": [self.responses.append]}
        super().__init__(event_hooks=hooks, timeout=MAX_WAIT_S)

    @property
    def statuses(self):
        return [response.status_code for response in self.responses]

    def _ask(self, request):
        if self.faults:
            request.headers["Skye-Fault"] = self.faults.pop()


@pytest.fixture
def direct(url):
    with Skye(url) as client:
        yield client


@pytest.fixture
def faulty(url):
    """Return a function that creates a client whose first request has a fault."""
    opened = []

    def open_client(fault, **options):
        http = FaultyHttp(fault)
        opened.append(http)
        return Skye(url, http=http, **options)

    yield open_client
    for http in opened:
        http.close()


def games_named(direct, name):
    return [game["id"] for game in direct.games.list(limit=100)["games"] if game["name"] == name]


@pytest.mark.parametrize("fault", ["drop", "delay_after_ms=1500", "delay_before_ms=1500"])
def test_creation_whose_answer_is_lost_is_retried_and_counts_once(faulty, direct, fault):
    skye = faulty(fault, timeout_s=1.4 if "delay" in fault else 15)
    retry = RetryPolicy(attempts=1000, base_s=0.05, max_s=0.1, budget_s=MAX_WAIT_S)
    created = skye.games.create({**BODY, "name": fault}, retry=retry)
    game = direct.game(created["game"]["id"], created["players"][0]["token"])
    assert game.get()["you"]["seat"] == 0
    assert games_named(direct, fault) == [game.id]


def test_move_whose_answer_is_dropped_is_replayed(faulty, direct):
    created = direct.games.create(BODY)
    skye = faulty("drop")
    game = skye.game(created["game"]["id"], created["players"][0]["token"])
    offer = next(
        action
        for action in direct.game(game.id, game.token).seat(0).actions()
        if action["type"] == "set_offer"
    )
    view = game.seat(0).act(offer)
    assert view["version"] == created["game"]["version"] + 1
    events = [event["type"] for event in direct.game(game.id).event_page()["events"]]
    assert events.count("offer_set") == 1


def test_deletion_whose_answer_is_dropped_succeeds_when_repeated(faulty, direct):
    created = direct.games.create(ALONE)
    direct.game(created["game"]["id"], created["host_token"]).abort()
    game = faulty("drop").game(created["game"]["id"], created["host_token"])
    game.delete()
    assert game.transport.http.statuses == [204]
    with pytest.raises(ApiError, match="no such game"):
        game.get()


def test_dropped_answer_was_committed_before(faulty, direct):
    created = direct.games.create(ALONE)
    game = faulty("drop").game(created["game"]["id"], created["host_token"])
    with pytest.raises(ConnectionFailedError):
        game.abort(retry=ONCE)
    assert direct.game(game.id).get()["status"] == "aborted"


@pytest.mark.parametrize("status", [429, 503])
def test_refused_request_is_retried_after_the_time_of_retry_after(faulty, direct, status):
    skye = faulty(f"status={status}")
    started = time.monotonic()
    created = skye.games.create({**BODY, "name": f"status {status}"})
    assert time.monotonic() - started >= 1  # Retry-After
    assert skye.transport.http.statuses == [status, 201]
    assert games_named(direct, f"status {status}") == [created["game"]["id"]]


def test_internal_error_is_reported_and_the_same_key_can_be_sent_again(faulty, direct):
    skye = faulty("status=500")
    body = {**BODY, "name": "status 500"}
    with pytest.raises(ApiError) as error:
        skye.games.create(body, idempotency_key="after-an-internal-error")
    assert (error.value.status, error.value.code) == (500, "internal_error")
    created = skye.games.create(body, idempotency_key="after-an-internal-error")
    assert games_named(direct, "status 500") == [created["game"]["id"]]


def test_slow_body_arrives_complete(faulty, direct):
    created = direct.games.create(BODY)
    skye = faulty("bytes_per_s=4000")
    started = time.monotonic()
    view = skye.game(created["game"]["id"]).get()
    taken_s = time.monotonic() - started
    whole = direct.game(created["game"]["id"]).get()
    assert {**view, "now": None} == {**whole, "now": None}
    (response,) = skye.transport.http.responses
    last_piece_s = 0.1
    assert taken_s >= response.num_bytes_downloaded / 4000 - last_piece_s


STREAM_FAULTS = [
    "cut_after=0",
    "cut_after=2",
    "heartbeats_after=1, hold_ms=1500",
    "silence_after=2",
    "silence_after=0, hold_ms=300",
    "drop",
    "status=503",
    "bytes_per_s=2000",
]


@pytest.mark.parametrize("fault", STREAM_FAULTS)
def test_faulty_stream_is_resumed_without_a_gap(faulty, direct, fault):
    created = direct.games.create(ALONE)
    host = direct.game(created["game"]["id"], created["host_token"])
    skye = faulty(fault)
    abort = threading.Timer(0.5, host.abort)  # while the stream is held
    abort.start()
    seen = [event["id"] for event in skye.game(host.id).events(silence_s=1.2)]
    abort.join()
    complete = direct.game(host.id).event_page(limit=1000)["events"]
    assert "game_aborted" in [event["type"] for event in complete]
    assert seen == [event["id"] for event in complete]
    assert len(skye.transport.http.statuses) >= (1 if fault.startswith("bytes") else 2 - (fault == "drop"))


def test_stream_with_heartbeats_only_has_no_events_after_the_fault(direct):
    lines = []
    with held_stream(direct, "heartbeats_after=1, hold_ms=600000") as response:
        received = response.iter_lines()
        while lines.count(": heartbeat") < 2:
            lines.append(next(received))
    assert [line for line in lines if line.startswith("id: ")] == ["id: 1"]
    assert response.headers["Skye-Lab"] == "on"


def test_stream_with_heartbeats_only_is_cut_after_its_time(direct):
    lines = []
    with (
        held_stream(direct, "heartbeats_after=1, hold_ms=50") as response,
        pytest.raises(httpx.RemoteProtocolError),
    ):
        lines.extend(response.iter_lines())
    assert [line for line in lines if line.startswith("id: ")] == ["id: 1"]


def held_stream(direct, fault):
    """Open the event stream of a new game with a fault."""
    path = f"/v1/games/{direct.games.create(BODY)['game']['id']}/events/stream"
    headers = {"Skye-Fault": fault}
    return httpx.stream("GET", f"{direct.transport.url}{path}", headers=headers, timeout=MAX_WAIT_S)


def test_server_with_a_held_stream_stops_in_time(launch):
    lab = launch(SKYE_LAB="on")
    game = lab.call("POST", "/v1/games", BODY)["game"]["id"]
    headers = {"Skye-Fault": "silence_after=0, hold_ms=600000"}
    with httpx.stream(
        "GET", f"{lab.url}/v1/games/{game}/events/stream", headers=headers, timeout=MAX_WAIT_S
    ) as response:
        next(response.iter_raw())
        assert lab.end() == 0
    assert "Worker graceful timeout" not in lab.printed
    assert "SKYE_LAB is on" in lab.printed


def test_launcher_refuses_a_lab_beside_limits(launch):
    launcher = launch(SKYE_LAB="on", SKYE_LIMITS="on")
    assert launcher.process.wait(MAX_WAIT_S) == 2
    assert "SKYE_LAB=on: not with SKYE_LIMITS" in launcher.printed


def test_errors_of_the_worker_itself_show_the_lab(url):
    response = httpx.request("G", url, timeout=MAX_WAIT_S)  # a method of one letter
    assert (response.status_code, response.headers["Skye-Lab"]) == (400, "on")


@pytest.mark.parametrize("fault", ["cut_after=2", "silence_after=1", "status=503"])
def test_events_of_a_player_follow_each_other_in_spite_of_a_fault(direct, fault):
    player = direct.player()
    for _ in range(4):
        player.games.create({"players": [{"name": "Ann"}, {"bot": "random"}], "auto_start": True})
    with closing(player.events(silence_s=1, fault=fault)) as events:
        seen = [int(event["id"].partition("-")[0]) for event in islice(events, 8)]
    assert seen == list(range(1, 9))
