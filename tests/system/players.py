"""Players of whole games over real HTTP, with a journal of every response.

A seat sends random legal actions. It writes each action to its journal before it sends the request, and the
response after it has arrived; an action without a response stays open. `proof` compares the journals with the
stored games.
"""

import hashlib
import json
import random
import time
from dataclasses import dataclass, field

from tests.system.wire import NOT_FOUND_STATUSES, InvariantViolated, NoResponse, anonymous_key, bearer

NAMES = ("Ann", "Bob", "Cy", "Dee", "Eve")
OVER = ("finished", "aborted")
MAX_STEPS = 2000
"""More steps than any seat takes in a game; a loop ends there."""

TAKE_BACK = 0.15
REPLACE_OFFER = 0.2
WITHOUT_KEY = 0.1
WITH_PLAYER_KEY = 0.5
ON_CONDITION = 0.1
TWICE = 0.08
HURRIED = 0.04
OUT_OF_TURN = 0.1


def digest(view):
    """Return a digest of JSON that does not depend on the order of its fields, nor on `now`."""
    lasting = {name: value for name, value in view.items() if name != "now"}
    return hashlib.sha256(json.dumps(lasting, sort_keys=True).encode()).digest()[:12]


@dataclass(eq=False)
class Entry:
    """One action in a journal.

    `before` is the version at which it was chosen. If it was acknowledged, `after` is the version in the
    response, `answered` its time and `answer` its digest; if it was refused, `refused` is the problem code.
    Otherwise the outcome is unknown.
    """

    seat: int
    type: str
    method: str
    path: str
    body: dict | None
    key: str | None
    before: int
    after: int | None = None
    answer: bytes = b""
    answered: float = 0.0
    refused: str | None = None

    @property
    def is_open(self):
        return self.after is None and self.refused is None

    @property
    def request(self):
        """Method, path and body."""
        return self.method, self.path, self.body


@dataclass(eq=False)
class Seat:
    """A player of one game, which acts at random and writes a journal.

    `first` is the first view of the game; `marks` are digests of the events, by number; `waiting_for` are the
    seats that had to act after this one's last action. With `may_go_back` the game may be seen to lose
    what nobody was acknowledged, as by a failover: the seat then begins again from what there is.
    """

    wire: object
    dice: object
    game: str
    number: int
    token: str
    first: dict
    journal: list = field(default_factory=list)
    marks: dict = field(default_factory=dict)
    version: int = 0
    is_over: bool = False
    waiting_for: list = field(default_factory=list)
    may_go_back: bool = False

    @property
    def path(self):
        return f"/v1/games/{self.game}/players/{self.number}"

    def play(self, stopped):
        """Act whenever something is open, until the game is over or `stopped` is set."""
        for _ in range(MAX_STEPS):
            if stopped.is_set() or self.is_over:
                return
            if not self.step():
                self.listen(wait_ms=500)
        raise InvariantViolated(f"{self.path}: the game does not end")

    def step(self):
        """Send one legal action of the seat; return whether there was any."""
        view = self.wire.read(f"{self.path}/actions", self.token)
        self.at_version(view["version"])
        actions = self._sensible(view["actions"])
        if not actions:
            return False
        action = self.dice.choice(actions)
        if "constraints" in action:
            action["body"] = self._offer(action["constraints"])
        self.waiting_for = []
        self.act(action, view["version"])
        return True

    def _sensible(self, actions):
        """Return the actions, usually without those that undo others."""
        if self.dice.random() >= TAKE_BACK:
            actions = [action for action in actions if action["type"] != "take_back"]
        has_offered = self.journal and self.journal[-1].type == "set_offer" and self.journal[-1].after
        if has_offered and actions and actions[0]["type"] == "set_offer":
            return actions if self.dice.random() < REPLACE_OFFER else []
        return actions

    def _offer(self, limits):
        discard, *priced = self.dice.sample(limits["tiles"], 3)
        most = max(limits["minimum"], min(8, limits["gold"] // 2))
        return {
            "discard": discard,
            "prices": {tile: self.dice.randint(limits["minimum"], most) for tile in priced},
        }

    def act(self, action, version):
        """Send an action that was legal at a version; check that it is accepted or validly refused."""
        # An offer without a key might be set twice by a proxy that sends a PUT again, as HTTP lets it.
        keyed = action["method"] == "PUT" or self.dice.random() >= WITHOUT_KEY
        key = f"{self.game}/{self.number}/{len(self.journal)}" if keyed else None
        request = [action[part] for part in ("method", "href", "body")]
        entry = Entry(self.number, action["type"], *request, key, version)
        self.journal.append(entry)
        headers = bearer(self.token) | ({"Idempotency-Key": key} if key else {})
        if self.dice.random() < ON_CONDITION:
            headers["If-Match"] = f'"{version}"'
        request.append(headers)
        if key is None:
            self._send_once(entry, request)
            return
        if self.dice.random() < HURRIED:
            self.wire.send_and_disconnect(*request)
        reply = self.wire.ask_until_answered(*request)
        self._enter(entry, request, reply)
        if self.dice.random() < TWICE:
            again = self.wire.ask_until_answered(*request)
            if entry.refused is None and (again.status, again.body) != (reply.status, reply.body):
                raise InvariantViolated(f"{entry}: the same key gave {again.status} {again.body[:500]}")

    def _send_once(self, entry, request):
        """Send a request that a retry would repeat; its outcome may stay unknown."""
        try:
            reply = self.wire.ask(*request)
        except NoResponse as cut:
            if not cut.sent:
                entry.refused = "not_sent"
            return
        if reply.status != 503:
            self._enter(entry, request, reply)

    def _enter(self, entry, request, reply):
        """Add a response to the journal."""
        view = reply.json
        if reply.status == 200:
            entry.after, entry.answer, entry.answered = view["version"], digest(view), time.time()
            self.is_over, self.waiting_for = view["status"] in OVER, view["waiting_for"]
            in_order = entry.after > entry.before or self.may_go_back
            if not in_order or reply.headers["ETag"] != f'"{entry.after}"':
                raise InvariantViolated(f"{entry}: answered with {reply.headers['ETag']}, {view['version']}")
            self.at_version(view["version"])
            return
        entry.refused = view["code"]
        too_late = entry.type == "set_offer" and self._has_offered() and entry.refused == "wrong_phase"
        changed = "If-Match" in request[3] and entry.refused == "version_mismatch"
        missed = self.may_go_back and reply.status in (*NOT_FOUND_STATUSES, 409)
        if not (too_late or changed or missed):
            raise InvariantViolated(f"{entry}: open to the seat, and refused with {reply.body[:500]}")

    def _has_offered(self):
        """Return whether this seat has acted before, so that others may have ended the phase meanwhile."""
        return any(entry.type == "set_offer" and entry.refused is None for entry in self.journal[:-1])

    def listen(self, wait_ms=0):
        """Read the events that are new, waiting for some; each must have the next number."""
        after = len(self.marks)
        path = f"/v1/games/{self.game}/events?after={after}&limit=1000&wait_ms={wait_ms}"
        reply = self.wire.ask_until_answered("GET", path, headers=bearer(self.token))
        if reply.status == 410:
            self._go_back(0)
            return
        if reply.status != 200:
            raise InvariantViolated(f"GET {path}: {reply.status} {reply.body[:500]}")
        for event in reply.json["events"]:
            record_mark(self.marks, event)
            self.at_version(event["version"], reading_log=True)
            self.is_over = self.is_over or event["type"] in ("game_finished", "game_aborted")

    def at_version(self, version, *, reading_log=False):
        """Take note of a version that was shown; the game may not be seen to go back."""
        if version < self.version and not reading_log:
            self._go_back(version)
        self.version = max(version, self.version)

    def _go_back(self, version):
        """Begin again from a version that is less than one that was shown."""
        if not self.may_go_back:
            raise InvariantViolated(f"{self.path}: version {version} after version {self.version}")
        self.wire.counts["gone back"] += 1
        self.marks.clear()
        self.version = version


def record_mark(marks, event):
    """Enter an event's mark under its number, which must be the next one."""
    if event["id"] != len(marks) + 1:
        raise InvariantViolated(f"event {event['id']} came after {len(marks)}")
    marks[event["id"]] = digest(event)


@dataclass(eq=False)
class Match:
    """A game that is played by `seats`; its seed, the host's token, and the time it was opened."""

    game: str
    seed: str
    host: str
    seats: list
    opened: float
    waiting_for: list = field(default_factory=list)

    @property
    def path(self):
        return f"/v1/games/{self.game}"

    @property
    def is_over(self):
        return any(seat.is_over for seat in self.seats)

    def step(self, dice):
        """Let one of the seats that must act do so, now and then any other."""
        if not self.waiting_for:
            self.waiting_for = self.seats[0].wire.read(self.path)["waiting_for"]
        anybody = range(len(self.seats)) if dice.random() < OUT_OF_TURN else self.waiting_for
        seat = self.seats[dice.choice(anybody)]
        self.waiting_for = seat.waiting_for if seat.step() else []


def open_match(wire, seed, wire_for, *, may_go_back=False):
    """Create a game of 2 to 5 seats, with or without a lobby, and start it.

    `wire_for` gives a client, by its dice, a way to the service. Every request has a key, so that it may be
    sent again. Some players of a lobby have a player key, with which they act; the others have seat tokens.
    """
    dice = random.Random(seed)
    players = [{"name": name} for name in NAMES[: dice.randint(2, 5)]]
    at_once = dice.random() < 0.5
    options = {"seed": seed, "open_gold": dice.random() < 0.3}
    body = {"name": "Played by the dice", "options": options, "seat_count": len(players)}
    body |= {"players": players, "auto_start": True} if at_once else {}
    created = _made(wire, dice, "/v1/games", body, f"{seed}/create")
    game, host = created["game"]["id"], created["host_token"]
    tokens = [player["token"] for player in created["players"]]
    if not at_once:
        for player in players:
            own = f"{seed}/{player['name']}"
            key = player_key(own) if dice.random() < WITH_PLAYER_KEY else None
            joined = _made(wire, dice, f"/v1/games/{game}/players", player, own, key)
            tokens.append(key or joined["token"])
        _made(wire, dice, f"/v1/games/{game}/start", None, f"{seed}/start", host, status=200)
    seats = []
    for number, token in enumerate(tokens):
        own_dice = random.Random(f"{seed}/{number}")
        own = wire_for(own_dice)
        first = own.read(f"/v1/games/{game}", token)
        seats.append(Seat(own, own_dice, game, number, token, first, may_go_back=may_go_back))
    return Match(game, seed, host, seats, time.time())


def player_key(name):
    """Return a player key, the same for the same name."""
    return f"skye_key_{hashlib.sha256(name.encode()).hexdigest()}"


def _made(wire, dice, path, body, key, token=None, status=201):
    """Send a request of the lobby, sometimes twice; return the JSON of the response."""
    headers = bearer(token) | {"Idempotency-Key": anonymous_key(key)}
    if dice.random() < HURRIED:
        wire.send_and_disconnect("POST", path, body, headers)
    reply = wire.ask_until_answered("POST", path, body, headers)
    if reply.status != status:
        raise InvariantViolated(f"POST {path}: {reply.status} {reply.body[:500]}")
    if dice.random() < TWICE:
        again = wire.ask_until_answered("POST", path, body, headers)
        if (again.status, again.body) != (reply.status, reply.body):
            raise InvariantViolated(f"POST {path}: the same key gave {again.status} {again.body[:500]}")
    return reply.json
