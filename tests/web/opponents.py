"""Opponents of rated games by plain HTTP, each from another address: players of one network do not meet."""

import http.client
import itertools
import json
import random
import secrets
from urllib.parse import urlsplit

from tests.support.playing import new_key
from tests.support.waiting import MAX_WAIT_S, waited_for

LIVE_MS, SLOW_MS = 120_000, 86_400_000
_NUMBERS = itertools.count(2)
_RUN = random.Random().randrange(200)


def new_name():
    """Return a name that no player has."""
    return f"web-{secrets.token_hex(4)}"


class Opponent:
    """A player with a profile.

    :param url: The server.
    :param bot: Whether the player says to be a program.
    """

    def __init__(self, url, name, *, bot=False, key=None):
        number = next(_NUMBERS)
        self._server = urlsplit(url).netloc
        self._address = f"127.{1 + _RUN}.{number // 250}.{1 + number % 250}"
        self.key, self.name = key or new_key(), name
        if key is None:
            self.call("PUT", "/v1/me/profile", {"name": name, "bot": bot})

    def call(self, method, path, body=None):
        """Send a request; return the JSON of the response."""
        connection = http.client.HTTPConnection(
            self._server, timeout=MAX_WAIT_S, source_address=(self._address, 0)
        )
        headers = {"Content-Type": "application/json", "Authorization": f"Bearer {self.key}"}
        connection.request(method, path, None if body is None else json.dumps(body), headers)
        answer = connection.getresponse()
        text = answer.read()
        connection.close()
        assert answer.status < 300, text
        return json.loads(text) if text else None

    def seek(self, seat_count=2, turn_ms=LIVE_MS):
        """Ask for a rated game; return the ticket."""
        wanted = {"name": self.name, "rated": True, "seat_count": seat_count}
        return self.call(
            "POST", "/v1/matchmaking/tickets", {**wanted, "options": {"turn_ms": turn_ms}, "ttl_ms": 600_000}
        )

    def act(self, game):
        """Make a legal action; return whether there was one."""
        actions = self.call("GET", f"/v1/games/{game}?include=actions")["actions"]
        legal = [action for action in actions or [] if action["type"] != "take_back"]
        if legal:
            self.call(legal[0]["method"], legal[0]["href"], legal[0]["body"])
        return bool(legal)

    def resign(self, game):
        """Give the game up."""
        seat = self.call("GET", f"/v1/games/{game}")["you"]["seat"]
        self.call("POST", f"/v1/games/{game}/players/{seat}/resign")


def play_out(game, *players):
    """Play the rest of a game by plain HTTP."""
    while sum(player.act(game) for player in players):
        pass


def rated_game(*players):
    """Begin a live game of players; return its id."""
    for player in players:
        ticket = player.seek(len(players))
    assert ticket["status"] == "matched", ticket
    return ticket["game_id"]


def wait_until_counted(player, game):
    """Wait until the ladder has rated a game."""

    def is_counted():
        results = player.call("GET", f"/v1/players/{player.name}")["results"]
        return any(result["game_id"] == game and result["changes"] for result in results)

    assert waited_for(is_counted)
