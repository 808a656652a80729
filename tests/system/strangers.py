"""Strangers: players with player keys who leave, come back, propose, accept and refuse at random."""

import itertools
import random
import threading
from collections import Counter

from tests.system.client_threads import ClientThreads
from tests.system.players import player_key
from tests.system.wire import InvariantViolated, Wire, anonymous_key, bearer

SEATS = 4
MAX_STEPS = 3000
"""More steps than any stranger takes in a game."""

OPTIONS = (
    {"turn_ms": 5000, "on_timeout": "bot"},
    {"turn_ms": 3000, "on_timeout": "auto", "tie_break": "total_gold"},
    {"turn_ms": 5000, "on_timeout": "bot", "budget_ms": 30_000, "increment_ms": 500},
    {"budget_ms": 20_000, "increment_ms": 500, "on_timeout": "auto"},
)
PAUSE_MS = 1500
PRIVATE = 0.2

RESIGN = (0, 0.003, 0.02)
"""How probably a stranger resigns at each step, one of these for each stranger."""
AWAY = 0.03
RETURN = 0.6
REUSE = 0.5
"""How often a stranger goes on with the actions in a response."""
PROPOSE = {"propose_abort": 0.01, "pause": 0.04, "resume": 0.3}
ANSWERS = {"abort": (True, False, None), "pause": (True, True, True, True, False, None)}
"""By the kind of a proposal: whether a stranger accepts it, one of these at random; None: no answer."""
FINISH = 0.4
"""How probably a stranger finishes building while tiles can be placed."""


class Stranger:
    """A player of one game. `done` counts the requests that the service has acknowledged, by kind."""

    def __init__(self, wire, dice, game, number, key):
        self._wire, self._dice = wire, dice
        self._game, self._number, self.key = game, number, key
        self._resigns = dice.choice(RESIGN)
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
        for _ in range(MAX_STEPS):
            if self.is_over or stopped.is_set():
                return
            path = f"{self._path}/players/{self._number}"
            if self._actions is None:
                view = self._wire.read(f"{path}/actions", self.key)
                self._actions = view["actions"] + view["agreements"]
            actions, self._actions = self._actions, None
            chosen = self._choose(actions)
            if chosen == "resign":
                if self._send("POST", f"{path}/resign", None):
                    self.done["resigned"] += 1
                    return
            elif chosen == "away":
                self._be_away(stopped)
            elif chosen is None:
                self._listen(wait_ms=500)
            else:
                self._act(chosen)
        raise InvariantViolated(f"{self._path}: the game does not end")

    def _choose(self, actions):
        """Return an action, "resign", "away", or None to wait."""
        dice = self._dice
        by_type = {}
        for action in actions:
            by_type.setdefault(action["type"], []).append(action)
        if "return" in by_type:
            return by_type["return"][0] if dice.random() < RETURN else None
        if actions and dice.random() < self._resigns:
            return "resign"
        if answer := self._answer(by_type.get("answer_proposal", ())):
            return answer
        for kind, probability in PROPOSE.items():
            if kind in by_type and dice.random() < probability:
                return by_type[kind][0]
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
        if not self._send(action["method"], f"{action['href']}?include=actions", action["body"]):
            return
        if action["type"] == "return":
            self.done["returned"] += 1
        if action["type"] == "answer_proposal" and self._proposal["seat"] != self._number:
            self.done["answered"] += 1
        self.done["actions"] += 1

    def _be_away(self, stopped):
        """Do nothing until a deadline has passed, or the game is over."""
        before = self._missed
        for _ in range(MAX_STEPS):
            if self.is_over or self._missed > before or stopped.is_set():
                return
            self._listen(wait_ms=500)
        raise InvariantViolated(f"{self._path}: no deadline passes")

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
            if event["type"] in ("timed_out", "bot_took_over") and event["seat"] == self._number:
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

    def __init__(self, port, seed, games, size, keys):
        super().__init__(size)
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
        return any(thread.is_alive() for thread in self._threads)

    @property
    def action_count(self):
        """How many actions were acknowledged."""
        return sum(each.done["actions"] for meeting in [*self.meetings] for each in meeting.strangers)

    def _wire(self, dice):
        made = Wire([self._port], dice)
        self.wires.append(made)
        return made

    def _run(self, _):
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

    def _meet(self, number):
        """Create a game, which its first player hosts, and seat the others."""
        dice = random.Random(f"{self._seed}/{number}")
        wire, keys = self._wire(dice), dice.sample(self._keys, SEATS)
        body = {
            "name": f"Strangers {number}",
            "visibility": "private" if dice.random() < PRIVATE else "public",
            "seat_count": SEATS,
            "auto_start": True,
            "options": OPTIONS[number % len(OPTIONS)] | {"max_pause_ms": PAUSE_MS},
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
