"""A league: create its games with one request, play them with two bots, and export the records."""

import argparse
import json
import random
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from bot import act

from skye_client import GameView, Seat, Skye
from skye_client import models as m


def act_at_random(seat: Seat) -> None:
    """Send a random legal action except `take_back`."""
    seat.act(random.choice([action for action in seat.actions() if action["type"] != "take_back"]))


BOTS = {"Careful": act, "Random": act_at_random}


def play(skye: Skye, created: m.CreatedGameTokens) -> str:
    """Play a game to its end; return the name of its winner."""
    seats = [
        skye.game(created["game_id"], player["token"]).seat(player["seat"]) for player in created["players"]
    ]
    view = GameView.open(seats[0].game)
    while not view.over:
        for number in view.data["waiting_for"]:
            BOTS[view.data["players"][number]["name"]](seats[number])
        view.reload()
    return max(view.data["players"], key=lambda player: player["score"])["name"]


def main(arguments: Sequence[str] | None = None) -> None:
    """Play the league, print the number of wins of each bot, and write the records to a file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--api", default="http://127.0.0.1:8000", help="the URL of the server")
    parser.add_argument("--games", type=int, default=10, help="number of games, at most 100")
    parser.add_argument("--records", type=Path, default=Path("league.ndjson"), help="file for the records")
    options = parser.parse_args(arguments)
    with Skye(options.api) as skye, ThreadPoolExecutor(4) as pool:
        host = skye.player()
        # Each bot has seat 0 in half of the games.
        orders = [list(BOTS)[:: -1 if number % 2 else 1] for number in range(options.games)]
        games = [
            {"private": True, "start": True, "players": [{"name": n} for n in order]} for order in orders
        ]
        wins = Counter(pool.map(lambda created: play(skye, created), host.leagues.create(games)))
        with options.records.open("w") as file:
            for line in host.leagues.records():
                file.write(json.dumps(line) + "\n")
    for name, number in wins.most_common():
        print(f"{number:4} {name}")


if __name__ == "__main__":
    main()
