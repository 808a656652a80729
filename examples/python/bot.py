"""A bot that does not know the rules: it compares placements (what-if) before it chooses one."""

import argparse
import random
import sys
from collections.abc import Sequence

from skye_client import ApiError, Game, GameView, Seat, Skye, SkyeError, is_known
from skye_client import models as m


def take_seat(client: Skye, game_id: str | None, bots: int) -> Game:
    """Join a game, or create one with a number of bots; return it with the token of the seat."""
    if game_id is not None:
        return join(client, game_id)
    me: m.PersonToSeat = {"name": "Python"}
    greedy: m.BotToSeat = {"bot": "greedy"}
    created = client.games.create({"players": [me, *[greedy] * bots], "auto_start": True})
    return client.seats(created)[0].game


def join(client: Skye, game_id: str, number: int = 1) -> Game:
    """Join a game with the first name of Python, Python 2, ... that no other player has."""
    try:
        taken = client.game(game_id).join({"name": "Python" if number == 1 else f"Python {number}"})
    except ApiError as error:
        if error.code != "name_taken":
            raise
        return join(client, game_id, number + 1)
    return client.seat(taken).game


def play(view: GameView) -> None:
    """Act on each turn until the game is over."""
    while view.until_my_turn():
        try:
            view.act(choose(view.actions(), view.seat))
        except ApiError as error:
            print(f"refused: {error}")  # the deadline has passed
            view.reload()


def choose(actions: Sequence[m.Action], seat: Seat) -> m.Action:
    """Return an action: prices of a third of the gold, any purchase, the best of some placements."""
    for action in actions:
        if action["type"] == "set_offer":
            limits = action["constraints"]
            discard, *sold = random.sample(limits["tiles"], 3)
            body: m.Offer = {"discard": discard, "prices": dict.fromkeys(sold, limits["gold"] // 3)}
            return {**action, "body": body}
    placements = [action for action in actions if action["type"] == "place"]
    if placements:
        tried = random.sample(placements, min(8, len(placements)))
        return max(tried, key=lambda placement: gain(seat, placement))
    return random.choice([action for action in actions if is_known(action) and action["type"] != "take_back"])


def gain(seat: Seat, action: m.PlacementAction) -> int:
    """Return the points that a placement would add on the scoring tiles."""
    tried = seat.what_if([action["body"]])
    return sum((tile["after"] or 0) - (tile["before"] or 0) for tile in tried["scoring_tiles"])


def main(arguments: Sequence[str] | None = None) -> None:
    """Play one game, and print the scores."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--api", default="http://127.0.0.1:8000", help="the URL of the server")
    parser.add_argument("--game", help="join this game instead of creating one")
    parser.add_argument(
        "--bots",
        type=int,
        choices=range(1, 5),
        default=2,
        help="number of bots of the server to play against",
    )
    options = parser.parse_args(arguments)
    with Skye(options.api) as client:
        game = take_seat(client, options.game, options.bots)
        print("playing", game.id, flush=True)
        view = GameView.open(game)
        play(view)
        for player in sorted(view.data["players"], key=lambda player: -player["score"]):
            print(f"{player['score']:4} {player['name']}")


if __name__ == "__main__":
    try:
        main()
    except SkyeError as error:
        sys.exit(f"{error}")
