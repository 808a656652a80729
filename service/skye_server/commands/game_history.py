"""Game history: games as they were at an earlier version or event, rebuilt from the log (event sourcing).

The events have every draw, income and score. Nothing is drawn from the seed and no rule is applied again: a
later version of the server, with other draws, tiles or scoring tiles, rebuilds the game that was played.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from operator import attrgetter
from typing import Final, NamedTuple, TypeAlias

from msgspec.structs import replace

from skye import GameState
from skye.positions import apply_event, set_up
from skye_server.cooperative_yield import Computation
from skye_server.error_codes import Problem
from skye_server.games.agreements import after_answer, after_proposal
from skye_server.games.authorization import Caller
from skye_server.games.events import (
    AnyEvent,
    BotChanged,
    BotTookOver,
    GameAborted,
    GamePaused,
    GameResumed,
    GameStarted,
    HostedEvent,
    InvitationAccepted,
    InvitationCreated,
    InvitationRevoked,
    PlayerChanged,
    PlayerJoined,
    PlayerLeft,
    PositionSet,
    ProposalAnswered,
    ProposalEnded,
    ProposalMade,
    SeatReturned,
    TimedOut,
    TurnChanged,
)
from skye_server.games.game import FREE_SEAT, Change, Game, Pause, Seat, Status, with_seat
from skye_server.games.transitions import (
    after_missed_deadline,
    after_return,
    after_takeover,
    state_with_ruleset,
)
from skye_server.store.codec import changes_from_log
from skye_server.store.redis_store import RedisStore

KEEP_EVERY: Final = 64
"""The number of changes between two kept games, and so the most that one more replay repeats."""

_MAX_KEPT: Final = 512

_Number: TypeAlias = Callable[[Change], int]
"""Returns the version of a change, or the number of its first event."""

_version: Final[_Number] = attrgetter("version")
_first_event: Final[_Number] = attrgetter("first_event")


class _Kept(NamedTuple):
    """A change, and the game after it."""

    change: Change
    game: Game


class _KeptGames:
    """Past games that were rebuilt before (LRU); the versions that are kept are multiples of a number."""

    def __init__(self) -> None:
        self._kept: OrderedDict[tuple[str, int], _Kept] = OrderedDict()

    def keep(self, change: Change, game: Game) -> None:
        """Keep a game if its version is one of those that are kept."""
        if change.version % KEEP_EVERY == 0:
            self._kept[game.id, change.version] = _Kept(change, game)
            if len(self._kept) > _MAX_KEPT:
                self._kept.popitem(last=False)

    def nearest(self, game_id: str, number_of: _Number, number: int) -> _Kept | None:
        """Return the last kept game whose change has at most a number; no version exceeds its events."""
        for version in range(number // KEEP_EVERY * KEEP_EVERY, 0, -KEEP_EVERY):
            kept = self._kept.get((game_id, version))
            if kept is not None and number_of(kept.change) <= number:
                self._kept.move_to_end((game_id, version))
                return kept
        return None

    def forget(self, game_id: str) -> None:
        """Forget all versions of a game, also those above its present version: it may have lost changes."""
        for key in list(self._kept):
            if key[0] == game_id:
                self._kept.pop(key, None)


class GameHistory:
    """The past of all games of a store."""

    def __init__(self, store: RedisStore) -> None:
        self._store = store
        self._kept = _KeptGames()

    def changes(self, game: Game, after: int = 0, limit: int | None = None) -> list[Change]:
        """Return the changes of a game; if it has changed since it was loaded, a commit will fail.

        :param after: the number of the event after which the changes have events.
        :param limit: the maximum number of log entries to read; each has at least one event.
        """
        stored, entries = self._store.load_with_log(game.id, after, limit)
        return [] if stored is None else changes_from_log(game, after, entries, limit)

    def at_version(self, game: Game, version: int) -> Game:
        """Return a game as it was at an earlier version.

        :raises Problem: data_corrupt, data_newer, when its log is lost.
        """
        if version == game.version:
            return game
        past = self._replayed(game, _version, version)
        if past.version != version:
            raise Problem("data_corrupt", f"Version {version} of the game is lost.")
        return past

    def at_event(self, game: Game, caller: Caller, event: int) -> tuple[Game, Caller]:
        """Return a game and the caller's role as they were when event number `event` had happened.

        :raises Problem: event_not_found.
        """
        if event > game.last_event:
            last = game.last_event
            raise Problem("event_not_found", f"The last event of the game is number {last}.", last_event=last)
        past = self._replayed(game, _first_event, event)
        if past.last_event < event:
            raise Problem("data_corrupt", f"Event {event} of the game is lost.")
        if past.status is not Status.LOBBY or caller.seat is None:  # seats move up only in the lobby
            return past, caller
        later = [each for each in self.changes(game, past.last_event) if each.version > past.version]
        return past, caller._replace(seat=seat_before(later, caller.seat))

    def _replayed(self, game: Game, number_of: _Number, number: int) -> Game:
        """Return a game after its changes up to a number, replayed from the nearest game that was kept.

        A kept game is used only if the log has its change: Redis may have lost changes, and made others.
        """
        kept = self._kept.nearest(game.id, number_of, number)
        changes, past = None, empty_game(game)
        if kept is not None:
            limit = number - number_of(kept.change) + 1
            read = self.changes(game, kept.change.last_event - 1, limit)
            read = [each for each in read if each.version >= kept.change.version]
            if read[:1] == [kept.change]:
                changes, past = read[1:], kept.game
            else:
                self._kept.forget(game.id)
        if changes is None:
            changes = self.changes(game, 0, number)
        due = [change for change in changes if number_of(change) <= number]
        return replay_changes(past, due, self._kept.keep)


def empty_game(game: Game) -> Game:
    """Return a game as it was before its first change, for `replay_changes`.

    Every view of the result of all changes up to a version equals the view of that version. Token hashes are
    not in the log, so the result cannot authenticate callers.

    :param game: the game at any later version; its id, name, capacity and options do not change.
    """
    return replace(
        game,
        seats=(),
        invites=(),
        status=Status.LOBBY,
        version=0,
        last_event=0,
        deadline_ms=None,
        state=None,
        proposal=None,
        proposed=(),
        abort_reason=None,
        clocks=(),
        pause=None,
        pause_count=0,
    )


def replay_changes(
    past: Game, changes: Iterable[Change], keep: Callable[[Change, Game], object] = lambda *_: None
) -> Game:
    """Return a game after the changes that followed.

    :param keep: called with each change and the game after it.
    :raises Problem: server_busy, bad_request.
    """
    is_manual = past.clock_ms is not None
    with Computation() as computation:
        for change in changes:
            for event in change.events:
                past = _applied(past, event)
            past = replace(past, version=change.version, last_event=change.last_event)
            if is_manual:
                past = replace(past, clock_ms=change.at_ms)
            keep(change, past)
            computation.checkpoint()
    return past


def seat_before(later: Sequence[Change], seat: int | None) -> int | None:
    """Return the number that a seat had before later changes; None if its player had not joined yet."""
    for event in reversed([event for change in later for event in change.events]):
        if isinstance(event, PlayerJoined) and event.seat == seat:
            return None
        if isinstance(event, GameStarted) and seat is not None:
            seat = event.players[seat].lobby_seat
    return seat


def _applied(game: Game, event: AnyEvent) -> Game:  # noqa: C901 - one case for each event
    """Return the game after one event."""
    seats = game.seats
    match event:
        case PlayerJoined(number, name, color, bot):
            return replace(game, seats=with_seat(seats, number, Seat(name, color, bot=bot)))
        case PlayerLeft(number):
            return replace(game, seats=with_seat(seats, number, FREE_SEAT))
        case PlayerChanged(number, name, color):
            changed = replace(seats[number], name=name, color=color)
            return replace(game, seats=with_seat(seats, number, changed))
        case InvitationCreated():
            return replace(game, invites=(*game.invites, ""))
        case InvitationAccepted() | InvitationRevoked():
            return replace(game, invites=game.invites[1:])
        case GameStarted():
            return _started(game, event)
        case PositionSet(state):
            return _in_play(game, state_with_ruleset(state, game.options.ruleset))
        case BotTookOver():
            return after_takeover(game, event)
        case SeatReturned(number):
            return after_return(game, number)
        case TimedOut(number):
            return after_missed_deadline(game, number)
        case BotChanged(number, bot):
            return replace(game, seats=with_seat(seats, number, replace(seats[number], bot=bot)))
        case TurnChanged(_, _, deadline_ms, clocks):
            return replace(game, deadline_ms=deadline_ms, clocks=clocks)
        case GamePaused():
            return replace(game, pause=Pause(*event), pause_count=game.pause_count + 1)
        case GameResumed():
            return replace(game, pause=None)
        case ProposalMade():
            return after_proposal(game, event)
        case ProposalAnswered():
            return after_answer(game, event)
        case ProposalEnded():
            return replace(game, proposal=None)
        case GameAborted(reason):
            return replace(game, status=Status.ABORTED, invites=(), abort_reason=reason)
    if isinstance(event, HostedEvent) or game.state is None:
        return game
    return _in_play(game, apply_event(game.state, event))


def _started(game: Game, event: GameStarted) -> Game:
    seats = tuple(seat for _, seat in game.taken)
    colors = [seat.color for seat in seats]
    options = game.options
    state = set_up(colors, options.seed, options.for_engine, event.scoring_tiles, event.starting_seat)
    return replace(game, state=state, status=Status.PLAYING, seats=seats, invites=())


def _in_play(game: Game, state: GameState) -> Game:
    return replace(game, state=state, status=Status.FINISHED if state.is_over else Status.PLAYING)
