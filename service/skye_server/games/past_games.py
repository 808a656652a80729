"""Past games of players: what a player's history has of a game that is over, and what statistics count of it.

Both follow from the game and its log, so they are the same in every process. A past game has only what every
reader of the game sees: the result, the names, how each seat ended; and when the player decided. An aborted
game is a past game if players were absent: it has no result, and says who they were.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final

import msgspec

import skye
from skye import Phase
from skye.events import GameFinished, OfferSet
from skye.views import GameResultView
from skye_server.games.absence import outcome_of
from skye_server.games.events import (
    AnyEvent,
    BotTookOver,
    GameAborted,
    GamePaused,
    GameResumed,
    GameStarted,
    SeatReturned,
    TimeAdded,
    TimedOut,
    TurnChanged,
)
from skye_server.games.game import Change, Clock, Game, OnTimeout, Status
from skye_server.games.seat_ends import SeatEnd, SeatOutcome
from skye_server.games.transitions import state_begun


class PastSeat(msgspec.Struct, array_like=True, frozen=True):
    """A seat of a past game.

    :param bot: the bot that played the seat at the end, unless it took over from the player.
    :param score: the points; of an aborted game those that it had.
    :param outcome: how the seat ended.
    """

    name: str
    color: str
    bot: str | None
    score: int
    outcome: SeatOutcome

    @property
    def is_given_up(self) -> bool:
        """Whether the seat was given up, so that it could not win."""
        return self.outcome.end is not SeatEnd.PLAYED


class PastGame(msgspec.Struct, array_like=True, frozen=True):
    """A game that is over, in the history of one player. Times are milliseconds since 1970, UTC.

    :param finished_ms: when the game finished or was aborted.
    :param seat: the seat of the player, also if the player gave it up.
    :param placing: each place and the seat that has it, the first place first; empty if it was aborted.
    :param scoring: the points of the player's seat by scoring tile; empty if it was aborted.
    :param decisions: how often the game waited for a decision that the player then made.
    :param decision_ms: how long it waited in total.
    :param absent: the seats whose players were absent when the game was aborted; empty if it finished.
    """

    name: str
    ruleset: str
    private: bool
    started_ms: int
    finished_ms: int
    turn_ms: int | None
    budget_ms: int | None
    increment_ms: int
    on_timeout: OnTimeout
    seat: int
    placing: tuple[tuple[int, int], ...]
    seats: tuple[PastSeat, ...]
    scoring: tuple[tuple[str, int], ...]
    decisions: int
    decision_ms: int
    absent: tuple[int, ...] = ()

    @property
    def winners(self) -> tuple[int, ...]:
        """The seats that won: those in the first place, unless their players gave them up."""
        return tuple(seat for place, seat in self.placing if place == 1 and not self.seats[seat].is_given_up)

    @property
    def place(self) -> int | None:
        """The place of the player's seat; None if the game was aborted."""
        return next((place for place, seat in self.placing if seat == self.seat), None)

    @property
    def status(self) -> Status:
        """How the game ended."""
        return Status.FINISHED if self.placing else Status.ABORTED


def is_past(game: Game) -> bool:
    """Return whether the histories of players have a game: it is over, and was played from the start.

    At least one person has decided something: a game that bots alone played is nobody's. Of aborted games
    they have those whose players were absent. As in `GET /v1/records`, games that began from
    a record, a position or a scenario are left out, and games whose clock the host advances. Private games
    count.
    """
    is_over = game.status is Status.FINISHED or bool(game.absent)
    is_played = any(seat.is_person and seat.has_acted for seat in game.seats)
    return is_over and is_played and game.origin is None and game.options.clock is Clock.REAL


def seats_by_player(game: Game) -> Mapping[str, int]:
    """Return the seat of each player who holds one or has resigned from it."""
    taken = {seat.resigned_player: number for number, seat in enumerate(game.seats)}
    taken |= {seat.player: number for number, seat in enumerate(game.seats)}
    return {player: number for player, number in taken.items() if player}


def past_game(game: Game, changes: Sequence[Change], seat: int) -> PastGame:
    """Return a game that is over for the history of the player of a seat.

    :param changes: all changes of the game.
    """
    state = state_begun(game)
    result = skye.game_view(state, None)["result"]
    seats = tuple(
        PastSeat(
            seat.name,
            seat.color,
            None if seat.is_person and not seat.has_url_bot else seat.bot,
            player.score,
            outcome_of(game, seat),
        )
        for seat, player in zip(game.seats, state.players, strict=True)
    )
    pace = _pace(changes, seat)
    return PastGame(
        name=game.name,
        ruleset=game.options.ruleset,
        private=game.private,
        started_ms=_time_of(changes, GameStarted),
        finished_ms=_time_of(changes, GameFinished, GameAborted),
        turn_ms=game.options.turn_ms,
        budget_ms=game.options.budget_ms,
        increment_ms=game.options.increment_ms,
        on_timeout=game.options.on_timeout,
        seat=seat,
        placing=tuple((placed["place"], placed["seat"]) for placed in result["placing"]) if result else (),
        seats=seats,
        scoring=_scoring(result, seat) if result else (),
        decisions=pace.decisions,
        decision_ms=pace.ms,
        absent=game.absent,
    )


def _scoring(result: GameResultView, seat: int) -> tuple[tuple[str, int], ...]:
    """Return the points of a seat by scoring tile."""
    return tuple((tile["scoring_tile"], tile["points"]) for tile in result["players"][seat]["scoring_tiles"])


def _time_of(changes: Sequence[Change], *kinds: type) -> int:
    """Return the time of the change that has an event of one of some kinds."""
    return next(
        change.at_ms for change in changes if any(isinstance(event, kinds) for event in change.events)
    )


class _Pace:
    """How often a game waited for decisions that the player of a seat then made, and for how long.

    One decision is the time from when the game waits for the seat until it no longer does, or until the phase
    changes, without pauses and outages. A decision of the server is nobody's: the seat had missed its
    deadline, or was taken over. If the player replaces an offer of the server, the decision is the player's.
    """

    def __init__(self, seat: int) -> None:
        self.decisions = self.ms = 0
        self._seat = seat
        self._phase: Phase | None = None
        self._waited_ms, self._since_ms = 0, 0
        self._is_paused = self._is_late = self._is_taken_over = False
        self._offer_ms: int | None = None  # how long the game waited for an offer that the server then made

    def apply(self, event: AnyEvent, at_ms: int) -> None:
        """Count what an event ends."""
        match event:
            case TurnChanged() if not self._is_paused:
                self._turn(event.phase, event.waiting_for, at_ms)
            case GamePaused():
                self._waited_ms += at_ms - self._since_ms
                self._is_paused = True
            case GameResumed():
                self._is_paused, self._since_ms = False, at_ms
            case TimeAdded():
                self._since_ms = min(at_ms, self._since_ms + event.added_ms)
            case GameAborted():
                self._phase = None
            case TimedOut(seat=seat) if seat == self._seat:
                self._is_late = True
            case BotTookOver(seat=seat) if seat == self._seat:
                self._is_taken_over = True
            case SeatReturned(seat=seat) if seat == self._seat:
                self._is_late = self._is_taken_over = False
                self._waited_ms, self._since_ms = 0, at_ms
            case OfferSet(seat=seat) if seat == self._seat and self._phase is None:
                self._replace_offer()

    def _turn(self, phase: Phase | None, waiting_for: Sequence[int], at_ms: int) -> None:
        if phase is not Phase.PRICING:
            self._offer_ms = None
        waits = phase if self._seat in waiting_for else None
        if waits is self._phase:
            return
        if self._phase is not None:
            waited_ms = self._waited_ms + at_ms - self._since_ms
            if not (self._is_late or self._is_taken_over):
                self.decisions, self.ms = self.decisions + 1, self.ms + waited_ms
            elif phase is self._phase is Phase.PRICING:
                self._offer_ms = waited_ms
            self._is_late = False
        self._phase, self._waited_ms, self._since_ms = waits, 0, at_ms

    def _replace_offer(self) -> None:
        if self._offer_ms is not None and not self._is_taken_over:
            self.decisions, self.ms = self.decisions + 1, self.ms + self._offer_ms
            self._offer_ms = None


def _pace(changes: Sequence[Change], seat: int) -> _Pace:
    """Return the pace of the player of a seat."""
    pace = _Pace(seat)
    for change in changes:
        for event in change.events:
            pace.apply(event, change.at_ms)
    return pace


# The names of the counters of statistics. Those that end with a colon continue with a number or an id. The
# words of `SeatEnd` count how the seats of the player ended.
GAMES: Final = "games"
AGAINST_BOTS: Final = "against_bots"
ABORTED: Final = "aborted"
ABORTED_ABSENT: Final = "aborted:absent"
MISSED_DEADLINES: Final = "missed_deadlines"
SERVER_DECISIONS: Final = "server_decisions"
DECISIONS: Final = "decisions"
DECISION_MS: Final = "decision_ms"
GAMES_OF: Final = "games:"
WINS_OF: Final = "wins:"
PLAYED_OF: Final = "played:"
POINTS_OF: Final = "points:"
PLACES_OF: Final = "place:"
TILE_GAMES: Final = "tile:"
TILE_POINTS: Final = "tile_points:"


def counters_of(past: PastGame) -> Counter[str]:
    """Return what a past game adds to each counter of the statistics of its player.

    Points count only in games that the player has played to the end. An aborted game is no game of the
    player: it has counters of its own.
    """
    outcome = past.seats[past.seat].outcome
    counters = {
        MISSED_DEADLINES: outcome.missed_deadlines,
        SERVER_DECISIONS: outcome.server_decisions,
        DECISIONS: past.decisions,
        DECISION_MS: past.decision_ms,
    }
    if past.place is None:
        counters |= {ABORTED: 1, ABORTED_ABSENT: int(past.seat in past.absent)}
    else:
        counters |= _counters_of_result(past, past.place)
    return Counter({name: number for name, number in counters.items() if number})


def _counters_of_result(past: PastGame, place: int) -> dict[str, int]:
    own, size = past.seats[past.seat], len(past.seats)
    others = [seat for number, seat in enumerate(past.seats) if number != past.seat]
    counters = {
        GAMES: 1,
        AGAINST_BOTS: int(all(seat.bot for seat in others)),
        f"{GAMES_OF}{size}": 1,
        f"{WINS_OF}{size}": int(past.seat in past.winners),
        f"{PLACES_OF}{size}:{place}": 1,
    }
    if own.is_given_up:
        counters[str(own.outcome.end)] = 1
    else:
        counters |= {f"{PLAYED_OF}{size}": 1, f"{POINTS_OF}{size}": own.score}
        counters |= {f"{TILE_GAMES}{tile}": 1 for tile, _ in past.scoring}
        counters |= {f"{TILE_POINTS}{tile}": points for tile, points in past.scoring}
    return counters
