"""`skye-server demo`: play one whole game against a running server, on the client package.

The demo contains no rules. It lists the legal actions of a seat, chooses one at random and sends it. A
response with a problem ends the demo. It prints the events that a spectator gets.
"""

from __future__ import annotations

import hashlib
import json
import os
import random
import secrets
from collections.abc import Iterator, Sequence
from urllib.parse import urlsplit

import click
from rich.console import Console, Group
from rich.text import Text

from skye_client import ApiError, RetryPolicy, Skye, SkyeError
from skye_server.cli.settings_errors import reporting_settings
from skye_server.cli.terminal import LEGEND, Json, Narrator, score_table, side_by_side, territory_map
from skye_server.settings import Settings

PLAYERS = ("Ann", "Bob", "Cat", "Dan", "Eve")

_TIMEOUT_S = 10.0
_PASS_PROBABILITY = 0.2
"""How often a player passes although it could buy."""


class DemoError(Exception):
    """The demo cannot continue; the message gives the reason."""


class Dice:
    """Chooses among the listed actions at random; tiles are placed next to as many others as possible."""

    def __init__(self, seed: str) -> None:
        self._random = random.Random(seed)  # noqa: S311 - dice, not secrets

    def choose(self, actions: Sequence[Json], player: Json) -> Json:
        """Return one of the actions, with the body to send; `player` is the acting player's own view."""
        first = actions[0]
        if "constraints" in first:
            return {**first, "body": self._offer(first["constraints"])}
        placements = [action for action in actions if action["type"] == "place"]
        purchases = [action for action in actions if action["type"] == "buy"]
        if placements:
            return self._compact(placements, player["territory"])
        if purchases and self._random.random() >= _PASS_PROBABILITY:
            return self._random.choice(purchases)
        return next(action for action in actions if action["type"] in ("pass", "finish_building"))

    def _offer(self, limits: Json) -> Json:
        """Discard any tile, and set prices of at most half of the gold: the rest is to buy with."""
        discard, *priced = self._random.sample(limits["tiles"], len(limits["tiles"]))
        minimum = limits["minimum"]
        spare = limits["gold"] // 2 - minimum * len(priced)
        prices = {}
        for tile in priced:
            extra = self._random.randint(0, max(spare, 0))
            prices[tile], spare = minimum + extra, spare - extra
        return {"discard": discard, "prices": prices}

    def _compact(self, placements: Sequence[Json], territory: Sequence[Json]) -> Json:
        """Return one of the placements that touch the most tiles."""
        built = {(placed["x"], placed["y"]) for placed in territory}

        def neighbours(action: Json) -> int:
            x, y = action["body"]["x"], action["body"]["y"]
            return len(built & {(x + 1, y), (x - 1, y), (x, y + 1), (x, y - 1)})

        highest = max(map(neighbours, placements))
        return self._random.choice([action for action in placements if neighbours(action) == highest])


def play(skye: Skye, players: int, seed: str) -> Iterator[tuple[Json, Sequence[Json]]]:
    """Play one game to its end; yield the view after each action, and the events since, as a spectator.

    :raises DemoError: when the server breaks a promise of the API.
    """
    created = skye.games.create(
        {
            "name": "A demonstration",
            "players": [{"name": name} for name in PLAYERS[:players]],
            "auto_start": True,
            "options": {"seed": seed},
        }
    )
    view: Json = created["game"]
    tokens = [player["token"] for player in created["players"]]
    spectator, last_event, dice = skye.game(view["id"]), 0, Dice(seed)
    commitment = view["fairness"]["commitment"]
    while True:
        events: Sequence[Json] = spectator.event_page(after=last_event)["events"]
        last_event = events[-1]["id"] if events else last_event
        yield view, events
        if view["status"] != "playing" or not view["waiting_for"]:
            break
        number = view["waiting_for"][0]
        seat = skye.game(view["id"], tokens[number]).seat(number)
        actions = seat.actions()
        if not actions:
            raise DemoError(f"Game {view['id']} waits for seat {number}, which has no legal action.")
        view = seat.act(dice.choose(actions, view["players"][number]))
    if view["status"] != "finished":
        raise DemoError(f"Game {view['id']} is {view['status']} and waits for no seat.")
    committed = (view["fairness"]["nonce"] or "") + view["fairness"]["seed"]
    if hashlib.sha256(committed.encode()).hexdigest() != commitment:
        raise DemoError(f"The seed of game {view['id']} does not match its commitment.")


def ending(skye: Skye, view: Json) -> Group:
    """Return the territories, points and the winner of a finished game."""
    players = view["players"]
    catalogue: dict[str, Json] = {tile["id"]: tile for tile in skye.catalogue.tiles()}
    maps = [
        (
            f"{player['name']}, {player['color']}, {len(player['territory'])} tiles",
            territory_map(player["territory"], catalogue),
        )
        for player in players
    ]
    names = [player["name"] for player in players]
    winners = [names[seat] for seat in view["result"]["winners"]]
    won = f"{' and '.join(winners)} {'wins' if len(winners) == 1 else 'share the win'}"
    points = max(player["score"] for player in players)
    table = score_table(skye.game(view["id"]).scores(), view["result"], names)
    return Group("", side_by_side(maps), LEGEND, "", table, "", Text(f"{won} with {points} points.", "bold"))


def _demonstrate(url: str, seed: str, players: int, *, quiet: bool) -> None:
    plain = bool(os.environ.get("NO_COLOR"))
    console = Console(highlight=False, markup=False, color_system=None if plain else "auto")
    narrator = None
    retry = RetryPolicy(attempts=1)
    with Skye(_checked(url), retry=retry, timeout_s=_TIMEOUT_S) as skye:
        for view, events in play(skye, players, seed):
            if narrator is None:
                narrator = Narrator(view["players"])
                where = f"{url}/v1/games/{view['id']}"
                console.print(f"A game for {players} with the seed {seed}: {where}", soft_wrap=True)
            for line in () if quiet else narrator.lines(events):
                console.print(line, soft_wrap=True)
        console.print(ending(skye, view))


def _checked(url: str) -> str:
    """Return the URL of a server.

    :raises DemoError: when it is invalid.
    """
    try:
        parts = urlsplit(url)
        valid = parts.scheme in ("http", "https") and parts.hostname and (parts.port or 1)
    except ValueError:
        valid = False
    if not valid:
        raise DemoError(f"{url} is not a URL such as http://127.0.0.1:8000.")
    return url.rstrip("/")


def _explain(error: SkyeError) -> str:
    if isinstance(error, ApiError):
        return f"The server reported a problem:\n{json.dumps(error.problem, indent=2)}"
    if str(error).startswith("no server responds"):
        return f"N{str(error)[1:]}."
    return f"No valid response: {error}"


def _default_url() -> str:
    with reporting_settings():
        return f"http://{Settings.from_environment(os.environ).bind.reachable}"


@click.command()
@click.option("--url", default=_default_url, show_default="that of SKYE_BIND", help="URL of the server.")
@click.option(
    "--seed",
    default=lambda: secrets.token_hex(4),
    show_default="random",
    help="Seed of all draws and choices.",
)
@click.option("--players", default=4, type=click.IntRange(2, 5), show_default=True, help="Number of players.")
@click.option("--quiet", is_flag=True, help="Print only the result.")
def demo(url: str, seed: str, players: int, *, quiet: bool) -> None:
    """Play one whole game on a running server."""
    try:
        _demonstrate(url, seed, players, quiet=quiet)
    except DemoError as error:
        raise click.ClickException(str(error)) from error
    except SkyeError as error:
        raise click.ClickException(_explain(error)) from error
