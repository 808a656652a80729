"""Transitions of a game: accepted changes, each with its version and its events."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from msgspec.structs import replace

from skye import GameState, Move, Outcome, SetOffer, TakeBack, Territory, play
from skye.events import OfferSet, PlacementTakenBack
from skye_server.error_codes import Problem
from skye_server.games import absence, clocks
from skye_server.games.events import AnyEvent, ProposalEnded
from skye_server.games.game import Change, Game, Seat, Status, with_seat
from skye_server.games.proposals import ProposalOutcome
from skye_server.games.public_counters import counters_after

MAX_REVISIONS: Final = 750
"""How often all seats of a game together take back or repeat something: each seat has an equal share.

So no player uses up what the others may take back. A game without revisions has fewer than 300 changes, and
each revision adds at most two, so every game ends within the size limit of a record.
"""

FREE_REVISIONS: Final = 30
"""How many revisions of each seat cost no more than the game itself: more than players need."""

REVISIONS_PER_KB: Final = 5
"""How many more cost a kilobyte; the log of a game grows by some 130 bytes by each."""

MAX_CHANGES: Final = 1_500
"""The number of changes after which the host changes nothing that could be repeated forever."""

MAX_LOBBY_CHANGES: Final = 300
"""The number of changes of a lobby after which seats can only be freed, or the game be started or aborted."""

MAX_OPEN_CHANGES: Final = 200
"""The number of changes of a lobby after which no stranger joins, and nobody is renamed.

Each seat has an equal share of them as its revisions.
"""


class Transition(NamedTuple):
    """A game after zero or more changes, and those changes, oldest first."""

    game: Game
    changes: tuple[Change, ...] = ()

    def then(self, later: Transition) -> Transition:
        """Return this transition extended by one that starts where this one ends."""
        return Transition(later.game, self.changes + later.changes)


def advance(game: Game, now_ms: int, events: Sequence[AnyEvent], **fields: Any) -> Transition:
    """Replace fields of a game as one change, which increments its version.

    What the events say of absence is added (`games.absence`). A change of the seats that must act, or of who
    plays them, sets new deadlines and appends a `TurnChanged` event. A proposal that is open at the end of
    the game expires.
    """
    after, number = replace(game, **fields), 0 if game.state is None else game.state.round
    events = tuple(events)
    after = absence.after_events(after, events, now_ms, number)
    if after.seats is not game.seats:
        events = (*events, *absence.changed_ends(game, after))
    if after.is_over and after.proposal is not None:
        events = (*events, ProposalEnded(after.proposal.kind, ProposalOutcome.EXPIRED))
        after = replace(after, proposal=None)
    # The turn follows from these.
    parts = ("state", "status", "pause", "seats", "deadlines")
    if any(getattr(after, part) is not getattr(game, part) for part in parts):
        after = clocks.with_deadlines(game, after, now_ms)
        if (turn := after.turn) != game.turn:
            events = (*events, turn)
    change = Change(game.version + 1, now_ms, game.last_event + 1, events)
    public = counters_after(game.public, after, change)
    after = replace(after, version=change.version, last_event=change.last_event, public=public)
    return Transition(after, (change,))


def make_move(game: Game, seat: int, move: Move, now_ms: int) -> Transition:
    """Make one move in the game.

    :raises Problem: game_not_started, game_aborted.
    :raises RuleError: if the move is illegal.
    """
    state_in_play(game)
    counted = absence.before_last_move(game, seat, move, now_ms)
    return after_move(game, play(state_in_play(counted), seat, move), now_ms)


def after_move(game: Game, outcome: Outcome, now_ms: int, *more: AnyEvent) -> Transition:
    """Apply the outcome of a move; the events `more` follow those of the move."""
    state, events = outcome
    players = state_begun(game).players
    for event in events:
        if isinstance(event, PlacementTakenBack) or (
            isinstance(event, OfferSet) and players[event.seat].prices
        ):
            game = after_revision(game, event.seat)
    status = Status.FINISHED if state.is_over else Status.PLAYING
    return advance(game, now_ms, [*events, *more], state=state, status=status)


def after_revision(game: Game, number: int) -> Game:
    """Return a game after a seat took back or repeated something that could be repeated forever."""
    seat = game.seats[number]
    revised = replace(seat, revisions=seat.revisions + 1)
    return replace(game, seats=with_seat(game.seats, number, revised))


def revised_kilobytes(before: Game, after: Game) -> int:
    """Return what the revisions of a change cost the address that makes them, beside the game itself."""
    if before.status is not Status.PLAYING or after.seats is before.seats:
        return 0
    return sum(map(_kilobytes, after.seats)) - sum(map(_kilobytes, before.seats))


def _kilobytes(seat: Seat) -> int:
    return max(seat.revisions - FREE_REVISIONS, 0) // REVISIONS_PER_KB


def can_revise(game: Game, seat: int) -> bool:
    """Return whether a seat has not used up its share of the revisions; those of a lobby are fewer."""
    if game.status is Status.LOBBY:
        share = MAX_OPEN_CHANGES // game.capacity
        return game.version < MAX_OPEN_CHANGES and game.seats[seat].revisions < share
    return game.seats[seat].revisions < MAX_REVISIONS // len(game.taken)


def check_change_limit(game: Game, *, is_open: bool = False) -> None:
    """Check that the host or the lobby may make one more change of a kind that could be repeated forever.

    :param is_open: whether the change is that of a stranger.
    :raises Problem: too_many_changes.
    """
    limit = MAX_LOBBY_CHANGES if game.status is Status.LOBBY else MAX_CHANGES
    if game.version >= (MAX_OPEN_CHANGES if is_open else limit):
        raise Problem("too_many_changes")


def is_revision(game: Game, seat: int, move: Move) -> bool:
    """Return whether a move replaces the seat's offer or takes back its placement."""
    if isinstance(move, SetOffer):
        return game.state is not None and bool(game.state.players[seat].prices)
    return isinstance(move, TakeBack)


def with_ruleset(game: Game, ruleset_id: str) -> Game:
    """Return a game whose ruleset has another id, because its data are no longer those of the former one."""
    if game.options.ruleset == ruleset_id:
        return game
    state = None if game.state is None else state_with_ruleset(game.state, ruleset_id)
    return replace(game, options=replace(game.options, ruleset=ruleset_id), state=state)


def state_with_ruleset(state: GameState, ruleset_id: str) -> GameState:
    """Return a state whose ruleset has another id."""
    if state.ruleset_id == ruleset_id:
        return state
    players = [
        player._replace(territory=Territory(player.territory.placed, ruleset_id)) for player in state.players
    ]
    return state._replace(players=tuple(players), ruleset_id=ruleset_id)


def state_in_play(game: Game) -> GameState:
    """Return the state of a game that was started and not aborted; it may be over.

    :raises Problem: game_not_started, game_aborted.
    """
    if game.status is Status.ABORTED:
        raise Problem("game_aborted")
    if game.state is None:
        raise Problem("game_not_started")
    return game.state


def state_begun(game: Game) -> GameState:
    """Return the state of a game that was started; it may be over or aborted.

    :raises Problem: game_not_started.
    """
    if game.state is None:
        raise Problem("game_not_started")
    return game.state
