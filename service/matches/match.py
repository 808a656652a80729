"""A table: who sits at it, who may do what, and the game that is played there. Frozen values, no I/O.

The engine knows players by seat and colour; names, tokens, bots, options of the service and the lobby
before the game are the table's. `version` counts accepted changes, `last_event` the events so far.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final, NamedTuple, TypeAlias

from skye import PLAYERS, Event, Game, Options, TieBreak


class Status(StrEnum):
    """Where a game stands."""

    LOBBY = "lobby"
    PLAYING = "playing"
    FINISHED = "finished"
    ABORTED = "aborted"


class OnTimeout(StrEnum):
    """What happens to a seat that lets its deadline pass."""

    AUTO = "auto"
    BOT = "bot"


class SeedSource(StrEnum):
    """Who chose the seed: a creator who did knows every draw in advance."""

    SERVER = "server"
    CREATOR = "creator"


@dataclass(frozen=True, slots=True)
class GameOptions:
    """What the creator of a game chose. `turn_ms` of None sets no deadlines."""

    seed: str
    seed_source: SeedSource = SeedSource.SERVER
    scoring_tiles: tuple[str, ...] | None = None
    starting_seat: int | None = None
    tie_break: TieBreak = TieBreak.LEFTOVER_GOLD
    open_gold: bool = False
    turn_ms: int | None = None
    on_timeout: OnTimeout = OnTimeout.AUTO

    @property
    def for_engine(self) -> Options:
        """The options that are the engine's."""
        return Options(self.scoring_tiles, self.starting_seat, self.tie_break, self.open_gold)


@dataclass(frozen=True, slots=True)
class Seat:
    """Who sits there: `token` is the hash of the seat's token, empty when nobody holds one.

    `bot` names the bot that plays, from the beginning or since the player left or timed out.
    """

    name: str
    color: str
    token: str = ""
    bot: str | None = None


@dataclass(frozen=True, slots=True)
class Table:
    """All that is stored of a game but its log. Times are milliseconds since 1970, UTC."""

    id: str
    name: str
    host: str
    options: GameOptions
    created_ms: int
    capacity: int = PLAYERS[-1]
    private: bool = False
    start_when_full: bool = False
    seats: tuple[Seat, ...] = ()
    status: Status = Status.LOBBY
    version: int = 0
    last_event: int = 0
    deadline_ms: int | None = None
    game: Game | None = None

    @property
    def waiting_for(self) -> tuple[int, ...]:
        """The seats that must act now."""
        return self.game.waiting_for if self.game and self.status is Status.PLAYING else ()


class GameCreated(NamedTuple):
    """The table is open; players may join."""

    name: str


class PlayerJoined(NamedTuple):
    """A player, or a bot, takes a seat."""

    seat: int
    name: str
    color: str
    bot: str | None


class PlayerLeft(NamedTuple):
    """A player leaves the lobby; the seats behind move up by one."""

    seat: int


class GameStarted(NamedTuple):
    """The lobby closes and the game begins."""

    scoring_tiles: tuple[str, ...]
    starting_seat: int
    rounds: int


class BotTookOver(NamedTuple):
    """A bot plays on for a seat, for good: the player has resigned or timed out."""

    seat: int
    bot: str
    reason: str


class TimedOut(NamedTuple):
    """A seat let its deadline pass; what follows was decided for it."""

    seat: int


class TurnChanged(NamedTuple):
    """Who must act now, and until when; the last event of each change that alters it."""

    phase: str | None
    waiting_for: tuple[int, ...]
    deadline_ms: int | None


class GameAborted(NamedTuple):
    """The host has aborted the game."""


TableEvent: TypeAlias = (
    GameCreated | PlayerJoined | PlayerLeft | GameStarted | BotTookOver | TimedOut | TurnChanged | GameAborted
)

TABLE_EVENT_TYPES: Final[dict[type, str]] = {
    GameCreated: "game_created",
    PlayerJoined: "player_joined",
    PlayerLeft: "player_left",
    GameStarted: "game_started",
    BotTookOver: "bot_took_over",
    TimedOut: "timed_out",
    TurnChanged: "turn_changed",
    GameAborted: "game_aborted",
}
"""The name of each event of the table in the interface."""

AnyEvent: TypeAlias = Event | TableEvent


class Change(NamedTuple):
    """One accepted change: the version it led to, when it happened, and its events.

    The events are numbered without a gap; `first_event` is the number of the first.
    """

    version: int
    at_ms: int
    first_event: int
    events: tuple[AnyEvent, ...]

    @property
    def last_event(self) -> int:
        """The number of the last event."""
        return self.first_event + len(self.events) - 1
