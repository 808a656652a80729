"""A bot that looks one move ahead: it compares the gains of all placements, and prices tiles by them.

A bot is a function `(game, seat, rng) -> move`. It gets only what its seat may see.
"""

import argparse
import random
from collections.abc import Sequence

import skye
from skye.views import PlacementGainsView, placement_gains_view


def points(gains: PlacementGainsView) -> float:
    """Return the points that a placement brings now, and a little for each further tile on the road."""
    return (
        sum(tile["points"] or 0 for tile in gains["gains"])
        + gains["scroll_points"]
        + 0.1 * gains["connected_tiles"]
    )


def best_gain(game: skye.GameState, seat: int, tile: str) -> float:
    """Return the gain of the best place of a tile; -1 without a legal place."""
    return max(map(points, placement_gains_view(game, seat, tile)), default=-1.0)


def one_ply(game: skye.GameState, seat: int, rng: random.Random) -> skye.Move:
    """Return the move whose gain is largest; the generator chooses between equal ones."""
    limits = skye.offer_limits(game, seat)
    if limits is not None:
        discard, *kept = sorted(limits.tiles, key=lambda tile: best_gain(game, seat, tile))
        prices = {tile: round(best_gain(game, seat, tile)) for tile in kept}
        most = limits.gold // 2
        return skye.SetOffer.of(discard, {tile: min(max(1, price), most) for tile, price in prices.items()})
    moves = [move for move in skye.legal_moves(game, seat) if not isinstance(move, skye.TakeBack)]
    rng.shuffle(moves)
    return max(moves, key=lambda move: value(game, seat, move))


def value(game: skye.GameState, seat: int, move: skye.Move) -> float:
    """Return the gain of a purchase or a placement, less what it costs; 0 for other moves."""
    match move:
        case skye.Buy(tile):
            seller = next(player for player in game.players if tile in player.tiles_on_offer)
            price = seller.prices[seller.tiles_on_offer.index(tile)]
            return best_gain(game, seat, tile) - 0.5 * price
        case skye.Place():
            gains = placement_gains_view(game, seat, move.tile)
            here = [
                each
                for each in gains
                if (each["x"], each["y"], each["rotation"]) == (move.x, move.y, move.rotation)
            ]
            return points(here[0])
    return 0.0


def count(text: str) -> int:
    """Return a number that is not below 1."""
    if int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text} is below 1")
    return int(text)


def main(arguments: Sequence[str] | None = None) -> None:
    """Play games against a bot of the engine, and print how many the one-ply bot won."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--games", type=count, default=20)
    parser.add_argument("--against", choices=sorted(skye.BOTS), default="random")
    options = parser.parse_args(arguments)
    won = 0
    for number in range(options.games):
        game = skye.new_game(2, seed=f"one ply {number}").game
        seats = [one_ply, options.against] if number % 2 == 0 else [options.against, one_ply]
        won += skye.play_out(game, seats, random.Random(number)).game.winners == (number % 2,)
    print(f"one-ply won {won} of {options.games} games against {options.against}")


if __name__ == "__main__":
    main()
