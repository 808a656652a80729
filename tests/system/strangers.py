"""Strangers: players with player keys who leave, come back, propose, accept and refuse at random."""

import itertools
import random
import threading
from collections import Counter
from typing import NamedTuple

from tests.system.client_threads import ClientThreads
from tests.system.players import player_key
from tests.system.wire import InvariantViolated, Wire, anonymous_key, bearer

SEATS = 4
MAX_STEPS = 3000
"""More steps than any stranger takes in a game."""

SECOND_MS = 1000
HOUR_MS = 3_600_000
DAY_MS = 24 * HOUR_MS


class Pace(NamedTuple):
    """How fast games are: the options of one after the other, and by how much their clock jumps.

    :param jumps: how far the clock of the server is advanced, one of these at random, several times a second.
    """

    options: tuple[dict, ...]
    max_pause_ms: int
    jumps: tuple[int, ...] = ()


LIVE = Pace(
    (
        {"turn_ms": 3000, "on_timeout": "bot"},
        {"turn_ms": 2000, "on_timeout": "auto", "tie_break": "total_gold"},
        {"turn_ms": 3000, "on_timeout": "bot", "budget_ms": 30_000, "increment_ms": 500},
        {"budget_ms": 20_000, "increment_ms": 500, "on_timeout": "auto"},
    ),
    max_pause_ms=1500,
)
"""Games in which people wait for each other, by the clock of the machine."""

DAYS = Pace(
    (
        {"turn_ms": DAY_MS, "on_timeout": "bot"},
        {"turn_ms": 2 * HOUR_MS, "on_timeout": "auto", "tie_break": "total_gold"},
        {"on_timeout": "bot"},
        {"turn_ms": DAY_MS, "on_timeout": "auto", "budget_ms": 5 * DAY_MS, "increment_ms": HOUR_MS},
    ),
    max_pause_ms=6 * HOUR_MS,
    jumps=(*[SECOND_MS] * 5, *[11 * SECOND_MS] * 5, *[HOUR_MS] * 4, *[5 * HOUR_MS] * 3, *[25 * HOUR_MS] * 2),
)
"""Games of days, also without any clock, on a lab server whose clock jumps."""

BETWEEN_JUMPS_S = (0.1, 0.4)
PRIVATE = 0.2

RESIGN = (0, 0.002, 0.01)
"""How probably a stranger resigns at each step, one of these for each stranger."""
AWAY = 0.04
GHOST = 0.1
"""How often a stranger is away from the start."""
BACK = (0.02, 0.1, 0.4)
"""How probably a stranger who is away comes back at each look, one of these for each stranger."""
MISSES = (1, 1, 2, 4)
"""For how many missed deadlines a stranger is away, one of these at random."""
AWAY_AGAIN = 0.2
"""How often a stranger returns without a decision."""
ABUSE = 0.02
REUSE = 0.5
"""How often a stranger goes on with the actions in a response."""
PROPOSE = {"propose_abort": 0.01, "pause": 0.04, "resume": 0.3, "request_takeover": 0.5}
ANSWERS = {"abort": (True, True, False, None), "pause": (True, True, True, True, False, None)}
"""By the kind of a proposal: whether a stranger accepts it, one of these at random; None: no answer."""
REPLACE = 0.3
"""How often a stranger replaces an offer."""
FINISH = 0.4
"""How probably a stranger finishes building while tiles can be placed."""


class Stranger:
    """A player of one game. `done` counts the requests that the service has acknowledged, by kind."""

    def __init__(self, wire, dice, game, number, key):
        self._wire, self._dice = wire, dice
        self._game, self._number, self.key = game, number, key
        self._resigns, self._back = dice.choice(RESIGN), dice.choice(BACK)
        self._seen = self._sent = 0
        self._actions = None
        self._proposal = self._answered = None
        self._missed = 0
        self.done = Counter()
        self.refused = Counter()
        self.is_over = False

    @property
    def _path(self):
        return f"/v1/games/{self._game}"

    def play(self, stopped):
        """Act until the game is over or the stranger has resigned, or `stopped` is set."""
        if self._dice.random() < GHOST:
            self._be_away(stopped)
        for _ in range(MAX_STEPS):
            if self.is_over or stopped.is_set():
                return
            chosen = self._choose(self._offered())
            if chosen == "resign":
                self._resign()
            elif chosen == "away":
                self._be_away(stopped)
            elif chosen is None:
                self._listen(wait_ms=500)
            elif self._act(chosen) and chosen["type"] == "return" and self._dice.random() < AWAY_AGAIN:
                self._be_away(stopped)
        raise InvariantViolated(f"{self._path}: the game does not end")

    def _offered(self):
        """Return the actions and agreements of the seat."""
        actions, self._actions = self._actions, None
        if self._dice.random() < ABUSE:
            self._abuse()
        if actions is None:
            view = self._wire.read(f"{self._path}/players/{self._number}/actions", self.key)
            return view["actions"] + view["agreements"]
        return actions

    def _resign(self):
        if self._send("POST", f"{self._path}/players/{self._number}/resign", None):
            self.done["resigned"] += 1
            self.is_over = True

    def _choose(self, actions):
        """Return an action, "resign", "away", or None to wait."""
        dice = self._dice
        by_type = {}
        for action in actions:
            by_type.setdefault(action["type"], []).append(action)
        if actions and dice.random() < self._resigns:
            return "resign"
        if "return" in by_type:
            return by_type["return"][0] if dice.random() < self._back else None
        if answer := self._answer(by_type.get("answer_proposal", ())):
            return answer
        for kind, probability in PROPOSE.items():
            if kind in by_type and dice.random() < probability:
                return by_type[kind][0]
        if (offers := by_type.get("set_offer")) and offers[0]["revises"] and dice.random() < REPLACE:
            return offers[0]
        moves = [action for action in actions if not action["revises"]]
        if not moves:
            return None
        if dice.random() < AWAY:
            return "away"
        finishing = [action for action in moves if action["type"] == "finish_building"]
        return finishing[0] if finishing and dice.random() < FINISH else dice.choice(moves)

    def _answer(self, offered):
        """Return the answer to the open proposal, once for each proposal; a proposer may withdraw it."""
        if offered:
            self._listen()
        if not offered or self._proposal is None or self._answered == self._proposal:
            return None
        self._answered = self._proposal
        wanted = self._dice.choice(ANSWERS[self._proposal["kind"]])
        return next((action for action in offered if action["body"]["accept"] is wanted), None)

    def _act(self, action):
        """Send an action; return whether it was accepted."""
        if not self._send(action["method"], f"{action['href']}?include=actions", action["body"]):
            return False
        if action["type"] == "return":
            self.done["returned"] += 1
        if action["type"] == "answer_proposal" and self._proposal["seat"] != self._number:
            self.done["answered"] += 1
        self.done["actions"] += 1
        return True

    def _be_away(self, stopped):
        """Do nothing until some deadlines have passed, the stranger comes back, or the game is over."""
        until = self._missed + self._dice.choice(MISSES)
        for _ in range(MAX_STEPS):
            if self.is_over or self._missed >= until or stopped.is_set():
                return
            if self._dice.random() < self._back:
                return
            self._listen(wait_ms=500)
        raise InvariantViolated(f"{self._path}: no deadline passes")

    def _abuse(self):
        """Send a request that must be refused."""
        own, other = (f"{self._path}/players/{seat}" for seat in (self._number, (self._number + 1) % SEATS))
        method, path, body = self._dice.choice(
            [
                ("POST", f"{other}/return", None),
                ("POST", f"{other}/resign", None),
                ("PUT", f"{other}/purchase", {"tile": None}),
                ("POST", f"{own}/takeover", None),
                ("PUT", f"{own}/offer", {"discard": "L01", "prices": {"L01": 1, "L02": 1}}),
                ("POST", f"{self._path}/players", {"name": "Once more"}),
            ]
        )
        reply = self._wire.ask_until_answered(method, path, body, bearer(self.key))
        if not 400 <= reply.status < 500:
            raise InvariantViolated(f"{method} {path}: {reply.status} {reply.body[:500]}")
        self.done["abused"] += 1

    def _send(self, method, path, body):
        """Send a request until it is answered; return whether it was accepted."""
        self._sent += 1
        key = f"{self._game}/{self._number}/{self._sent}"
        headers = bearer(self.key) | {"Idempotency-Key": key}
        reply = self._wire.ask_until_answered(method, path, body, headers)
        if reply.status == 409:
            self.refused[reply.json["code"]] += 1
        elif reply.status != 200:
            raise InvariantViolated(f"{method} {path}: {reply.status} {reply.body[:500]}")
        # These have no agreements, which are read at other times.
        self._actions = reply.json.get("actions") if self._dice.random() < REUSE else None
        return reply.status == 200

    def _listen(self, wait_ms=0):
        """Read the new events, waiting for some."""
        query = f"after={self._seen}&limit=1000&wait_ms={wait_ms}"
        for event in self._wire.read(f"{self._path}/events?{query}", self.key)["events"]:
            self._seen = event["id"]
            if event["type"] == "proposal_made":
                self._proposal = event
            if event["type"] == "timed_out" and event["seat"] == self._number:
                self._missed += 1
            self.is_over = self.is_over or event["type"] in ("game_finished", "game_aborted")


class Meeting:
    """A game of four strangers: what was sent to create it, and its players in seat order."""

    def __init__(self, game, body, strangers):
        self.game, self.body, self.strangers = game, body, strangers

    @property
    def keys(self):
        return [stranger.key for stranger in self.strangers]


class Strangers(ClientThreads):
    """A number of games, `size` of them at once, of strangers who have some of the `keys`.

    `meetings` are the games.
    """

    def __init__(self, port, seed, pace, games, size, keys):
        super().__init__(size + bool(pace.jumps))
        self._size, self._pace = size, pace
        self._port, self._seed, self._games, self._keys = port, seed, games, keys
        self._numbers = itertools.count()
        self.meetings = []
        self.wires = []

    def __exit__(self, *_):
        super().__exit__()
        for wire in self.wires:
            wire.close()

    @property
    def is_playing(self):
        return any(thread.is_alive() for thread in self._threads[: self._size])

    @property
    def action_count(self):
        """How many actions were acknowledged."""
        return sum(each.done["actions"] for meeting in [*self.meetings] for each in meeting.strangers)

    def _wire(self, dice):
        made = Wire([self._port], dice)
        self.wires.append(made)
        return made

    def _run(self, player):
        if player == self._size:
            self._let_time_pass()
            return
        while (number := next(self._numbers)) < self._games and not self._stopped.is_set():
            meeting = self._meet(number)
            self.meetings.append(meeting)
            playing = [
                threading.Thread(target=self._guard, args=(stranger.play, self._stopped))
                for stranger in meeting.strangers
            ]
            for thread in playing:
                thread.start()
            for thread in playing:
                thread.join()

    def _let_time_pass(self):
        """Advance the clock of the server repeatedly while games are played."""
        dice = random.Random(self._seed)
        wire = self._wire(dice)
        while self.is_playing and not self._stopped.is_set():
            self._stopped.wait(dice.uniform(*BETWEEN_JUMPS_S))
            reply = wire.ask_until_answered(
                "POST", "/v1/lab/clock", {"advance_ms": dice.choice(self._pace.jumps)}
            )
            if reply.status != 200:
                raise InvariantViolated(f"POST /v1/lab/clock: {reply.status} {reply.body[:500]}")

    def _meet(self, number):
        """Create a game, which its first player hosts, and seat the others."""
        dice = random.Random(f"{self._seed}/{number}")
        wire, keys, options = self._wire(dice), dice.sample(self._keys, SEATS), self._pace.options
        body = {
            "name": f"Strangers {number}",
            "visibility": "private" if dice.random() < PRIVATE else "public",
            "seat_count": SEATS,
            "auto_start": True,
            "options": options[number % len(options)] | {"max_pause_ms": self._pace.max_pause_ms},
        }
        invited = SEATS - 1 if body["visibility"] == "private" else 0
        own = body | {"players": [{"name": "Stranger 0"}, *[{"invite": True}] * invited]}
        created = _made(wire, "/v1/games", own, f"{self._seed}/{number}/0", keys[0])
        game, codes = created["game"]["id"], [each["code"] for each in created["invitations"]]
        strangers = []
        for seat, key in enumerate(keys):
            if seat:
                joining = {"name": f"Stranger {seat}"} | ({"invite_code": codes[seat - 1]} if codes else {})
                path, name = f"/v1/games/{game}/players", f"{self._seed}/{number}/{seat}"
                assert _made(wire, path, joining, name, key)["seat"] == seat
            own_dice = random.Random(f"{self._seed}/{number}/{seat}")
            strangers.append(Stranger(self._wire(own_dice), own_dice, game, seat, key))
        return Meeting(game, body, strangers)


def new_keys(seed, number):
    """Return player keys."""
    return [player_key(f"{seed}/key/{each}") for each in range(number)]


def _made(wire, path, body, name, key):
    headers = bearer(key) | {"Idempotency-Key": anonymous_key(name)}
    reply = wire.ask_until_answered("POST", path, body, headers)
    if reply.status != 201:
        raise InvariantViolated(f"POST {path}: {reply.status} {reply.body[:500]}")
    return reply.json
