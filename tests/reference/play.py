"""Random whole games, with legal moves and attempts at illegal ones."""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import NamedTuple

from skye import (
    Buy,
    FinishBuilding,
    GameState,
    Move,
    Options,
    Outcome,
    Pass,
    Phase,
    Place,
    SetOffer,
    TakeBack,
    TieBreak,
    legal_moves,
    new_game,
    offer_limits,
    play,
)
from skye.rules.moves import OfferLimits
from skye.rulesets import BASE
from tests.reference.catalogue import CATALOGUE
from tests.reference.game import ReferenceGame


class Beginning(NamedTuple):
    """How a game begins."""

    colors: list[str]
    seed: str
    options: Options

    def outcome(self) -> Outcome:
        return new_game(self.colors, seed=self.seed, options=self.options)

    def game(self) -> GameState:
        return self.outcome().game

    def reference_game(self) -> ReferenceGame:
        chosen = self.options
        scoring_tiles = list(chosen.scoring_tiles) if chosen.scoring_tiles else None
        return ReferenceGame(self.colors, self.seed, scoring_tiles, chosen.first_seat, str(chosen.tie_break))


class Step(NamedTuple):
    """One move of a game: the game before it, the move, and the outcome."""

    before: GameState
    seat: int
    move: Move
    after: Outcome


def beginning(chance: Random, players: int) -> Beginning:
    scoring_tiles = tuple(chance.sample(sorted(BASE.scoring_tiles), 4)) if chance.random() < 0.7 else None
    first_seat = chance.choice([None, *range(players)])
    options = Options(scoring_tiles, first_seat, chance.choice(list(TieBreak)))
    return Beginning(chance.sample(list(BASE.colors), players), f"seed {chance.random()}", options)


def whole_game(chance: Random, game: GameState) -> Iterator[Step]:
    """Play random moves to the end."""
    while not game.is_over:
        seat = chance.choice(game.waiting_for)
        if game.phase is Phase.PRICING and chance.random() < 0.1:
            seat = chance.randrange(len(game.players))  # perhaps one who thinks again
        move = chosen_move(chance, game, seat)
        outcome = play(game, seat, move)
        yield Step(game, seat, move, outcome)
        game = outcome.game


def chosen_move(chance: Random, game: GameState, seat: int) -> Move:
    limits = offer_limits(game, seat)
    if limits:
        return chosen_offer(chance, limits)
    moves = legal_moves(game, seat)
    forward = [move for move in moves if not isinstance(move, TakeBack)]
    return chance.choice(moves if chance.random() < 0.2 else forward)


def chosen_offer(chance: Random, limits: OfferLimits) -> SetOffer:
    """Discard any tile and lay a little gold on the others, or now and then a lot."""
    discard, first, second = chance.sample(limits.tiles, 3)
    most = limits.gold - limits.minimum if chance.random() < 0.1 else min(5, limits.gold - limits.minimum)
    price = chance.randint(limits.minimum, most)
    rest = chance.randint(limits.minimum, min(5, limits.gold - price))
    return SetOffer(discard, ((first, price), (second, rest)))


def attempt(chance: Random, game: GameState) -> tuple[int, Move]:
    """Return a random attempt: often almost legal, rarely legal."""
    seat = chance.choice([*game.waiting_for, *range(len(game.players))])
    player = game.players[seat]
    near = [*player.tiles_on_offer, *player.tiles_to_build]
    others = [tile for other in game.players for tile in (*other.tiles_on_offer, *other.tiles_to_build)]
    tile = chance.choice([*near, *near, *others, chance.choice(list(CATALOGUE)), "L99"])
    beside = chance.choice(player.territory.placed)
    x, y = beside.x + chance.randint(-1, 1), beside.y + chance.randint(-1, 1)
    moves: dict[Phase, list[Move]] = {
        Phase.PRICING: [attempted_offer(chance, [*near, tile], player.gold + player.stakes)],
        Phase.BUYING: [Buy(tile), Pass()],
        Phase.BUILDING: [Place(tile, x, y, chance.choice((0, 90, 180, 270))), TakeBack(), FinishBuilding()],
    }
    phase = chance.choice([*([game.phase] * 4 if game.phase else []), *Phase])
    return seat, chance.choice(moves[phase])


def attempted_offer(chance: Random, tiles: list[str], gold: int) -> SetOffer:
    priced = chance.choices(tiles, k=chance.choice((2, 2, 2, 2, 0, 1, 3)))
    discard = chance.choice([*(tile for tile in tiles if tile not in priced), tiles[0]])
    first = chance.randint(-1, gold)
    prices = [first, gold - first + chance.choice((-1, 0, 1)), chance.randint(0, 2)][: len(priced)]
    return SetOffer(discard, tuple(zip(priced, prices, strict=True)))
