"""Positions of real games, played over HTTP and kept as stored, to be put under any number of ids."""

from __future__ import annotations

import itertools
import json
import random
import urllib.request
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import redis

from bench.client import Ask
from service.matches.match import Match
from service.storage.codec import decode_match, encode_match

_AT_ONCE = 500


class Position(NamedTuple):
    """A game before a decision: as stored, with what the seat that decides may do, and all tokens."""

    game: str
    round: int
    waiting_for: list[int]
    seat: int
    table: bytes
    log: bytes
    actions: list[dict[str, Any]]
    tokens: list[str]

    @property
    def stored(self) -> Match:
        """The table."""
        return decode_match(self.table)

    def action(self, kind: str) -> dict[str, Any] | None:
        """Return the first action of a type that is open to the seat."""
        return next((action for action in self.actions if action["type"] == kind), None)

    def asked(self, action: dict[str, Any]) -> Ask:
        """Return the request that makes an action."""
        body = "" if action["body"] is None else json.dumps(action["body"])
        return Ask(action["method"], action["href"], self.tokens[self.seat], body=body)


def send(base: str, ask: Ask) -> Any:
    """Send one request, and return the JSON that answers it."""
    with answer_to(base, ask) as answer:
        return json.load(answer)


def answer_to(base: str, ask: Ask, more_headers: Mapping[str, str] | None = None) -> Any:
    """Send one request, and return the answer to be read."""
    headers = {"Content-Type": "application/json", **(more_headers or {})}
    headers |= {"Authorization": f"Bearer {ask.token}"} if ask.token else {}
    headers |= {"If-None-Match": ask.etag} if ask.etag else {}
    return urllib.request.urlopen(
        urllib.request.Request(base + ask.path, ask.body.encode() or None, headers, method=ask.method)
    )


def played(base: str, store: redis.Redis, players: int, seed: int) -> Iterator[Position]:
    """Play a random game by its legal actions alone; yield each position in which a seat decides."""
    names = [{"name": f"Player {number}"} for number in range(players)]
    body = json.dumps({"players": names, "start": True, "options": {"seed": str(seed)}})
    created = send(base, Ask("POST", "/v1/games", body=body))
    game, tokens = created["game"], [player["token"] for player in created["players"]]
    dice = random.Random(seed)
    while game["waiting_for"]:
        seat = dice.choice(game["waiting_for"])
        ask = Ask("GET", f"/v1/games/{game['id']}/players/{seat}/actions", tokens[seat])
        actions = send(base, ask)["actions"]
        table, log = (f"skye:{{{game['id']}}}:{kind}" for kind in ("table", "log"))
        stored: Any = store.get(table), store.dump(log)
        position = Position(game["id"], game["round"], game["waiting_for"], seat, *stored, actions, tokens)
        yield position
        onward = [action for action in actions if action["type"] != "take_back"]
        game = send(base, position.asked(dice.choice(onward)))


def find(games: Iterable[Sequence[Position]], round_: int, kind: str, *, last: bool) -> list[Position]:
    """Return from each game the first position in a round with an action of a type.

    With `last` it is the one action that the phase still waits for, otherwise others are to act as well; a
    game without such a position is left out.
    """
    found = []
    for game in games:
        for position in game:
            fits = kind == "take_back" or kind in ("buy", "pass") or (len(position.waiting_for) == 1) is last
            if position.round == round_ and fits and position.action(kind) is not None:
                found.append(position)
                break
    if not found:
        raise RuntimeError(f"no game that was played has a {kind} in round {round_}")
    return found


class Copies:
    """Positions stored under ids of their own, each as often as it takes: `ids` are those of the games."""

    def __init__(self, name: str, positions: Sequence[Position], number: int) -> None:
        self._positions = positions
        self._tables = [position.stored for position in positions]
        self.ids = [f"{name}{at:08}" for at in range(number)]

    def __iter__(self) -> Iterator[tuple[str, Position]]:
        return zip(self.ids, itertools.cycle(self._positions))

    def asks(self, ask_of: Callable[[Position], Ask]) -> list[Ask]:
        """Return for each copy the request that `ask_of` makes of its position, at its own id."""
        asks = []
        for game, position in self:
            ask = ask_of(position)
            asks.append(ask._replace(path=ask.path.replace(position.game, game)))
        return asks

    def store(self, store: redis.Redis) -> None:
        """Put every copy (back) to how it was."""
        for at, position in enumerate(self._positions):
            store.restore(f"bench:log:{at}", 0, position.log, replace=True)
        numbered = zip(self.ids, itertools.cycle(enumerate(self._tables)))
        while chunk := list(itertools.islice(numbered, _AT_ONCE)):
            with store.pipeline(transaction=False) as pipeline:
                for game, (at, table) in chunk:
                    pipeline.set(f"skye:{{{game}}}:table", encode_match(replace(table, id=game)))
                    pipeline.copy(f"bench:log:{at}", f"skye:{{{game}}}:log", replace=True)
                pipeline.execute()
