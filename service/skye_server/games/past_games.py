"""Past games of players: what a player's history has of a finished game, and what statistics count of it.

Both follow from the game and its log, so they are the same in every process. A past game has only what every
reader of the finished game sees: the result, the names, how each seat ended; and when the player decided.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

import msgspec

import skye
from skye.events import GameFinished
from skye_server.games.absence import outcome_of
from skye_server.games.events import BotTookOver, GameStarted, SeatReturned, TurnChanged
from skye_server.games.game import Change, Clock, Game, OnTimeout, Status
from skye_server.games.seat_ends import SeatEnd, SeatOutcome
from skye_server.games.transitions import state_begun


class PastSeat(msgspec.Struct, array_like=True, frozen=True):
    """A seat of a finished game.

    :param bot: the bot that played the seat at the end, unless it took over from the player.
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
    """A finished game in the history of one player. Times are milliseconds since 1970, UTC.

    :param seat: the seat of the player, also if the player gave it up.
    :param placing: each place and the seat that has it, the first place first.
    :param scoring: the points of the player's seat by scoring tile.
    :param decisions: how often the game waited for a decision of the player.
    :param decision_ms: how long it waited in total.
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

    @property
    def winners(self) -> tuple[int, ...]:
        """The seats that won: those in the first place, unless their players gave them up."""
        return tuple(seat for place, seat in self.placing if place == 1 and not self.seats[seat].is_given_up)

    @property
    def place(self) -> int:
        """The place of the player's seat."""
        return next(place for place, seat in self.placing if seat == self.seat)


def is_past(game: Game) -> bool:
    """Return whether the histories of players have a game: it is finished, and was played from the start.

    As in `GET /v1/records`, games that began from a record, a position or a scenario are left out, and games
    whose clock the host advances. Private games count.
    """
    return game.status is Status.FINISHED and game.origin is None and game.options.clock is Clock.REAL


def seats_by_player(game: Game) -> Mapping[str, int]:
    """Return the seat of each player who holds one or has resigned from it."""
    taken = {seat.resigned_player: number for number, seat in enumerate(game.seats)}
    taken |= {seat.player: number for number, seat in enumerate(game.seats)}
    return {player: number for player, number in taken.items() if player}


def past_game(game: Game, changes: Sequence[Change], seat: int) -> PastGame:
    """Return a finished game for the history of the player of a seat.

    :param changes: all changes of the game.
    """
    result = skye.game_view(state_begun(game), None)["result"]
    if result is None:
        raise ValueError("the game is not finished")
    seats = tuple(
        PastSeat(
            seat.name,
            seat.color,
            None if seat.is_person and not seat.has_url_bot else seat.bot,
            player["score"],
            outcome_of(game, seat),
        )
        for seat, player in zip(game.seats, result["players"], strict=True)
    )
    pace = _pace(changes, seat)
    return PastGame(
        name=game.name,
        ruleset=game.options.ruleset,
        private=game.private,
        started_ms=_time_of(changes, GameStarted),
        finished_ms=_time_of(changes, GameFinished),
        turn_ms=game.options.turn_ms,
        budget_ms=game.options.budget_ms,
        increment_ms=game.options.increment_ms,
        on_timeout=game.options.on_timeout,
        seat=seat,
        placing=tuple((placed["place"], placed["seat"]) for placed in result["placing"]),
        seats=seats,
        scoring=tuple(
            (tile["scoring_tile"], tile["points"]) for tile in result["players"][seat]["scoring_tiles"]
        ),
        decisions=pace.decisions,
        decision_ms=pace.ms,
    )


def _time_of(changes: Sequence[Change], kind: type) -> int:
    """Return the time of the change that has an event of a kind."""
    return next(change.at_ms for change in changes if any(isinstance(event, kind) for event in change.events))


class _Pace(NamedTuple):
    """How often a game waited for decisions of a player, and for how many milliseconds."""

    decisions: int
    ms: int


def _pace(changes: Sequence[Change], seat: int) -> _Pace:
    """Return the pace of the player of a seat, without the time in which a bot played for the player.

    One decision is the time from when the game waits for the seat until it no longer does, or until the phase
    changes. A missed deadline ends it, too.
    """
    waits: str | None = None
    is_replaced, since, decisions, total = False, 0, 0, 0
    for change in changes:
        for event in change.events:
            before = waits
            match event:
                case TurnChanged():
                    waits = event.phase if seat in event.waiting_for else None
                case BotTookOver(seat=number) if number == seat:
                    is_replaced = True
                    continue
                case SeatReturned(seat=number) if number == seat:
                    is_replaced, since = False, change.at_ms
                    continue
                case _:
                    continue
            if waits != before:
                if before is not None and not is_replaced:
                    decisions, total = decisions + 1, total + change.at_ms - since
                since = change.at_ms
    return _Pace(decisions, total)


# The names of the counters of statistics. Those that end with a colon continue with a number or an id.
GAMES: Final = "games"
AGAINST_BOTS: Final = "against_bots"
RESIGNED: Final = "resigned"
TOOK_OVER: Final = "took_over"
MISSED_DEADLINES: Final = "missed_deadlines"
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

    Points count only in games that the player has played to the end.
    """
    own, size = past.seats[past.seat], len(past.seats)
    others = [seat for number, seat in enumerate(past.seats) if number != past.seat]
    counters = {
        GAMES: 1,
        AGAINST_BOTS: int(all(seat.bot for seat in others)),
        RESIGNED: int(own.outcome.end is SeatEnd.RESIGNED),
        TOOK_OVER: int(own.is_given_up and own.outcome.end is not SeatEnd.RESIGNED),
        MISSED_DEADLINES: own.outcome.missed_deadlines,
        DECISIONS: past.decisions,
        DECISION_MS: past.decision_ms,
        f"{GAMES_OF}{size}": 1,
        f"{WINS_OF}{size}": int(past.seat in past.winners),
        f"{PLACES_OF}{size}:{past.place}": 1,
    }
    if not own.is_given_up:
        counters |= {f"{PLAYED_OF}{size}": 1, f"{POINTS_OF}{size}": own.score}
        counters |= {f"{TILE_GAMES}{tile}": 1 for tile, _ in past.scoring}
        counters |= {f"{TILE_POINTS}{tile}": points for tile, points in past.scoring}
    return Counter({name: number for name, number in counters.items() if number})
