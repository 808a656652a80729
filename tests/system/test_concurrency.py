"""Concurrent requests to two workers and a real Redis: each takes effect once."""

import http.client
import json
import random
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from urllib.parse import urlsplit

import pytest

from tests.support.sizes import sized
from tests.support.waiting import MAX_WAIT_S

pytestmark = pytest.mark.usefixtures("redis_program")

GAMES, PLAYERS, ROUNDS, OFFERS = sized((3, 5, 1, 3), (4, 5, 2, 4))
MAX_REQUESTS = 200
"""More than any seat needs in a phase: where a loop gives up."""


class Client:
    """One client with a connection of its own."""

    def __init__(self, url, token=None):
        self._connection = http.client.HTTPConnection(urlsplit(url).netloc, timeout=MAX_WAIT_S)
        self._token = token

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._connection.close()

    def call(self, method, path, body=None, **headers):
        """Return the status and the JSON of a response."""
        headers = {name.replace("_", "-"): value for name, value in headers.items()}
        if self._token:
            headers["Authorization"] = f"Bearer {self._token}"
        if body is not None:
            headers["Content-Type"] = "application/json"
        self._connection.request(method, path, None if body is None else json.dumps(body), headers)
        answer = self._connection.getresponse()
        return answer.status, json.loads(answer.read())


def together(tasks):
    """Run tasks concurrently, from a common start; return all results."""
    start = threading.Barrier(len(tasks))

    def run(task):
        start.wait(MAX_WAIT_S)
        return task()

    with ThreadPoolExecutor(len(tasks)) as threads:
        return [running.result(MAX_WAIT_S) for running in [threads.submit(run, task) for task in tasks]]


class Seat:
    """A player with a journal of accepted actions."""

    def __init__(self, url, game, number, token):
        self.game, self.number = game, number
        self.token = token
        self.client = Client(url, token)
        self.path = f"/v1/games/{game}/players/{number}"
        self.journal = []
        self.dice = random.Random(f"{game}/{number}")

    def actions(self):
        status, answer = self.client.call("GET", f"{self.path}/actions")
        assert status == 200, answer
        return answer["actions"]

    def send(self, action):
        """Send an action; return its problem, or enter it in the journal."""
        status, answer = self.client.call(action["method"], action["href"], action["body"])
        if status == 200:
            self.journal.append((answer["version"], action["type"], action["body"]))
            return None
        assert status == 409, answer
        return answer["code"]

    def set_prices(self):
        """Set prices, and replace them until the last player has set theirs."""
        (action,) = self.actions()
        for _ in range(OFFERS):
            discard, *kept = self.dice.sample(action["constraints"]["tiles"], 3)
            prices = {tile: self.dice.randint(1, 2) for tile in kept}
            code = self.send({**action, "body": {"discard": discard, "prices": prices}})
            if code is not None:
                assert code == "wrong_phase"
                return

    def build(self):
        """Build all there is to build, taking something back now and then."""
        for _ in range(MAX_REQUESTS):
            actions = self.actions()
            if not actions or actions[0]["type"] in ("set_offer", "buy", "pass"):
                return
            refused = self.send(self.dice.choice(actions))
            assert refused is None, refused
        raise AssertionError("the build was never finished")


@pytest.fixture
def host(live):
    """A client without a token."""
    with Client(live.url) as client:
        yield client


@pytest.fixture
def new_game(host, live):
    """A function that creates a game and returns its version and its seats."""
    with ExitStack() as stack:
        yield lambda: opened(host, live.url, stack)


def opened(host, url, stack):
    """Open a game; return its version and its seats, whose connections the stack closes."""
    names = [{"name": f"player {number}"} for number in range(PLAYERS)]
    status, answer = host.call("POST", "/v1/games", {"players": names, "auto_start": True})
    assert status == 201, answer
    game = answer["game"]["id"]
    seats = [Seat(url, game, player["seat"], player["token"]) for player in answer["players"]]
    for seat in seats:
        stack.enter_context(seat.client)
    return answer["game"]["version"], seats


def buy(host, seats):
    """Let each seat in turn send its first legal action."""
    for _ in seats:
        _, view = host.call("GET", f"/v1/games/{seats[0].game}")
        (buyer,) = view["waiting_for"]
        assert view["phase"] == "buying"
        assert seats[buyer].send(seats[buyer].actions()[0]) is None


def test_prices_set_and_tiles_built_at_once_all_count_once(host, new_game):
    games = [new_game() for _ in range(GAMES)]
    everybody = [seat for _, seats in games for seat in seats]
    for _ in range(ROUNDS):
        together([seat.set_prices for seat in everybody])
        for _, seats in games:
            buy(host, seats)
        together([seat.build for seat in everybody])
    for version, seats in games:
        check(host, version, seats)


def check(host, began, seats):
    """Compare a game's log and record with the journals of its seats."""
    _, view = host.call("GET", f"/v1/games/{seats[0].game}")
    assert (view["round"], view["phase"]) == (ROUNDS + 1, "pricing")
    _, received = host.call("GET", f"/v1/games/{seats[0].game}/events")
    events = received["events"]
    assert [event["id"] for event in events] == list(range(1, view["last_event"] + 1))
    versions = [event["version"] for event in events]
    assert versions == sorted(versions)
    assert set(versions) == set(range(1, view["version"] + 1))

    accepted = sorted(version for seat in seats for version, _, _ in seat.journal)
    assert accepted == list(range(began + 1, view["version"] + 1))
    for seat in seats:
        _, record = seat.client.call("GET", f"/v1/games/{seat.game}/record")
        assert len(record["actions"]) == len(accepted)
        own = [action for action in record["actions"] if action["seat"] == seat.number]
        for (_, kind, body), action in zip(seat.journal, own, strict=True):
            assert action["type"] == kind
            if kind not in ("pass", "take_back", "finish_building"):
                assert action.items() >= body.items()


def test_move_sent_by_many_at_once_with_one_key_is_made_once(host, live, new_game):
    began, seats = new_game()
    (action,) = seats[0].actions()

    def send():
        with Client(live.url, seats[0].token) as client:
            return client.call(action["method"], action["href"], action["body"], Idempotency_Key="once")

    answers = together([send] * 8)
    assert all(answer == answers[0] for answer in answers)
    assert answers[0][0] == 200
    _, view = host.call("GET", f"/v1/games/{seats[0].game}")
    assert view["version"] == began + 1


def test_simultaneous_joins_each_get_a_seat_of_their_own(host, live):
    status, answer = host.call("POST", "/v1/games", {"auto_start": True})
    path = f"/v1/games/{answer['game']['id']}"
    assert status == 201

    def join(number):
        with Client(live.url) as client:
            return client.call("POST", f"{path}/players", {"name": f"player {number}"})

    answers = together([lambda number=number: join(number) for number in range(8)])
    seated = [joined for status, joined in answers if status == 201]
    refused = [problem["code"] for status, problem in answers if status != 201]
    assert sorted(joined["seat"] for joined in seated) == list(range(PLAYERS))
    assert len({joined["token"] for joined in seated}) == PLAYERS
    assert set(refused) <= {"game_full", "game_already_started"}
    _, view = host.call("GET", path)
    assert (view["status"], len(view["players"])) == ("playing", PLAYERS)
    for joined in seated:
        with Client(live.url, joined["token"]) as client:
            assert client.call("GET", path)[1]["you"]["seat"] == joined["seat"]
