"""The automatic steps between two decisions: income, draws, reveal, discard, scoring, end of the game.

Each `end_...` function takes a game after a move. If no seat has to act in the phase any more, it returns the
game at the next decision, or at its end.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from skye.draws import SeededDraws
from skye.events import (
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
from skye.rules.income import incomes
from skye.rules.state import BUILDING, BUYING, FinalPoints, GameState, points_by_slot
from skye.scoring.scoring_tiles import tile_points
from skye.territory.summary import TerritorySummary


def end_pricing(game: GameState) -> tuple[GameState, tuple[Event, ...]]:
    """If every seat has set its offer, reveal all offers and return the discarded tiles to the bag."""
    for player in game.players:
        if not player.prices:
            return game, ()
    marked = [player.prices.index(0) for player in game.players]
    discards = tuple([player.tiles_on_offer[at] for player, at in zip(game.players, marked, strict=True)])
    players = tuple(
        [
            player._with_purse_and_tiles(player.gold, *player._offer_without(at), player.tiles_to_build)
            for player, at in zip(game.players, marked, strict=True)
        ]
    )
    on_offer = tuple([tuple(zip(player.tiles_on_offer, player.prices, strict=True)) for player in players])
    gold = tuple([player.gold for player in players])
    return game._in_phase(BUYING, players), (
        OffersRevealed(discards, on_offer, gold),
        TilesDiscarded(discards),
    )


def end_buying(game: GameState) -> tuple[GameState, tuple[Event, ...]]:
    """If every seat has had its turn, give each its unsold tiles without the gold on them."""
    if game.buys < len(game.players):
        return game, ()
    kept = TilesKept(
        tuple([player.tiles_on_offer for player in game.players]),
        tuple([player.stakes for player in game.players]),
    )
    players = tuple(
        [
            player._with_purse_and_tiles(player.gold, (), (), player.tiles_to_build + player.tiles_on_offer)
            for player in game.players
        ]
    )
    return game._in_phase(BUILDING, players), (kept,)


def end_building(game: GameState) -> tuple[GameState, tuple[Event, ...]]:
    """If every seat has finished, score the round; then start the next one, or end the game."""
    for player in game.players:
        if not player.building_finished:
            return game, ()
    summaries = [player.territory.summary for player in game.players]
    for summary in summaries:
        summary._join_recent_areas()
    game, scored = _score_round(game, summaries)
    if game.round == game.rounds:
        game, finished = _finish(game, summaries)
        return game, (scored, finished)
    game, started = start_round(game, (game.starting_seat + 1) % len(game.players), summaries)
    return game, (scored, *started)


def start_round(
    game: GameState, starting_seat: int, summaries: Sequence[TerritorySummary]
) -> tuple[GameState, tuple[Event, ...]]:
    """Start the next round: pay income, and draw tiles for each seat.

    A game without a seed stops before the draws.

    :param summaries: the summary of each seat's territory.
    """
    number = game.round + 1
    scores = [player.score for player in game.players]
    paid = incomes(game.ruleset, scores, summaries, number)
    drawn: tuple[tuple[str, ...], ...] = ((),) * len(scores)
    next_draws: tuple[str, ...] = ()
    if game.seed is not None:
        drawn, next_draws = _draw(game, game.seed, number)
    players = tuple(
        [
            player._at_round_start(player.gold + income.total, tiles)
            for player, income, tiles in zip(game.players, paid, drawn, strict=True)
        ]
    )
    gold = tuple([player.gold for player in players])
    begun = (RoundStarted(number, starting_seat), IncomePaid(paid, gold))
    after = game._in_next_round(players, starting_seat, next_draws)
    return (after, begun) if game.seed is None else (after, (*begun, TilesDrawn(drawn)))


def _draw(game: GameState, seed: str, number: int) -> tuple[tuple[tuple[str, ...], ...], tuple[str, ...]]:
    """Draw for seat 0 first, then clockwise, by the procedure that `skye.draws` documents.

    :returns: the tiles of each seat, and the next draws that are left.
    """
    draws = SeededDraws(seed, game.next_draws, game.ruleset_id)
    bag = list(game.bag)
    labels = _labels(number, len(game.players), game.ruleset.tiles_drawn)
    drawn = tuple([tuple([draws.draw(label, bag) for label in of_seat]) for of_seat in labels])
    return drawn, draws.next_draws


@cache
def _labels(number: int, seats: int, tiles: int) -> tuple[tuple[str, ...], ...]:
    """Return by seat the labels of the draws of a round (see `skye.draws`)."""
    each = range(1, tiles + 1)
    return tuple([tuple([f"draw/{number}/{seat}/{nth}" for nth in each]) for seat in range(seats)])


def _score_round(game: GameState, summaries: Sequence[TerritorySummary]) -> tuple[GameState, Event]:
    golds = [player.gold for player in game.players]
    slots = game.slots_scored_in(game.round)
    tiles = game.ruleset.scoring_tiles
    by_slot = [tile_points(tiles[game.scoring_tile(slot)], summaries, golds) for slot in slots]
    points = tuple(zip(*by_slot, strict=True))
    players = [player._with_round_points(earned) for player, earned in zip(game.players, points, strict=True)]
    scores = tuple([player.score for player in players])
    return game._with_players(players, game.buys), RoundScored(game.round, slots, points, scores)


def _finish(game: GameState, summaries: Sequence[TerritorySummary]) -> tuple[GameState, Event]:
    rules = game.ruleset.final
    finals = [
        rules.score(summary, player.gold) for summary, player in zip(summaries, game.players, strict=True)
    ]
    scrolls = tuple([final.scroll_points for final in finals])
    gold_points = tuple([final.gold_points for final in finals])
    players = tuple(
        player._replace(score=player.score + of_scrolls + of_gold, final=FinalPoints(of_scrolls, of_gold))
        for player, of_scrolls, of_gold in zip(game.players, scrolls, gold_points, strict=True)
    )
    scores = tuple([player.score for player in players])
    golds = tuple([player.gold for player in players])
    won = rules.winners(scores, golds, game.tie_break, game.gave_up)
    game = game._replace(phase=None, players=players, winners=won)
    by_slot = tuple(points_by_slot(game, seat) for seat in range(len(players)))
    return game, GameFinished(
        game.seed, game.scoring_tiles, by_slot, scrolls, gold_points, scores, golds, won
    )
