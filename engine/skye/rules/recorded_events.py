"""Apply recorded events to a game: the state follows from the facts in them, and from no rule.

`play` decides what happens and returns it as events. `apply_event` repeats what happened: it draws nothing,
checks no move and computes neither income nor points. So a game whose log was recorded with other tiles,
other scoring tiles or another procedure of draws has every state that it had when it was played.
"""

from __future__ import annotations

from skye.events import (
    BuildingFinished,
    Event,
    GameFinished,
    IncomePaid,
    OfferSet,
    OffersRevealed,
    PlacementTakenBack,
    PurchasePassed,
    RoundScored,
    RoundStarted,
    TileBought,
    TilePlaced,
    TilesDrawn,
    TilesKept,
)
from skye.rules.state import BUILDING, BUYING, FinalPoints, GameState, Player
from skye.territory.territory import Territory
from skye.tiles.tile_set import Place


def apply_event(game: GameState, event: Event) -> GameState:  # noqa: C901 - one case for each event
    """Return a game after one of its recorded events.

    The events of an action belong together: the game between two of them is no state of the game.

    >>> import skye
    >>> game = skye.new_game(2, seed="play").game
    >>> after, events = skye.play(game, 0, skye.legal_moves(game, 0)[0])
    >>> apply_event(game, events[0]) == after
    True

    :param event: the event that followed in the recorded game; it is not checked.
    """
    players = game.players
    match event:
        case RoundStarted(_, starting_seat):
            begun = tuple([player._at_round_start(player.gold, ()) for player in players])
            return game._in_next_round(begun, starting_seat, game.next_draws)
        case IncomePaid(_, gold):
            return game._with_players(_with_gold(players, gold), game.buys)
        case TilesDrawn(tiles):
            drawn = [_offering(player, each, ()) for player, each in zip(players, tiles, strict=True)]
            left = game.next_draws[sum(map(len, tiles)) :]
            return game._with_players(drawn, game.buys)._replace(next_draws=left)
        case OfferSet(seat, _, prices, gold):
            return game._with_player(seat, _priced(players[seat], dict(prices), gold))
        case OffersRevealed(_, prices_by_seat, gold):
            revealed = [
                _offering(player, tuple([tile for tile, _ in each]), tuple([price for _, price in each]))
                for player, each in zip(players, prices_by_seat, strict=True)
            ]
            return game._in_phase(BUYING, tuple(_with_gold(revealed, gold)))
        case TileBought(seat, seller, tile, _, gold):
            traded = list(players)
            sold = traded[seller].tiles_on_offer.index(tile)
            traded[seller] = _offering(traded[seller], *traded[seller]._offer_without(sold))
            traded[seat] = _holding(traded[seat], (*traded[seat].tiles_to_build, tile))
            return game._with_players(_with_gold(traded, gold), game.buys + 1)
        case PurchasePassed():
            return game._with_players(list(players), game.buys + 1)
        case TilesKept(tiles):
            kept = [
                _holding(_offering(player, (), ()), player.tiles_to_build + each)
                for player, each in zip(players, tiles, strict=True)
            ]
            return game._in_phase(BUILDING, tuple(kept))
        case TilePlaced(seat, tile, x, y, rotation):
            return game._with_player(seat, _placed(players[seat], Place(tile, x, y, rotation)))
        case PlacementTakenBack(seat):
            return game._with_player(seat, _taken_back(players[seat]))
        case BuildingFinished(seat):
            player = players[seat]
            finished = player._with_territory(player.territory, (), player.placed_this_round, finished=True)
            return game._with_player(seat, finished)
        case RoundScored(_, _, points):
            scored = [
                player._with_round_points(earned) for player, earned in zip(players, points, strict=True)
            ]
            return game._with_players(scored, game.buys)
        case GameFinished():
            return _finished(game, event)
        case _:  # the tiles of `TilesDiscarded` are those that `OffersRevealed` has taken from the offers
            return game


def _with_gold(players: list[Player] | tuple[Player, ...], gold: tuple[int, ...]) -> list[Player]:
    return [
        player._with_purse_and_tiles(each, player.tiles_on_offer, player.prices, player.tiles_to_build)
        for player, each in zip(players, gold, strict=True)
    ]


def _offering(player: Player, tiles: tuple[str, ...], prices: tuple[int, ...]) -> Player:
    return player._with_purse_and_tiles(player.gold, tiles, prices, player.tiles_to_build)


def _holding(player: Player, tiles: tuple[str, ...]) -> Player:
    return player._with_purse_and_tiles(player.gold, player.tiles_on_offer, player.prices, tiles)


def _priced(player: Player, prices: dict[str, int], gold: int) -> Player:
    """Return a player after an offer; the price of the discard is 0."""
    drawn = player.tiles_on_offer
    by_tile = tuple([prices.get(tile, 0) for tile in drawn])
    return player._with_purse_and_tiles(gold, drawn, by_tile, player.tiles_to_build)


def _placed(player: Player, place: Place) -> Player:
    """Return a player after a placement; the territory derives its values when they are read."""
    hand = tuple([tile for tile in player.tiles_to_build if tile != place.tile])
    larger = Territory((*player.territory.placed, place), player.territory.ruleset_id)
    return player._with_territory(larger, hand, player.placed_this_round + 1)


def _taken_back(player: Player) -> Player:
    *placed, last = player.territory.placed
    hand = (*player.tiles_to_build, last.tile)
    return player._with_territory(
        Territory(tuple(placed), player.territory.ruleset_id), hand, player.placed_this_round - 1
    )


def _finished(game: GameState, event: GameFinished) -> GameState:
    players = tuple(
        player._replace(score=score, final=FinalPoints(of_scrolls, of_gold))
        for player, score, of_scrolls, of_gold in zip(
            game.players, event.scores, event.scroll_points, event.gold_points, strict=True
        )
    )
    return game._replace(phase=None, players=players, winners=event.winners)
