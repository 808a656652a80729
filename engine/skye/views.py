"""The types of views, the JSON data that functions such as `game_as_seen_by` return.

A field is None if its value is hidden or not known yet.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, TypeAlias, TypedDict


class PlacedTileView(TypedDict):
    """A placed tile."""

    tile: str
    x: int
    y: int
    rotation: int


class UsedScoringTileView(TypedDict):
    """A scoring tile of a game."""

    slot: str
    id: str
    rounds: Sequence[int]


class BagView(TypedDict):
    """The bag, which has no order."""

    count: int
    tiles: Sequence[str]


class SeedView(TypedDict):
    """The commitment to the seed; when the game is over also the seed."""

    commitment: str | None
    seed: str | None


class DrawnTileView(TypedDict):
    """A tile drawn this round."""

    tile: str
    price: int | None
    discard: bool | None


class PlayerView(TypedDict):
    """One seat, as a viewer may see it."""

    seat: int
    color: str
    score: int
    gold: int | None
    tiles_drawn: Sequence[DrawnTileView]
    tiles_to_build: Sequence[str]
    offer_set: bool
    build_finished: bool
    territory: Sequence[PlacedTileView]


class ScoringTilePointsView(TypedDict):
    """The points of one seat for a scoring tile."""

    slot: str
    id: str
    points: int


class SeatResultView(TypedDict):
    """The points of one seat at the end, by source."""

    seat: int
    score: int
    scoring_tiles: Sequence[ScoringTilePointsView]
    scroll_points: int
    gold_points: int


class ResultView(TypedDict):
    """The result of a game."""

    winners: Sequence[int]
    players: Sequence[SeatResultView]


class GameStateView(TypedDict):
    """The fields that views of games and of matches share."""

    round: int
    rounds: int | None
    phase: str | None
    starting_seat: int | None
    waiting_for: Sequence[int]
    scoring_tiles: Sequence[UsedScoringTileView]
    bag: BagView
    result: ResultView | None


class GameView(GameStateView):
    """A game, as a viewer may see it."""

    fairness: SeedView
    players: Sequence[PlayerView]


class SetOfferView(TypedDict):
    """The move `SetOffer`; its contents are None while hidden."""

    type: Literal["set_offer"]
    discard: str | None
    prices: Mapping[str, int] | None


class BuyView(TypedDict):
    """The move `Buy`."""

    type: Literal["buy"]
    tile: str


class PlaceView(PlacedTileView):
    """The move `Place`."""

    type: Literal["place"]


class PlainMoveView(TypedDict):
    """A move without fields."""

    type: Literal["pass", "take_back", "finish_building"]


MoveView: TypeAlias = SetOfferView | BuyView | PlaceView | PlainMoveView


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
