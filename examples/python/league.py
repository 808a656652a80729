"""A league: create its games with one request, play them with two bots, and export the records."""

import argparse
import json
import random
import sys
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from skye_client import GameView, Player, Seat, Skye, SkyeError, is_known
from skye_client import models as m


def choose_at_random(actions: Sequence[m.Action], _seat: Seat) -> m.Action:
    """Return a random action except `take_back`."""
    return random.choice([action for action in actions if is_known(action) and action["type"] != "take_back"])


def choose_by_points(actions: Sequence[m.Action], seat: Seat) -> m.Action:
    """Return the placement among some that adds most on the scoring tiles, otherwise a random action."""
    placements = [action for action in actions if action["type"] == "place"]
    if not placements:
        return choose_at_random(actions, seat)
    return max(random.sample(placements, min(8, len(placements))), key=lambda action: gain(seat, action))


def gain(seat: Seat, action: m.PlacementAction) -> int:
    """Return the points that a placement would add on the scoring tiles."""
    tried = seat.what_if([action["body"]])
    return sum((tile["after"] or 0) - (tile["before"] or 0) for tile in tried["scoring_tiles"])


BOTS = {"Careful": choose_by_points, "Random": choose_at_random}


def play(player: Player, created: m.CreatedGameTokens) -> str:
    """Play a game to its end; return the name of its winner."""
    seats = player.seats(created)
    view = GameView.open(seats[0].game)
    while waiting := view.data["waiting_for"]:
        for number in waiting:
            seat = seats[number]
            seat.act(BOTS[view.data["players"][number]["name"]](seat.actions(), seat))
        view.reload()
    return max(view.data["players"], key=lambda player: player["score"])["name"]


def up_to_100(text: str) -> int:
    """Return a number of games."""
    if not 1 <= int(text) <= 100:
        raise argparse.ArgumentTypeError(f"{text} is not from 1 to 100")
    return int(text)


def main(arguments: Sequence[str] | None = None) -> None:
    """Play the league, print the number of wins of each bot, and write the records to a file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--api", default="http://127.0.0.1:8000", help="the URL of the server")
    parser.add_argument("--games", type=up_to_100, default=10, help="number of games, at most 100")
    parser.add_argument("--records", type=Path, default=Path("league.ndjson"), help="file for the records")
    options = parser.parse_args(arguments)
    with Skye(options.api) as client, ThreadPoolExecutor(4) as pool:
        player = client.player()
        # Each bot has seat 0 in half of the games.
        orders = [list(BOTS)[:: -1 if number % 2 else 1] for number in range(options.games)]
        games: list[m.FreshGame] = [
            {"visibility": "private", "auto_start": True, "players": [{"name": n} for n in order]}
            for order in orders
        ]
        wins = Counter(pool.map(lambda created: play(player, created), player.leagues.create(games)))
        with options.records.open("w") as file:
            for line in player.leagues.records():
                file.write(json.dumps(line) + "\n")
    for name, number in wins.most_common():
        print(f"{number:4} {name}")


if __name__ == "__main__":
    try:
        main()
    except (SkyeError, OSError) as error:
        sys.exit(f"{error}")
