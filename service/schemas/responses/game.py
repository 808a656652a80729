"""The view of a game, as a caller may see it."""

from __future__ import annotations

from typing import Any

from service.schemas.enums import (
    BotName,
    ClockName,
    Color,
    GamePhase,
    GameStatus,
    LandscapeTile,
    OriginName,
    ScoringSlot,
    ScoringTileId,
    SeedSourceName,
    TieBreakRule,
    TimeoutRule,
)
from service.schemas.fields import MAX_GOLD, MAX_TURN_MS, Boolean, Integer, Seat
from service.schemas.objects import ListOf, NestedObject, Prices
from service.schemas.responses.play import Actions
from service.schemas.responses.shape import (
    ROUNDS,
    BySeat,
    Count,
    GameId,
    LandscapeTiles,
    ResponseObject,
    Round,
    Seats,
    TerritoryTile,
    Text,
    TilesAsPlaced,
    Time,
    Version,
)
from skye import LANDSCAPE, PLAYERS, SLOTS


class Viewer(ResponseObject):
    """The seat and the role of the caller's token. A caller with neither is a spectator."""

    seat = Seat("The seat that the token acts for.", allow_none=True)
    host = Boolean("Whether the token is the host's.")


class GameOptions(ResponseObject):
    """The options that the creator of a game chose."""

    scoring_tiles = ListOf(
        ScoringTileId(),
        "The scoring tiles named for slots A to D; null: drawn.",
        length=(len(SLOTS), len(SLOTS)),
        unique=True,
        allow_none=True,
    )
    starting_seat = Seat("The seat named to start; null: drawn.", allow_none=True)
    seed = Text("The seed; null until the game is over.", 64, allow_none=True)
    tie_break = TieBreakRule("What breaks a tie.")
    open_gold = Boolean("Whether all gold is public.")
    turn_ms = Count("Milliseconds for each decision; null: no deadline.", MAX_TURN_MS, allow_none=True)
    clock = ClockName("The clock of the deadlines.")
    on_timeout = TimeoutRule("What happens when a seat misses its deadline.")


class GameOrigin(ResponseObject):
    """What a game began from, if not from the start."""

    type = OriginName("What the game began from.")
    scenario = Text("The name of the scenario; null for other types.", 40, allow_none=True)


class UsedScoringTile(ResponseObject):
    """A scoring tile of the game."""

    slot = ScoringSlot("The slot.")
    id = ScoringTileId("The id of the scoring tile.")
    rounds = ListOf(Round(), "The rounds that score the tile.", length=(0, ROUNDS), unique=True)


class UsedScoringTiles(ListOf):
    """The scoring tiles of a game."""

    def __init__(self, description: str) -> None:
        super().__init__(UsedScoringTile, description, length=(0, len(SLOTS)))


class Bag(ResponseObject):
    """The bag. It has no order: each draw derives its own number from the seed."""

    count = Count("The number of tiles left.", len(LANDSCAPE))
    tiles = LandscapeTiles("The tiles left, sorted by id.")


class Fairness(ResponseObject):
    """The proof that all draws were fixed in advance; see `GET /docs/fairness`."""

    commitment = Text(
        "The SHA-256 of the nonce, if the game has one, followed by the seed, in UTF-8; in hexadecimal.",
        64,
        metadata={"pattern": "^[0-9a-f]{64}$"},
    )
    nonce = Text(
        "32 random hexadecimal digits that precede a seed that the creator chose; null until the game is "
        "over, and always null if the server chose the seed.",
        32,
        allow_none=True,
    )
    seed = Text("The seed of all draws; null until the game is over.", 64, allow_none=True)
    seed_source = SeedSourceName("Who chose the seed.")


class DrawnTile(ResponseObject):
    """A tile that a seat has drawn this round. Price and discard are null while hidden or not set."""

    tile = LandscapeTile()
    price = Integer(
        1, MAX_GOLD, "The gold laid on the tile; null also for the tile to discard.", allow_none=True
    )
    discard = Boolean("Whether the tile is marked for discarding.", allow_none=True)


class SeatInPlay(ResponseObject):
    """The public and private state of one seat, as the caller may see it."""

    seat = Seat("The seat.")
    color = Color("The player's colour.")
    score = Count("The points so far.")
    gold = Count("The gold in the purse, without gold on tiles; null when hidden.", allow_none=True)
    tiles_drawn = ListOf(DrawnTile, "The tiles drawn this round that are still on offer.", length=(0, 3))
    tiles_to_build = LandscapeTiles("The tiles in hand, to build in this round.")
    offer_set = Boolean("Whether the seat has set its prices and discard this round.")
    build_finished = Boolean("Whether the seat has declared its build finished this round.")
    territory = TilesAsPlaced("The placed tiles in placing order, the castle first.")


class Player(SeatInPlay):
    """One seat, as the caller may see it."""

    name = Text("The name of the player.", 40)
    bot = BotName("The bot that plays the seat; null for a person.", allow_none=True)


class SeatView(Player):
    """One seat, as the caller may see it, and the version of the game."""

    version = Version()


class CurrentOffer(ResponseObject):
    """The offer of a seat in this round: the tiles that are still on offer."""

    version = Version()
    seat = Seat("The seat.")
    discard = LandscapeTile("The tile to discard; null when hidden, or not set.", allow_none=True)
    prices = Prices("Gold on the tiles for sale; null when hidden, or not set.", allow_none=True)


class CurrentPlacements(ResponseObject):
    """The tiles that a seat has placed in this round."""

    version = Version()
    seat = Seat("The seat.")
    placements = ListOf(TerritoryTile, "The placements, in placing order.", length=(0, len(LANDSCAPE)))


class ScoringTilePoints(ResponseObject):
    """The points of one seat for a scoring tile."""

    slot = ScoringSlot("The slot of the scoring tile.")
    id = ScoringTileId("The scoring tile.")
    points = Count("The points.")


class PointsByScoringTile(ListOf):
    """The points of one seat, one entry for each scoring tile."""

    def __init__(self, description: str, **kwargs: Any) -> None:
        super().__init__(ScoringTilePoints, description, length=(0, len(SLOTS)), **kwargs)


class SeatResult(ResponseObject):
    """The points of one seat at the end, by source."""

    seat = Seat("The seat.")
    score = Count("The total points.")
    scoring_tiles = PointsByScoringTile("Points for each scoring tile of the game, summed over all rounds.")
    scroll_points = Count("Points for scrolls.")
    gold_points = Count("1 point for every 5 gold.")


class GameResult(ResponseObject):
    """The result of a game."""

    winners = Seats("The winners; several seats can share the win.")
    players = BySeat(SeatResult, "The points of each seat, in seat order.")


class Game(ResponseObject):
    """A game as the caller may see it."""

    optional = ("actions",)

    id = GameId()
    name = Text("The name of the game.", 60)
    version = Version("The number of accepted changes; the `ETag` contains it.")
    last_event = Count("The number of the last event: follow the game from here.")
    status = GameStatus("The status of the game.")
    private = Boolean("Whether the game is unlisted, and 404 for clients without one of its tokens.")
    created_at = Time("When the game was created.")
    seats = Integer(PLAYERS[0], PLAYERS[-1], "The number of seats.")
    auto_start = Boolean("Whether the game starts automatically as soon as every seat is taken.")
    invites = Count("How many of the seats are reserved by unused invitations.", PLAYERS[-1])
    you = NestedObject(Viewer, "The seat and the role of the caller's token.")
    options = NestedObject(GameOptions, "The options that the creator chose.")
    origin = NestedObject(GameOrigin, "What the game began from; null: the start.", allow_none=True)
    now = Time("The time of the response, by the clock of the game; the `ETag` does not cover it.")
    deadline = Time("The deadline of the current decision; null: none.", allow_none=True)
    round = Count("The round, counted from 1; 0 before the start.", ROUNDS)
    rounds = Integer(5, ROUNDS, "How many rounds the game has; null before the start.", allow_none=True)
    phase = GamePhase("The phase that waits for decisions; null if none does.", allow_none=True)
    starting_seat = Seat("The seat that starts this round; null until it is drawn.", allow_none=True)
    waiting_for = Seats("The seats that must act now.")
    scoring_tiles = UsedScoringTiles("The scoring tiles of slots A to D; none until they are drawn.")
    bag = NestedObject(Bag, "The tiles left in the bag.")
    fairness = NestedObject(Fairness, "The commitment to the seed, and the seed.")
    players = BySeat(Player, "The seats that are taken, in seat order.")
    result = NestedObject(GameResult, "The result; null until the game is over.", allow_none=True)
    actions = Actions(
        "With `include=actions`: the legal actions of the caller's seat; none for other callers."
    )
