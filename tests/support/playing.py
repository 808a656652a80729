"""A service under test, called through Flask's test client, and games that are played by legal actions."""

import copy
import random
import secrets
import threading
from datetime import datetime

import fakeredis

from skye_server import create_app
from skye_server.http.framework import collaborators
from skye_server.settings import Settings
from skye_server.store.redis_store import RedisStore
from tests.support.waiting import MAX_WAIT_S

NAMES = ("Ann", "Bob", "Cy", "Dee", "Eve")
KEY = {"Idempotency-Key": "once-0123456789abcdefghijk"}
"""The header of a request that may be sent again."""
PAIR = {"players": [{"name": "Ann"}, {"name": "Bob"}], "auto_start": True}
"""A game of two people that begins at once, in the body of a request."""
MAX_ACTIONS = 1000
"""The number of actions after which a loop fails: more than any game has."""


class Clock:
    """A clock that only `advance` moves."""

    def __init__(self, now=1_800_000_000.0):
        self.now = now

    def __call__(self):
        return self.now

    def advance(self, seconds):
        self.now += seconds


class Service:
    """The application on a Redis of its own, or on the one given."""

    def __init__(self, redis=None, store=None, clock=None, **settings):
        self.redis = redis or fakeredis.FakeRedis(server=fakeredis.FakeServer())
        self.clock = clock or Clock()
        settings = {"security_contact": "mailto:security@example.org"} | settings
        self.app = create_app(Settings(**settings), store or RedisStore(self.redis), self.clock)
        self.http = self.app.test_client()

    def __enter__(self):
        self._others = threading.enumerate()
        return self

    def __exit__(self, *_):
        collaborators(self.app).change_notifier.stop()
        for thread in threading.enumerate():
            if thread not in self._others:
                thread.join(MAX_WAIT_S)

    def beside(self):
        """Return the same application with a client of its own, for another thread."""
        other = copy.copy(self)
        other.http = self.app.test_client()
        return other

    def call(self, method, path, body=None, token=None, headers=(), **more):
        """Send a request; `body` is sent as JSON, and `token` as the bearer's."""
        headers = dict(headers)
        if token is not None:
            headers["Authorization"] = f"Bearer {token}"
        if body is not None:
            more["json"] = body
        return self.http.open(path, method=method, headers=headers, **more)

    def get(self, path, token=None, **headers):
        """Send a GET that must succeed; return the decoded body."""
        answer = self.call("GET", path, token=token, headers=headers)
        assert answer.status_code == 200, answer.text
        return answer.json

    def create_game(self, players=3, *, bots=None, start=True, seed="skye", key=None, headers=(), **more):
        """Create a game with that many players, and start it.

        :param bots: The names of bots by seat, as in ``{1: "random"}``.
        :param start: Whether to start the game, or to leave it in its lobby.
        :param seed: The seed of all draws.
        :param key: The player key that creates it.
        :param more: Other members of the request; ``options`` are merged with the seed.
        :returns: A `Game`, which holds all tokens.
        """
        seated = [{"name": name} for name in NAMES[:players]]
        for seat, bot in (bots or {}).items():
            seated[seat]["bot"] = bot
        options = {"seed": seed} | more.pop("options", {})
        body = {"players": seated, "auto_start": start, "options": options, **more}
        return self.begin(key, headers, **body)

    def begin(self, key=None, headers=(), **body):
        """Create a game from the body of a request; return a `Game`, which holds all tokens.

        :param key: The player key that creates it.
        """
        answer = self.call("POST", "/v1/games", body, key, headers)
        assert answer.status_code == 201, answer.text
        return Game(self, answer.json, key)

    def stored(self):
        """Return the contents of the store, byte for byte."""
        keys = sorted(self.redis.keys())
        with self.redis.pipeline(transaction=False) as pipeline:
            for key in keys:
                pipeline.type(key)
            for key, kind in zip(keys, pipeline.execute(), strict=True):
                read(pipeline, key, kind)
            return dict(zip(keys, pipeline.execute(), strict=True))


def limited(**settings):
    """Return a service with the given limits only."""
    none = {"limit_requests_per_minute": 0, "limit_games_per_minute": 0, "limit_streams": 0}
    none |= {"limit_streams_per_address": 0, "limit_stored_kb_per_day": 0}
    return Service(limits=True, **none | settings)


def stored(redis, key):
    """Return the value of a key of any type."""
    return read(redis, key, redis.type(key))


def read(redis, key, kind):
    """Read a key of the given type with a client or a pipeline."""
    if kind == b"string":
        return redis.get(key)
    if kind == b"list":
        return redis.lrange(key, 0, -1)
    if kind == b"hash":
        return redis.hgetall(key)
    if kind == b"set":
        return redis.smembers(key)
    return redis.xrange(key) if kind == b"stream" else redis.zrange(key, 0, -1, withscores=True)


class Game:
    """A game and all its tokens."""

    ticket = "a" * 24
    """The id of a ticket."""

    invitation = "a" * 16
    """The id of an invitation."""

    webhook = own_webhook = "wh_aaaaaaaaaaaa"
    """The ids of webhooks of the game and of a player."""

    def __init__(self, service, created, key=None):
        """Create a game from the response to its creation.

        :param key: The player key that created it.
        """
        self.service, self.created = service, created
        self.id = created["game"]["id"]
        self.host = created["host_token"] or key
        bound = created["game"]["you"]["seat"]
        self.tokens = [key if player["seat"] == bound else player["token"] for player in created["players"]]

    def path(self, rest="", seat=None):
        """Return the path of a resource of the game, or of one of its seats."""
        of_seat = "" if seat is None else f"/players/{seat}"
        return f"/v1/games/{self.id}{of_seat}{rest and '/'}{rest}"

    def call(self, method, rest="", body=None, *, seat=None, token=None, **more):
        """Send a request about a seat with the token of the seat, or about the game with the given token."""
        if seat is not None and token is None:
            token = self.tokens[seat]
        return self.service.call(method, self.path(rest, seat), body, token, **more)

    def view(self, seat=None):
        """Return the view of the game for a seat, or for a spectator."""
        return self.service.get(self.path(), None if seat is None else self.tokens[seat])

    def actions(self, seat):
        """Return the legal actions of a seat."""
        return self.service.get(self.path("actions", seat), self.tokens[seat])["actions"]

    def agreements(self, seat):
        """Return what a seat can propose or answer."""
        return self.service.get(self.path("actions", seat), self.tokens[seat])["agreements"]

    def send(self, seat, action, **more):
        """Send a legal action unchanged."""
        return self.service.call(action["method"], action["href"], action["body"], self.tokens[seat], **more)

    def act(self, seat, action):
        """Send an action that must be accepted; return the new view."""
        answer = self.send(seat, action)
        assert answer.status_code == 200, answer.text
        return answer.json

    def act_legally(self, seat, dice=None):
        """Send the first legal action of a seat, or with `dice` a random one that revises nothing."""
        actions = self.actions(seat)
        if dice is None:
            return self.act(seat, actions[0])
        action = dice.choice([action for action in actions if not action["revises"]])
        if action["type"] == "set_offer":
            action["body"] = offer(action["constraints"], dice)
        return self.act(seat, action)

    def play_until(self, done, dice=None):
        """Let the seats that must act do so one by one until `done(view)` is true; return that view.

        The deadlines of seats that are taken over pass when the game waits for no other.
        """
        view = self.view()
        for _ in range(MAX_ACTIONS):
            if done(view):
                return view
            acting = [seat for seat in view["waiting_for"] if view["players"][seat]["takeover"] is None]
            view = self.act_legally(acting[0], dice) if acting else self.pass_deadline()
        raise AssertionError(f"the condition never became true: round {view['round']}, {view['phase']}")

    def pass_deadline(self):
        """Let time pass up to the deadline of the game; return the view."""
        left_s = self.seconds_to(self.view()["deadline"])
        if self.view()["options"]["clock"] == "manual":
            return self.call("POST", "clock", {"advance_ms": round(1000 * left_s)}, token=self.host).json
        self.service.clock.advance(left_s)
        return self.view()

    def seconds_to(self, timestamp):
        """Return in how many seconds a time of a view comes, by the clock of the game."""
        times = [datetime.fromisoformat(each).timestamp() for each in (timestamp, self.view()["now"])]
        return round(times[0] - times[1], 3)

    def play_to(self, phase, number=1, dice=None):
        """Play up to a phase of a round; return the view."""
        return self.play_until(lambda view: (view["round"], view["phase"]) == (number, phase), dice)

    def play_out(self, dice=None):
        """Play to the end; return the view."""
        return self.play_until(lambda view: view["status"] != "playing", dice)

    def abort(self):
        """Abort the game, with the agreement of the people who play; return the last response."""
        answer = self.call("POST", "abort", token=self.host)
        for seat, token in enumerate(self.tokens):
            if token and answer.status_code == 200 and answer.json["status"] == "playing":
                answer = self.call("POST", "proposal", {"accept": True}, seat=seat)
        return answer

    def offer(self, seat, *prices, discard=0, **more):
        """Set the offer of a seat: prices, and the number of the drawn tile to discard."""
        drawn = [tile["tile"] for tile in self.view()["players"][seat]["tiles_on_offer"]]
        marked = drawn.pop(discard)
        body = {"discard": marked, "prices": dict(zip(drawn, prices, strict=True))}
        return self.call("PUT", "offer", body, seat=seat, **more)

    def place(self, seat, tile, x, y, rotation=0, **more):
        """Place a tile in the territory of a seat."""
        body = {"tile": tile, "x": x, "y": y, "rotation": rotation}
        return self.call("POST", "placements", body, seat=seat, **more)


def offer(constraints, dice):
    """Return a random offer within the constraints of a legal action."""
    discard, *kept = dice.sample(constraints["tiles"], 3)
    max_price = min(8, constraints["gold"] // 2)
    return {
        "discard": discard,
        "prices": {tile: dice.randint(constraints["minimum"], max_price) for tile in kept},
    }


def new_key():
    """Return a new player key."""
    return f"skye_key_{secrets.token_urlsafe(16)}"


def dice(seed):
    """Return a random generator with a seed."""
    return random.Random(seed)


def problem_code(answer):
    """Return the code of a response, which must be a complete problem (RFC 9457)."""
    assert answer.content_type == "application/problem+json", (answer.status, answer.text)
    problem = answer.json
    assert problem["status"] == answer.status_code
    assert problem["title"]
    assert problem["detail"]
    assert problem["type"].endswith(problem["code"])
    return problem["code"]


def client_error_code(answer, about=""):
    """Return the problem code of a 4xx response; `about` is printed if it is no such response."""
    assert 400 <= answer.status_code < 500, (about, answer.status, answer.text[:300])
    return problem_code(answer)
