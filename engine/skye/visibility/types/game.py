"""The types of views, the JSON data that functions such as `game_view` return.

A field is None if its value is hidden or not known yet.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Literal, TypeAlias, TypedDict

from skye.fields import (
    MAX_TILES,
    BySeat,
    BySlot,
    Color,
    Coordinate,
    Count,
    InTerritory,
    Keywords,
    LandscapeTileId,
    LandscapeTileIds,
    Price,
    Rotation,
    Round,
    Rounds,
    RulesetName,
    ScoringSlot,
    ScoringTileId,
    Seat,
    Seats,
    TileId,
)
from skye.rules.state import Phase
from skye.rulesets.data import MAX_PLAYERS, MAX_ROUNDS, MIN_PLAYERS
from skye.rulesets.ruleset import MAX_DRAWN


class TerritoryTileView(TypedDict):
    """A tile in a territory, with its cell and rotation."""

    tile: TileId
    x: Annotated[Coordinate, "Cells east of the castle."]
    y: Annotated[Coordinate, "Cells south of the castle."]
    rotation: Rotation


class UsedScoringTileView(TypedDict):
    """A scoring tile of the game."""

    slot: Annotated[ScoringSlot, "The slot."]
    scoring_tile: Annotated[ScoringTileId, "The id of the scoring tile."]
    rounds: Annotated[
        Sequence[Round], Keywords(maxItems=MAX_ROUNDS, uniqueItems=True), "The rounds that score the tile."
    ]


class BagView(TypedDict):
    """The bag. It has no order: each draw derives its own number from the seed."""

    count: Annotated[Count, Keywords(maximum=MAX_TILES), "The number of tiles left."]
    tiles: Annotated[
        LandscapeTileIds | None,
        "The tiles left, sorted by id; null in a game without hints until it is finished.",
    ]


class SeedView(TypedDict):
    """The commitment to the seed; when the game is over also the seed."""

    commitment: str | None
    seed: str | None


class DrawnTileView(TypedDict):
    """A tile that a seat has drawn this round. Price and discard are null while hidden or not set."""

    tile: LandscapeTileId
    price: Annotated[Price | None, "The gold laid on the tile; null also for the tile to discard."]
    discard: Annotated[bool | None, "Whether the tile is marked for discarding."]


class SeatInPlayView(TypedDict):
    """The public and private state of one seat, as the caller may see it."""

    seat: Seat
    color: Annotated[Color, "The player's colour."]
    score: Annotated[Count, "The points so far."]
    gold: Annotated[Count | None, "The gold in the purse, without gold on tiles; null when hidden."]
    tiles_on_offer: Annotated[
        Sequence[DrawnTileView],
        Keywords(maxItems=MAX_DRAWN),
        "The tiles drawn this round that are still on offer.",
    ]
    tiles_to_build: Annotated[LandscapeTileIds, "The tiles in hand, to build in this round."]
    offer_set: Annotated[bool, "Whether the seat has set its prices and discard this round."]
    building_finished: Annotated[bool, "Whether the seat has declared its build finished this round."]
    territory: Annotated[
        InTerritory[TerritoryTileView], "The placed tiles in placing order, the castle first."
    ]


class ScoringTilePointsView(TypedDict):
    """The points of one seat for a scoring tile."""

    slot: Annotated[ScoringSlot, "The slot of the scoring tile."]
    scoring_tile: Annotated[ScoringTileId, "The scoring tile."]
    points: Annotated[Count, "The points."]


class SeatResultView(TypedDict):
    """The points of one seat at the end, by source."""

    seat: Seat
    score: Annotated[Count, "The total points."]
    scoring_tiles: Annotated[
        BySlot[ScoringTilePointsView], "Points for each scoring tile of the game, summed over all rounds."
    ]
    scroll_points: Annotated[Count, "Points for scrolls."]
    gold_points: Annotated[Count, "1 point for every 5 gold."]


class PlaceOfSeatView(TypedDict):
    """The place of a seat at the end."""

    place: Annotated[int, Keywords(minimum=1, maximum=MAX_PLAYERS), "The place; tied seats share one."]
    seat: Seat


class PlacesView(TypedDict):
    """The winners and the places of a game that is over."""

    winners: Annotated[
        Seats,
        "The winners: the best of the seats that their players did not give up. Several seats can share the "
        "win; none wins if all were given up.",
    ]
    placing: Annotated[
        Sequence[PlaceOfSeatView],
        Keywords(minItems=MIN_PLAYERS, maxItems=MAX_PLAYERS),
        "The places of all seats, the first place first. Seats that were given up come last, whatever their "
        "points are: the one that was given up first has the last place. Seats that were given up at the "
        "same time share a place.",
    ]


class GameResultView(PlacesView):
    """The result of a game."""

    players: Annotated[BySeat[SeatResultView], "The points of each seat, in seat order."]


class GameStateView(TypedDict):
    """The fields that views of games and of matches share."""

    ruleset: RulesetName
    round: Annotated[Count, Keywords(maximum=MAX_ROUNDS), "The round, counted from 1; 0 before the start."]
    round_count: Annotated[Rounds | None, "How many rounds the game has; null before the start."]
    phase: Annotated[Phase | None, "The phase that waits for decisions; null if none does."]
    starting_seat: Annotated[Seat | None, "The seat that starts this round; null until it is drawn."]
    waiting_for: Annotated[Seats, "The seats that must act now."]
    scoring_tiles: Annotated[
        BySlot[UsedScoringTileView], "The scoring tiles by slot; none until they are drawn."
    ]
    bag: Annotated[BagView, "The tiles left in the bag."]


class GameView(GameStateView):
    """A game, as a viewer may see it."""

    fairness: SeedView
    players: Sequence[SeatInPlayView]
    result: GameResultView | None


class SetOfferView(TypedDict):
    """The move `SetOffer`; its contents are None while hidden."""

    type: Literal["set_offer"]
    discard: str | None
    prices: Mapping[str, int] | None


class BuyView(TypedDict):
    """The move `Buy`."""

    type: Literal["buy"]
    tile: str


class PlaceView(TerritoryTileView):
    """The move `Place`."""

    type: Literal["place"]


class PlainMoveView(TypedDict):
    """A move without fields."""

    type: Literal["pass", "take_back", "finish_building"]


MoveView: TypeAlias = SetOfferView | BuyView | PlaceView | PlainMoveView


class MoveActionView(TypedDict):
    """A move as an action of the HTTP API has it."""

    type: str
    body: Annotated[Mapping[str, object] | None, "The fields of the move; null if it has none."]


class SeatSetOfferView(SetOfferView):
    """The action of setting an offer."""

    seat: int
    round: int
    phase: str


class SeatBuyView(BuyView):
    """The action of buying a tile."""

    seat: int
    round: int
    phase: str


class SeatPlaceView(PlaceView):
    """The action of placing a tile."""

    seat: int
    round: int
    phase: str


class SeatPlainMoveView(PlainMoveView):
    """An action without fields."""

    seat: int
    round: int
    phase: str


ActionView: TypeAlias = SeatSetOfferView | SeatBuyView | SeatPlaceView | SeatPlainMoveView
