"""`python -m service.cli demo`: one whole game against a running server, played as an outside client plays.

It knows no rules. It asks which actions are open to a seat, picks one with dice of its own and sends it as it
stands; whatever the server does not accept ends the demo with what it said. The story is a spectator's.
"""

from __future__ import annotations

import argparse
import hashlib
import http.client
import json
import os
import random
import secrets
import shutil
import sys
from collections.abc import Iterator, Sequence
from urllib.parse import urlsplit

from service.cli.terminal import LEGEND, Json, Narrator, painted, score_table, side_by_side, territory_map
from service.settings import Settings, SettingsError

PLAYERS = ("Ann", "Bob", "Cat", "Dan", "Eve")

_PATIENCE_S = 10.0
_PASSING = 0.2
"""How often a player buys nothing though something could be bought."""


class DemoError(Exception):
    """The demo cannot go on; the message says why."""


class Server:
    """The server under demonstration, called over one connection that is kept open."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        try:
            kind = {"http": http.client.HTTPConnection, "https": http.client.HTTPSConnection}[parts.scheme]
            self._connection = kind(parts.hostname or "", parts.port, timeout=_PATIENCE_S)
        except (KeyError, ValueError) as error:
            raise DemoError(f"{url} is no address such as http://127.0.0.1:8000.") from error
        self.url = f"{parts.scheme}://{parts.netloc}"

    def connect(self) -> None:
        """See whether anybody is there.

        :raises DemoError: when not.
        """
        try:
            self._connection.connect()
        except OSError as error:
            raise DemoError(
                f"No server answers at {self.url} ({error.strerror or error}). Start one with: make serve"
            ) from error

    def call(self, method: str, path: str, body: Json = None, token: str | None = None) -> Json:
        """Return the JSON that the server answers.

        :raises DemoError: when it refuses, or answers nothing that can be read.
        """
        headers = {"Content-Type": "application/json"} if body is not None else {}
        if token is not None:
            headers["Authorization"] = f"Bearer {token}"
        sent = None if body is None else json.dumps(body)
        try:
            self._connection.request(method, path, sent, headers)
            answer = self._connection.getresponse()
            text = answer.read().decode()
            told = json.loads(text)
        except (OSError, http.client.HTTPException, ValueError) as error:
            reason = f"{type(error).__name__}: {error}"
            raise DemoError(f"{method} {path} got no answer that can be read: {reason}") from error
        if answer.status not in (200, 201):
            request = f"{method} {path}" + (f" with {sent}" if sent else "")
            raise DemoError(f"{request} was refused with {answer.status}:\n{json.dumps(told, indent=2)}")
        return told


class Dice:
    """Chooses among the actions that a server lists: at random, but with some sense."""

    def __init__(self, seed: str) -> None:
        self._random = random.Random(seed)  # noqa: S311 - dice, not secrets

    def choose(self, actions: Sequence[Json], player: Json) -> tuple[Json, Json]:
        """Return one of the actions and the body to send with it; `player` is who acts, as it sees itself."""
        first = actions[0]
        if "constraints" in first:
            return first, self._offer(first["constraints"])
        placements = [action for action in actions if action["type"] == "place"]
        purchases = [action for action in actions if action["type"] == "buy"]
        if placements:
            chosen = self._snug(placements, player["territory"])
        elif purchases and self._random.random() >= _PASSING:
            chosen = self._random.choice(purchases)
        else:
            chosen = next(action for action in actions if action["type"] in ("pass", "finish_building"))
        return chosen, chosen["body"]

    def _offer(self, limits: Json) -> Json:
        """Discard any tile, and lay at most half of the gold on the others: the rest is to buy with."""
        discard, *priced = self._random.sample(limits["tiles"], len(limits["tiles"]))
        least = limits["minimum"]
        spare = limits["gold"] // 2 - least * len(priced)
        prices = {}
        for tile in priced:
            extra = self._random.randint(0, max(spare, 0))
            prices[tile], spare = least + extra, spare - extra
        return {"discard": discard, "prices": prices}

    def _snug(self, placements: Sequence[Json], territory: Sequence[Json]) -> Json:
        """Return one of the placements that touch the most tiles."""
        built = {(placed["x"], placed["y"]) for placed in territory}

        def touched(action: Json) -> int:
            x, y = action["body"]["x"], action["body"]["y"]
            return len(built & {(x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)})

        most = max(map(touched, placements))
        return self._random.choice([action for action in placements if touched(action) == most])


def played(server: Server, players: int, seed: str) -> Iterator[tuple[Json, Sequence[Json]]]:
    """Play one game to its end; give after each action the game and the events it caused, for a spectator.

    :raises DemoError: when something is not as the API promises.
    """
    seated = [{"name": name} for name in PLAYERS[:players]]
    body = {"name": "A demonstration", "players": seated, "start": True, "options": {"seed": seed}}
    created = server.call("POST", "/v1/games", body)
    game, tokens = created["game"], [player["token"] for player in created["players"]]
    home, heard, dice = f"/v1/games/{game['id']}", 0, Dice(seed)
    commitment = game["fairness"]["commitment"]
    while True:
        news = server.call("GET", f"{home}/events?after={heard}")["events"]
        heard = news[-1]["id"] if news else heard
        yield game, news
        if game["status"] != "playing" or not game["waiting_for"]:
            break
        seat = game["waiting_for"][0]
        listed = server.call("GET", f"{home}/players/{seat}/actions", token=tokens[seat])["actions"]
        if not listed:
            raise DemoError(f"{home} waits for seat {seat}, to which no action is open.")
        action, chosen = dice.choose(listed, game["players"][seat])
        game = server.call(action["method"], action["href"], chosen, tokens[seat])
    if game["status"] != "finished":
        raise DemoError(f"{home} is {game['status']} and waits for nobody.")
    if hashlib.sha256(game["fairness"]["seed"].encode()).hexdigest() != commitment:
        raise DemoError(f"{home} was not drawn from the seed that it was committed to.")


def ending(server: Server, game: Json, *, colour: bool, width: int) -> list[str]:
    """Return the last lines: territories, points and the winner of a finished game."""
    home, players = f"/v1/games/{game['id']}", game["players"]
    catalogue = {tile["id"]: tile for tile in server.call("GET", "/v1/tiles")["tiles"]}
    maps = []
    for player in players:
        placed = player["territory"]
        plain = territory_map(placed, catalogue, colour=False)
        drawn = territory_map(placed, catalogue, colour=True) if colour else plain
        maps.append((f"{player['name']}, {player['color']}, {len(placed)} tiles", drawn, len(plain[0])))
    names = [player["name"] for player in players]
    winners = [names[seat] for seat in game["result"]["winners"]]
    won = f"{' and '.join(winners)} {'wins' if len(winners) == 1 else 'share the win'}"
    points = max(player["score"] for player in players)
    return [
        "",
        *side_by_side(maps, width),
        LEGEND,
        "",
        *score_table(server.call("GET", f"{home}/scores"), game["result"], names),
        "",
        painted(f"{won} with {points} points.", "1", colour=colour),
    ]


def _demonstrate(options: argparse.Namespace) -> None:
    server = Server(options.url)
    server.connect()
    colour = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
    narrator = None
    for game, events in played(server, options.players, options.seed):
        if narrator is None:
            narrator = Narrator(game["players"], colour=colour)
            where = f"{server.url}/v1/games/{game['id']}"
            print(f"A game for {options.players} with the seed {options.seed}: {where}")
        for line in () if options.quiet else narrator.lines(events):
            print(line, flush=True)
    for line in ending(server, game, colour=colour, width=shutil.get_terminal_size().columns):
        print(line)


def _read(arguments: Sequence[str], url: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser("python -m service.cli demo", description="Play one whole game.")
    parser.add_argument("--url", default=url, help="the server to play against (%(default)s)")
    parser.add_argument("--seed", default=secrets.token_hex(4), help="the same seed plays the same game")
    parser.add_argument("--players", type=int, default=4, choices=range(2, 6), help="how many (%(default)s)")
    parser.add_argument("--quiet", action="store_true", help="show only how it ends")
    return parser.parse_args(arguments)


def main(arguments: Sequence[str] = ()) -> int:
    """Play; return the exit code: 0 played, 1 could not, 2 bad options or settings."""
    try:
        bind = Settings.from_environment(os.environ).bind
        _demonstrate(_read(arguments, f"http://{bind.reachable}"))
    except SettingsError as error:
        print(f"These settings cannot be used:\n{error}", file=sys.stderr)
        return 2
    except DemoError as error:
        print(error, file=sys.stderr)
        return 1
    return 0
