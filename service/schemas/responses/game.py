"""The game view: what a caller may see of a game."""

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
    Prices,
    ScoringSlot,
    ScoringTileId,
    SeedOrigin,
    TieBreakRule,
    TimeoutRule,
)
from service.schemas.fields import MAX_GOLD, MAX_TURN_MS, Boolean, Integer, ListOf, Seat
from service.schemas.objects import One
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
    """Whom the caller's token stands for; neither is a spectator."""

    seat = Seat("The seat that the token acts for.", allow_none=True)
    host = Boolean("Whether the token is the host's.")


class GameOptions(ResponseObject):
    """What the creator of a game chose."""

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
    open_gold = Boolean("Whether every purse is shown to everybody.")
    turn_ms = Count("Milliseconds for each decision; null: no deadline.", MAX_TURN_MS, allow_none=True)
    clock = ClockName("The clock by which deadlines pass.")
    on_timeout = TimeoutRule("Who decides for a seat that lets its deadline pass.")


class GameOrigin(ResponseObject):
    """Where a game comes from that did not begin with a new game."""

    type = OriginName("What it began from.")
    scenario = Text("The name of the scenario; null if it began from something else.", 40, allow_none=True)


class UsedScoringTile(ResponseObject):
    """A scoring tile of the game."""

    slot = ScoringSlot("Its slot.")
    id = ScoringTileId("Which tile it is.")
    rounds = ListOf(Round(), "The rounds in which it is scored.", length=(0, ROUNDS), unique=True)


class UsedScoringTiles(ListOf):
    """The scoring tiles of a game."""

    def __init__(self, description: str) -> None:
        super().__init__(UsedScoringTile, description, length=(0, len(SLOTS)))


class Bag(ResponseObject):
    """The bag. It has no order: each draw is by a number of its own (see fairness)."""

    count = Count("How many tiles are left in it.", len(LANDSCAPE))
    tiles = LandscapeTiles("What is left in it, sorted by id.")


class Fairness(ResponseObject):
    """What proves that all draws were fixed in advance; the introduction gives the procedure."""

    commitment = Text(
        "SHA-256 of the nonce, if the game has one, then the seed, in UTF-8; in hexadecimal, from the start.",
        64,
        metadata={"pattern": "^[0-9a-f]{64}$"},
    )
    nonce = Text(
        "32 random hexadecimal digits in front of a seed that the creator chose; null until the game is "
        "over, and if the server chose the seed.",
        32,
        allow_none=True,
    )
    seed = Text("The seed that all draws follow from; null until the game is over.", 64, allow_none=True)
    seed_source = SeedOrigin("Who chose the seed.")


class DrawnTile(ResponseObject):
    """A tile that a seat has drawn this round. Price and discard are null while hidden, or not yet set."""

    tile = LandscapeTile()
    price = Integer(
        1, MAX_GOLD, "The gold laid on the tile; null also for the discarded one.", allow_none=True
    )
    discard = Boolean("Whether it is marked for discarding.", allow_none=True)


class SeatInPlay(ResponseObject):
    """What one seat has, as far as the caller may see it."""

    seat = Seat("The seat.")
    color = Color("The player's colour.")
    score = Count("The points so far.")
    gold = Count("The gold in the purse, without what lies on tiles; null when hidden.", allow_none=True)
    tiles_drawn = ListOf(
        DrawnTile, "The tiles drawn this round that are still before the screen.", length=(0, 3)
    )
    tiles_to_build = LandscapeTiles("The tiles in hand, to be built this round.")
    offer_set = Boolean("Whether the seat has set its prices and discard this round.")
    build_finished = Boolean("Whether the seat has declared its build finished this round.")
    territory = TilesAsPlaced("The placed tiles in placing order, the castle first.")


class Player(SeatInPlay):
    """One seat, with what the caller may see of it."""

    name = Text("What the player is called.", 40)
    bot = BotName("The bot that plays the seat; null for a person.", allow_none=True)


class SeatView(Player):
    """One seat, with what the caller may see of it, and the version of the game."""

    version = Version()


class CurrentOffer(ResponseObject):
    """The offer of a seat in this round, as far as its tiles still lie before the screen."""

    version = Version()
    seat = Seat("The seat.")
    discard = LandscapeTile("The tile to discard; null when hidden, or not set.", allow_none=True)
    prices = Prices("Gold on the tiles for sale; null when hidden, or not set.", allow_none=True)


class CurrentPlacements(ResponseObject):
    """The tiles that a seat has placed in this round."""

    version = Version()
    seat = Seat("The seat.")
    placements = ListOf(TerritoryTile, "The placements, in that order.", length=(0, len(LANDSCAPE)))


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
    score = Count("All points.")
    scoring_tiles = PointsByScoringTile("Points for each scoring tile of the game, all rounds together.")
    scroll_points = Count("Points for scrolls.")
    gold_points = Count("1 point for every 5 gold.")


class GameResult(ResponseObject):
    """How a game has ended."""

    winners = Seats("The seats that have won; several share the win.")
    players = BySeat(SeatResult, "The points of each seat, in seat order.")


class Game(ResponseObject):
    """A game as the caller may see it."""

    optional = ("actions",)

    id = GameId()
    name = Text("What the game is called.", 60)
    version = Version("How many changes have been accepted; the `ETag` has it too.")
    last_event = Count("The number of the last event: where to follow on from this view.")
    status = GameStatus("Where the game stands.")
    private = Boolean("Whether the game is unlisted, and hidden from clients without a token of it.")
    created_at = Time("When the game was created.")
    seats = Integer(PLAYERS[0], PLAYERS[-1], "How many can sit down.")
    auto_start = Boolean("Whether the game starts by itself as soon as every seat is taken.")
    invites = Count("How many of the seats are reserved by unused invitations.", PLAYERS[-1])
    you = One(Viewer, "Whom the caller's token stands for.")
    options = One(GameOptions, "What the creator chose.")
    origin = One(GameOrigin, "What the game began from; null: it began as a new one.", allow_none=True)
    now = Time("The time of the response, by the clock of the game; the `ETag` does not cover it.")
    deadline = Time("When the time for the present decision is up; null: never.", allow_none=True)
    round = Count("The round, counted from 1; 0 before the start.", ROUNDS)
    rounds = Integer(5, ROUNDS, "How many rounds the game has; null before the start.", allow_none=True)
    phase = GamePhase("The phase that waits for decisions; null when none does.", allow_none=True)
    starting_seat = Seat("The seat that starts this round; null while not drawn.", allow_none=True)
    waiting_for = Seats("The seats that must act now.")
    scoring_tiles = UsedScoringTiles("The scoring tiles of slots A to D; none while not drawn.")
    bag = One(Bag, "What is left in the bag.")
    fairness = One(Fairness, "The commitment to the seed, and the seed.")
    players = BySeat(Player, "The seats that are taken, in seat order.")
    result = One(GameResult, "How the game has ended; null until then.", allow_none=True)
    actions = Actions("With `include=actions`: what the caller's seat can do now; none for other callers.")
