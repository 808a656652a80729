"""What happens by itself between two decisions: income, draws, reveal, discard, scoring, the end.

The `end_...` functions look at a game after a move, and when nobody is left to act in its phase move it on to
the next decision, or to its end.
"""

from __future__ import annotations

from collections.abc import Sequence

from engine.draws import draw
from engine.events import (
    Event,
    GameFinished,
    IncomePaid,
    OffersRevealed,
    RoundScored,
    RoundStarted,
    TilesDiscarded,
    TilesDrawn,
    TilesKept,
)
from engine.final_scoring import final_score, winners
from engine.game import Game, Phase, Player, points_by_slot
from engine.scoring import income, tile_points
from engine.survey import Survey

TILES_DRAWN = 3
"""How many tiles a player draws each round."""


def with_player(game: Game, seat: int, player: Player) -> Game:
    """Return the game with what one seat has replaced."""
    players = (*game.players[:seat], player, *game.players[seat + 1 :])
    return Game(players, *game[1:])


def end_pricing(game: Game) -> tuple[Game, tuple[Event, ...]]:
    """When every seat has set its offer, turn all offers face up and return the marked tiles to the bag."""
    if not all(player.prices for player in game.players):
        return game, ()
    return _reveal_offers(game)


def end_buying(game: Game) -> tuple[Game, tuple[Event, ...]]:
    """When every seat has had its turn, give each its unsold tiles; the gold on them goes to the bank."""
    if game.buys < len(game.players):
        return game, ()
    return _keep_unsold(game)


def end_building(game: Game) -> tuple[Game, tuple[Event, ...]]:
    """When every seat has finished, score the round; then the next begins, or the game ends."""
    if not all(player.finished for player in game.players):
        return game, ()
    return _end_round(game)


def start_round(game: Game, surveys: Sequence[Survey]) -> tuple[Game, tuple[Event, ...]]:
    """Begin the next round: income, then three tiles for each seat; `surveys` are of the territories."""
    game = game._replace(round=game.round + 1, phase=Phase.PRICING, buys=0)
    scores = [player.score for player in game.players]
    incomes = tuple(income(scores, seat, survey, game.round) for seat, survey in enumerate(surveys))
    drawn = _draw(game)
    players = tuple(
        player._replace(gold=player.gold + paid.total, drawn=tiles, placed_now=0, finished=False)
        for player, paid, tiles in zip(game.players, incomes, drawn, strict=True)
    )
    gold = tuple(player.gold for player in players)
    return game._replace(players=players), (
        RoundStarted(game.round, game.starting_seat),
        IncomePaid(incomes, gold),
        TilesDrawn(drawn),
    )


def _draw(game: Game) -> tuple[tuple[str, ...], ...]:
    """Draw for seat 0 first, then clockwise, by the procedure that `draws` documents."""
    bag = list(game.bag)
    drawn = []
    for seat in range(len(game.players)):
        tiles = []
        for number in range(1, TILES_DRAWN + 1):
            tiles.append(draw(game.seed, f"draw/{game.round}/{seat}/{number}", bag))
        drawn.append(tuple(tiles))
    return tuple(drawn)


def _reveal_offers(game: Game) -> tuple[Game, tuple[Event, ...]]:
    offers = [tuple(zip(player.drawn, player.prices, strict=True)) for player in game.players]
    discards = tuple(tile for offer in offers for tile, price in offer if not price)
    on_offer = tuple(tuple((tile, price) for tile, price in offer if price) for offer in offers)
    players = tuple(
        player._replace(drawn=tuple(tile for tile, _ in offer), prices=tuple(price for _, price in offer))
        for player, offer in zip(game.players, on_offer, strict=True)
    )
    gold = tuple(player.gold for player in players)
    return game._replace(phase=Phase.BUYING, players=players), (
        OffersRevealed(discards, on_offer, gold),
        TilesDiscarded(discards),
    )


def _keep_unsold(game: Game) -> tuple[Game, tuple[Event, ...]]:
    kept = TilesKept(
        tuple(player.drawn for player in game.players),
        tuple(player.stakes for player in game.players),
    )
    players = tuple(
        player._replace(hand=(*player.hand, *player.drawn), drawn=(), prices=()) for player in game.players
    )
    return game._replace(phase=Phase.BUILDING, players=players), (kept,)


def _end_round(game: Game) -> tuple[Game, tuple[Event, ...]]:
    surveys = [player.territory.survey for player in game.players]
    game, scored = _score_round(game, surveys)
    if game.round == game.rounds:
        game, finished = _finish(game, surveys)
        return game, (scored, finished)
    starting_seat = (game.starting_seat + 1) % len(game.players)
    game, started = start_round(game._replace(starting_seat=starting_seat), surveys)
    return game, (scored, *started)


def _score_round(game: Game, surveys: Sequence[Survey]) -> tuple[Game, Event]:
    golds = [player.gold for player in game.players]
    slots = game.slots_scored_in(game.round)
    by_slot = [tile_points(game.scoring_tile(slot), surveys, golds) for slot in slots]
    points = tuple(zip(*by_slot, strict=True))
    players = tuple(
        player._replace(
            score=player.score + sum(earned),
            points=(*player.points, earned),
            built=(*player.built, len(player.territory.placed)),
        )
        for player, earned in zip(game.players, points, strict=True)
    )
    scores = tuple(player.score for player in players)
    return game._replace(players=players), RoundScored(game.round, slots, points, scores)


def _finish(game: Game, surveys: Sequence[Survey]) -> tuple[Game, Event]:
    finals = [final_score(survey, player.gold) for survey, player in zip(surveys, game.players, strict=True)]
    scrolls = tuple(sum(scroll.points for scroll in final.scrolls) for final in finals)
    gold_points = tuple(final.gold for final in finals)
    players = tuple(
        player._replace(score=player.score + of_scrolls + of_gold, final=(of_scrolls, of_gold))
        for player, of_scrolls, of_gold in zip(game.players, scrolls, gold_points, strict=True)
    )
    scores = tuple(player.score for player in players)
    golds = tuple(player.gold for player in players)
    won = winners(scores, golds, game.tie_break)
    game = game._replace(phase=None, players=players, winners=won)
    by_slot = tuple(points_by_slot(game, seat) for seat in range(len(players)))
    return game, GameFinished(
        game.seed, game.scoring_tiles, by_slot, scrolls, gold_points, scores, golds, won
    )
