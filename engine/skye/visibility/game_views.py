"""Visibility: the functions that remove hidden information from views of games and events.

A viewer is a seat, or None for a spectator. Hidden are:

* the prices and the discard of other seats, until every seat has set its offer;
* the purses of other seats, until the game is over, unless the game has open gold;
* the seed, until the game is over. (The bag has no hidden order: see `skye.draws`.)

The functions return plain dictionaries and lists that can be encoded as JSON.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import cast

from skye.draws import commitment
from skye.events import (
    EVENT_TYPES,
    Event,
    GameFinished,
    IncomePaid,
    OfferSet,
    OffersRevealed,
    PlacementTakenBack,
    RoundScored,
    TileBought,
    TilePlaced,
    TilesDrawn,
    TilesKept,
)
from skye.rules.state import GameState, Phase, check_seat, points_by_slot
from skye.rulesets.ruleset import Ruleset
from skye.tiles.tile_set import Place
from skye.visibility.types.events import (
    EventView,
    GameFinishedView,
    OfferSetView,
    RoundScoredView,
    SeatDrawView,
    SeatEndView,
    SeatGoldView,
    SeatIncomeView,
    SeatKeptView,
    SeatOfferView,
    SeatRoundPointsView,
)
from skye.visibility.types.game import (
    GameResultView,
    GameView,
    PlaceOfSeatView,
    ScoringTilePointsView,
    SeatInPlayView,
    SeatResultView,
    TerritoryTileView,
    UsedScoringTileView,
)


def game_view(game: GameState, viewer: int | None) -> GameView:
    """Return the view of a game: its state without the information hidden from the viewer.

    >>> import skye
    >>> game = skye.new_game(2, seed="views").game
    >>> [player["gold"] for player in game_view(game, 0)["players"]]
    [5, None]

    :param viewer: a seat, or None for a spectator.
    :raises ValueError: when there is no such seat.
    """
    check_seat(game, viewer, spectator=True)
    bag = game.bag
    waiting_for = game.waiting_for
    return {
        "ruleset": game.ruleset_id,
        "round": game.round,
        "round_count": game.rounds,
        "phase": game.phase,
        "starting_seat": game.starting_seat,
        "waiting_for": waiting_for,
        "scoring_tiles": used_scoring_tiles_view(game.ruleset, game.scoring_tiles, len(game.players)),
        "bag": {"count": len(bag), "tiles": bag},
        "fairness": {
            "commitment": None if game.seed is None else commitment(game.seed),
            "seed": game.seed if game.is_over else None,
        },
        "players": [player_view(game, viewer, seat) for seat in range(len(game.players))],
        "result": _result(game) if game.is_over else None,
    }


def player_view(game: GameState, viewer: int | None, seat: int) -> SeatInPlayView:
    """Return the state of one seat without the information hidden from the viewer."""
    player = game.players[seat]
    hidden = game.phase is Phase.PRICING and viewer != seat
    prices = (None,) * len(player.tiles_on_offer) if hidden or not player.prices else player.prices
    return {
        "seat": seat,
        "color": player.color,
        "score": player.score,
        "gold": visible_gold(game, viewer, seat),
        "tiles_on_offer": [
            {"tile": tile, "price": price or None, "discard": None if price is None else not price}
            for tile, price in zip(player.tiles_on_offer, prices, strict=True)
        ],
        "tiles_to_build": player.tiles_to_build,
        "offer_set": game.phase is not Phase.PRICING or bool(player.prices),
        "building_finished": player.building_finished,
        "territory": territory_tiles_view(player.territory.placed),
    }


def visible_gold(game: GameState, viewer: int | None, seat: int) -> int | None:
    """Return the gold in a seat's purse, or None if it is hidden from the viewer.

    With open gold, other viewers see the purse without a secret offer, because the difference would reveal
    the sum of the prices.
    """
    player = game.players[seat]
    if viewer == seat or game.is_over:
        return player.gold
    if not game.open_gold:
        return None
    return player.gold + player.stakes if game.phase is Phase.PRICING else player.gold


def used_scoring_tiles_view(
    ruleset: Ruleset, scoring_tiles: Sequence[str], players: int
) -> list[UsedScoringTileView]:
    """Return the scoring tiles by slot, each with the rounds in which it is scored.

    >>> from skye.rulesets import BASE
    >>> used_scoring_tiles_view(BASE, ["sheep"], 2)
    [{'slot': 'A', 'scoring_tile': 'sheep', 'rounds': [1, 3, 5]}]
    """
    rounds = ruleset.rounds(players)
    return [
        {
            "slot": slot,
            "scoring_tile": tile,
            "rounds": [n for n, slots in enumerate(rounds, 1) if slot in slots],
        }
        for slot, tile in zip(ruleset.slots, scoring_tiles, strict=False)
    ]


def territory_tiles_view(placed: Iterable[Place]) -> list[TerritoryTileView]:
    """Return placed tiles as JSON data, in the given order.

    >>> territory_tiles_view([Place("L28", 0, -1, 0)])
    [{'tile': 'L28', 'x': 0, 'y': -1, 'rotation': 0}]
    """
    return [{"tile": tile, "x": x, "y": y, "rotation": rotation} for tile, x, y, rotation in placed]


def _result(game: GameState) -> GameResultView:
    """Return the result of a game that is over."""
    finals = [player.final or (0, 0) for player in game.players]
    scores, golds = [player.score for player in game.players], [player.gold for player in game.players]
    points = [points_by_slot(game, seat) for seat in range(len(game.players))]
    return {
        "winners": game.winners,
        "placing": _placing(game, scores, golds),
        "players": _seat_results(game, points, scores, finals),
    }


def _placing(game: GameState, scores: Sequence[int], golds: Sequence[int]) -> list[PlaceOfSeatView]:
    """Return the place of each seat at the end of a game, the first place first."""
    places: list[PlaceOfSeatView] = []
    for seats in game.ruleset.final.placing(scores, golds, game.tie_break, game.gave_up):
        place = len(places) + 1
        places += [{"place": place, "seat": seat} for seat in seats]
    return places


def _seat_results(
    game: GameState,
    tile_points: Sequence[Sequence[int]],
    scores: Sequence[int],
    finals: Sequence[tuple[int, int]],
) -> list[SeatResultView]:
    """Return the points of each seat at the end, by source."""
    slots, tiles = game.ruleset.slots, game.scoring_tiles
    return [
        {
            "seat": seat,
            "score": scores[seat],
            "scoring_tiles": points_view(slots, tiles, points),
            "scroll_points": scrolls,
            "gold_points": gold,
        }
        for seat, (points, (scrolls, gold)) in enumerate(zip(tile_points, finals, strict=True))
    ]


def points_view(
    slots: Iterable[str], scoring_tiles: Iterable[str], points: Iterable[int]
) -> list[ScoringTilePointsView]:
    """Return the points of one seat, one entry for each scoring tile."""
    return [
        {"slot": slot, "scoring_tile": tile, "points": earned}
        for slot, tile, earned in zip(slots, scoring_tiles, points, strict=True)
    ]


def event_view(game: GameState, viewer: int | None, event: Event) -> EventView:
    """Return an event without the information hidden from the viewer; the view of an event never changes.

    >>> import skye
    >>> game, events = skye.new_game(2, seed="views")
    >>> event_view(game, None, events[1])["players"][0]
    {'seat': 0, 'castle': 5, 'whisky': 0, 'catch_up': 0, 'total': 5, 'gold': None}

    :param game: the game after the event, or any later state of it.
    :param viewer: a seat, or None for a spectator.
    :raises ValueError: when there is no such seat.
    """
    check_seat(game, viewer, spectator=True)
    open_gold = game.open_gold

    def purse(seat: int, gold: int) -> int | None:
        return gold if open_gold or viewer == seat else None

    match event:
        case TilePlaced() | PlacementTakenBack():  # first and without `_asdict`, since they are the most
            seat, tile, x, y, rotation = event
            kind = EVENT_TYPES[type(event)]
            placed = {"type": kind, "seat": seat, "tile": tile, "x": x, "y": y, "rotation": rotation}
            return cast("EventView", placed)
        case OfferSet(seat):
            return _offer_set(event, seen=viewer == seat)
        case IncomePaid() | OffersRevealed() | TilesDrawn() | TilesKept():
            return _by_seat(event, purse)
        case TileBought(seat, seller, tile, price, gold):
            golds: list[SeatGoldView] = [{"seat": s, "gold": purse(s, gold[s])} for s in (seat, seller)]
            return {
                "type": "tile_bought",
                "seat": seat,
                "seller": seller,
                "tile": tile,
                "price": price,
                "players": golds,
            }
        case RoundScored():
            return _round_scored(event, game)
        case GameFinished():
            return _game_finished(event, game)
        case _:  # the view of any other event has its fields
            return cast("EventView", {"type": EVENT_TYPES[type(event)], **event._asdict()})


def _by_seat(
    event: IncomePaid | OffersRevealed | TilesDrawn | TilesKept, purse: Callable[[int, int], int | None]
) -> EventView:
    match event:
        case IncomePaid(incomes, gold):
            paid: list[SeatIncomeView] = [
                {
                    "seat": seat,
                    "castle": income.castle,
                    "whisky": income.whisky,
                    "catch_up": income.catch_up,
                    "total": income.total,
                    "gold": purse(seat, gold[seat]),
                }
                for seat, income in enumerate(incomes)
            ]
            return {"type": "income_paid", "players": paid}
        case TilesDrawn(tiles):
            drawn: list[SeatDrawView] = [{"seat": seat, "tiles": of} for seat, of in enumerate(tiles)]
            return {"type": "tiles_drawn", "players": drawn}
        case OffersRevealed(discards, prices, gold):
            offers: list[SeatOfferView] = [
                {"seat": seat, "discard": discards[seat], "prices": dict(of), "gold": purse(seat, gold[seat])}
                for seat, of in enumerate(prices)
            ]
            return {"type": "offers_revealed", "players": offers}
        case TilesKept(tiles, gold_lost):
            kept: list[SeatKeptView] = [
                {"seat": seat, "tiles": of, "gold_lost": gold_lost[seat]} for seat, of in enumerate(tiles)
            ]
            return {"type": "tiles_kept", "players": kept}


def _offer_set(event: OfferSet, *, seen: bool) -> OfferSetView:
    return {
        "type": "offer_set",
        "seat": event.seat,
        "discard": event.discard if seen else None,
        "prices": dict(event.prices) if seen else None,
        "gold": event.gold if seen else None,
    }


def _round_scored(event: RoundScored, game: GameState) -> RoundScoredView:
    scored = [game.scoring_tile(slot) for slot in event.slots]
    players: list[SeatRoundPointsView] = [
        {
            "seat": seat,
            "scoring_tiles": points_view(event.slots, scored, points),
            "score": event.scores[seat],
        }
        for seat, points in enumerate(event.points)
    ]
    return {"type": "round_scored", "round": event.round, "players": players}


def _game_finished(event: GameFinished, game: GameState) -> GameFinishedView:
    finals = list(zip(event.scroll_points, event.gold_points, strict=True))
    result: GameResultView = {
        "winners": event.winners,
        "placing": _placing(game, event.scores, event.gold),
        "players": _seat_results(game, event.tile_points, event.scores, finals),
    }
    players: list[SeatEndView] = [
        {"seat": seat, "score": event.scores[seat], "gold": gold} for seat, gold in enumerate(event.gold)
    ]
    return {"type": "game_finished", "seed": event.seed, "players": players, "result": result}
