"""Positions of games that were played over HTTP, to be stored under any number of ids."""

from __future__ import annotations

import itertools
import json
import random
import urllib.request
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

import redis
from msgspec.structs import replace

from bench.load import Request
from skye_server.games.game import Game
from skye_server.store.codec import decode_game, encode_game
from skye_server.store.shards import key_of

_BATCH_SIZE = 500


class Position(NamedTuple):
    """A game before a decision: its stored values, the legal actions of a seat, and all tokens."""

    id: str
    round: int
    waiting_for: list[int]
    seat: int
    game: bytes
    log: bytes
    actions: list[dict[str, Any]]
    tokens: list[str]

    @property
    def decoded(self) -> Game:
        """The decoded game."""
        return decode_game(self.game)

    def action(self, kind: str) -> dict[str, Any] | None:
        """Return the first legal action of a type, or None."""
        return next((action for action in self.actions if action["type"] == kind), None)

    def request_for(self, action: dict[str, Any]) -> Request:
        """Return the request of an action."""
        body = "" if action["body"] is None else json.dumps(action["body"])
        return Request(action["method"], action["href"], self.tokens[self.seat], body=body)


def fetch_json(base: str, request: Request) -> Any:
    """Send a request; return the JSON of the response."""
    with fetch(base, request) as answer:
        return json.load(answer)


def fetch(base: str, request: Request, more_headers: dict[str, str] | None = None) -> Any:
    """Send a request; return the response with its body unread."""
    headers, body = request.headers | (more_headers or {}), request.body.encode() or None
    sent = urllib.request.Request(base + request.path, body, headers, method=request.method)
    return urllib.request.urlopen(sent)


def played(base: str, store: redis.Redis, players: int, seed: int) -> Iterator[Position]:
    """Play a random game with its legal actions; yield the position before each decision."""
    names = [{"name": f"Player {number}"} for number in range(players)]
    body = json.dumps({"players": names, "auto_start": True, "options": {"seed": str(seed)}})
    created = fetch_json(base, Request("POST", "/v1/games", body=body))
    game, tokens = created["game"], [player["token"] for player in created["players"]]
    dice = random.Random(seed)
    while game["waiting_for"]:
        seat = dice.choice(game["waiting_for"])
        request = Request("GET", f"/v1/games/{game['id']}/players/{seat}/actions", tokens[seat])
        actions = fetch_json(base, request)["actions"]
        key, log = (key_of(game["id"], kind) for kind in ("game", "log"))
        stored: Any = store.get(key), store.dump(log)
        position = Position(game["id"], game["round"], game["waiting_for"], seat, *stored, actions, tokens)
        yield position
        onward = [action for action in actions if action["type"] != "take_back"]
        game = fetch_json(base, position.request_for(dice.choice(onward)))


def find(games: Iterable[Sequence[Position]], round_: int, kind: str, *, last: bool) -> list[Position]:
    """Return, from each game that has one, the first position in a round with an action of a type.

    :param last: whether the phase waits for this action only; otherwise other seats have to act too.
    :raises RuntimeError: when no game has such a position.
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
    """Copies of positions, which are stored as games with the ids `ids`.

    :param name: the prefix of the ids.
    :param positions: the positions, which are repeated in turn.
    :param number: the number of copies.
    """

    def __init__(self, name: str, positions: Sequence[Position], number: int) -> None:
        self._positions = positions
        self._games = [position.decoded for position in positions]
        self.ids = [f"{name}{at:08}" for at in range(number)]

    def __iter__(self) -> Iterator[tuple[str, Position]]:
        return zip(self.ids, itertools.cycle(self._positions))

    def requests(self, request_of: Callable[[Position], Request]) -> list[Request]:
        """Return the request of each copy.

        :param request_of: returns the request of a position, whose id is then replaced by that of the copy.
        """
        requests = []
        for game_id, position in self:
            request = request_of(position)
            requests.append(request._replace(path=request.path.replace(position.id, game_id)))
        return requests

    def store(self, store: redis.Redis) -> None:
        """Store every copy, also to restore it."""
        for at, position in enumerate(self._positions):
            store.restore(f"bench:log:{at}", 0, position.log, replace=True)
        numbered = zip(self.ids, itertools.cycle(enumerate(self._games)))
        while chunk := list(itertools.islice(numbered, _BATCH_SIZE)):
            with store.pipeline(transaction=False) as pipeline:
                for game_id, (at, game) in chunk:
                    pipeline.set(key_of(game_id, "game"), encode_game(replace(game, id=game_id)))
                    pipeline.copy(f"bench:log:{at}", key_of(game_id, "log"), replace=True)
                pipeline.execute()
