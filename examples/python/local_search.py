"""Play a game over HTTP with a bot of skye-gym, which searches in this process."""

import argparse
import random
import sys
from collections.abc import Sequence

import skye
from skye_client import Game, Skye, SkyeError
from skye_client import models as m
from skye_gym.bots import LEAGUE_BOTS


def play(game: Game, seat: int, bot: str) -> None:
    """Act for a seat until the game is over."""
    rng = random.Random(seat)
    while (view := game.get())["waiting_for"]:
        if seat in view["waiting_for"]:
            move = choose(game, view, seat, bot, rng)
            act(game, seat, move)
        else:
            game.event_page(after=view["last_event"], wait_ms=20_000)


def choose(game: Game, view: m.Game, seat: int, bot: str, rng: random.Random) -> skye.Move:
    """Return the move of a bot, from the view and the events of its seat."""
    events = game.event_page(after=0, limit=1000)["events"]
    local = skye.game_from_view(view, events)
    return skye.choose_move(LEAGUE_BOTS[bot], local, seat, rng)


def act(game: Game, seat: int, move: skye.Move) -> None:
    """Send a move. The engine has its ids of tiles as texts, which `request` takes."""
    own = game.seat(seat)
    match move:
        case skye.SetOffer(discard, prices):
            own.request("PUT", "/offer", {"discard": discard, "prices": dict(prices)})
        case skye.Buy(tile):
            own.request("PUT", "/purchase", {"tile": tile})
        case skye.Pass():
            own.pass_turn()
        case skye.Place(tile, x, y, rotation):
            own.request("POST", "/placements", {"tile": tile, "x": x, "y": y, "rotation": rotation})
        case skye.FinishBuilding():
            own.finish_building()


def main(arguments: Sequence[str] | None = None) -> None:
    """Play one game against bots of the server, and print the scores."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--api", default="http://127.0.0.1:8000", help="the URL of the server")
    parser.add_argument("--bot", choices=sorted(LEAGUE_BOTS), default="strategist", help="the bot that plays")
    parser.add_argument("--against", nargs="+", default=["greedy"], help="bots of the server to play against")
    parser.add_argument("--seed", help="seed of all draws; random by default")
    options = parser.parse_args(arguments)
    with Skye(options.api) as client:
        players = [{"name": "local"}, *({"bot": bot} for bot in options.against)]
        drawn = {} if options.seed is None else {"seed": options.seed}
        body = {"players": players, "auto_start": True, "options": drawn}
        created = client.request("POST", "/v1/games", body)
        game = client.game(created["game"]["id"], created["players"][0]["token"])
        play(game, 0, options.bot)
        for player in game.get()["players"]:
            print(f"{player['score']:4} {player['name']}")


if __name__ == "__main__":
    try:
        main()
    except SkyeError as error:
        sys.exit(f"{error}")
