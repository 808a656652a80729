"""The events of a player, derived from the event logs of the player's games.

The events of one game follow from its log and a small state, `FollowedGame`. They are the same in every
process and at any time.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import Final, NamedTuple

import msgspec

from skye_server.games.authorization import identify_player
from skye_server.games.due import near_at_ms
from skye_server.games.events import TurnChanged
from skye_server.games.game import Change, Game, Status

_ANNOUNCED_MS: Final = 60_000
"""How long an announced game without a role of the player is stored: its commit may still be in progress."""


class PlayerEventType(StrEnum):
    """The types of a player's events."""

    SEAT_TAKEN = "seat_taken"
    YOUR_TURN = "your_turn"
    DEADLINE_NEAR = "deadline_near"
    SEAT_LEFT = "seat_left"
    GAME_OVER = "game_over"
    TICKET_EXPIRED = "ticket_expired"
    WEBHOOK_DISABLED = "webhook_disabled"


class Turn(NamedTuple):
    """An open decision of a player's seat."""

    phase: str | None
    deadline_ms: int | None


class PlayerEvent(msgspec.Struct, array_like=True, frozen=True):
    """An event of a player.

    :param game: the id of the game; empty if the event is about a ticket.
    :param seat: the player's seat; None for a host without one.
    :param version: the version of the game at the event.
    :param last_event: the number of the last event of the game then.
    :param status: the status of the game; None when the player has no role in it any more.
    :param turn: the open decision that the event is about.
    :param ticket: the id of the ticket that the event is about; empty if it is about a game.
    :param webhook: the id of the webhook that the event is about.
    """

    type: str
    game: str
    at_ms: int
    seat: int | None
    version: int
    last_event: int
    status: str | None
    turn: Turn | None = None
    ticket: str = ""
    webhook: str = ""


class FollowedGame(msgspec.Struct, array_like=True, frozen=True):
    """The state up to which the events of a game have been derived for one player.

    A game is announced, with version 0, before the commit that gives the player a role in it.

    :param since_ms: when the game was announced, later when it last changed for the player.
    :param turn: the open decision of the player's seat.
    :param deadline_ms: the deadline of the game, of this player or of others; None with a manual clock.
    :param near_at_ms: when the deadline of the open decision is to be reported as near; None once it was, and
        with a manual clock: its changes show whether a deadline is near.
    """

    since_ms: int
    version: int = 0
    last_event: int = 0
    seat: int | None = None
    turn: Turn | None = None
    deadline_ms: int | None = None
    near_at_ms: int | None = None
    over: bool = False

    @property
    def is_announced_only(self) -> bool:
        """Whether no commit has been seen that gives the player a role."""
        return self.version == 0


class Derived(NamedTuple):
    """The state after some changes, None to remove it, and the events of these changes."""

    state: FollowedGame | None
    events: tuple[PlayerEvent, ...] = ()


class _Reached(NamedTuple):
    """The turn after a change, the number of the event, and the decision of the seat if it is open."""

    change: Change
    number: int
    turn: Turn | None


def derive(state: FollowedGame, game: Game, player: str, changes: Sequence[Change], now_ms: int) -> Derived:
    """Derive the player's events of the changes after those that `state` includes.

    :param changes: the changes of the game that have events after `state.last_event`.
    """
    caller = identify_player(game, player)
    if caller is None:
        return lose_role(state, game.id, now_ms)
    at_ms, seat = changes[-1].at_ms if changes else state.since_ms, caller.seat
    events = []
    if seat not in (None, state.seat):  # the start of a game closes the gaps of its lobby
        events.append(_event(PlayerEventType.SEAT_TAKEN, game, seat, at_ms))
    turn = state.turn
    acting = None if seat is None or game.seats[seat].bot else seat
    for change, number, reached in _turns(state, game, acting, changes, now_ms):
        if reached is not None and reached != turn:
            events.append(_your_turn(game, seat, change, number, reached))
        turn = reached
    if game.is_over:
        turn = None
        if not state.over:
            events.append(_event(PlayerEventType.GAME_OVER, game, seat, at_ms))
    near_ms = _near_at_ms(turn, game.options.turn_ms)
    after = FollowedGame(at_ms, game.version, game.last_event, seat, turn, over=game.is_over)
    if game.clock_ms is None:
        near_ms = state.near_at_ms if turn == state.turn else near_ms
        after = msgspec.structs.replace(after, deadline_ms=game.deadline_ms, near_at_ms=near_ms)
    elif (
        near_ms is not None and near_ms <= game.clock_ms and (turn != state.turn or state.since_ms < near_ms)
    ):
        events.append(deadline_near(after, game.id, near_ms))
    return Derived(after, tuple(events))


def lose_role(state: FollowedGame, game_id: str, now_ms: int) -> Derived:
    """Report that the player has no role in a game any more, or that the game has expired.

    A game that was announced a short time ago is kept: the player may be about to join it.
    """
    if state.is_announced_only:
        return Derived(state if now_ms - state.since_ms <= _ANNOUNCED_MS else None)
    seat, version, last_event = state.seat, state.version, state.last_event
    event = PlayerEvent(PlayerEventType.SEAT_LEFT, game_id, now_ms, seat, version, last_event, None)
    return Derived(None, () if state.over else (event,))


def deadline_near(state: FollowedGame, game_id: str, at_ms: int) -> PlayerEvent:
    """Return the event that the deadline of the player's open decision is near."""
    kind, seat, version, last_event = (
        PlayerEventType.DEADLINE_NEAR,
        state.seat,
        state.version,
        state.last_event,
    )
    return PlayerEvent(kind, game_id, at_ms, seat, version, last_event, Status.PLAYING, state.turn)


def ticket_expired(ticket_id: str, at_ms: int) -> PlayerEvent:
    """Return the event that a ticket has expired."""
    return PlayerEvent(PlayerEventType.TICKET_EXPIRED, "", at_ms, None, 0, 0, None, ticket=ticket_id)


def webhook_disabled(webhook_id: str, at_ms: int) -> PlayerEvent:
    """Return the event that a webhook is disabled."""
    kind = PlayerEventType.WEBHOOK_DISABLED
    return PlayerEvent(kind, "", at_ms, None, 0, 0, None, webhook=webhook_id)


def can_cause_events(before: Game | None, after: Game, player: str) -> bool:
    """Return whether a commit can cause events of a player: by the role, the turn or the end."""
    return before is None or _position(before, player) != _position(after, player)


def _position(game: Game, player: str) -> tuple[object, ...]:
    caller = identify_player(game, player)
    if caller is None or game.state is None or caller.seat not in game.waiting_for:
        return caller, game.is_over
    return caller, game.is_over, game.state.round, game.state.phase, game.deadline_ms, game.clock_ms


def _turns(
    state: FollowedGame, game: Game, seat: int | None, changes: Sequence[Change], now_ms: int
) -> Iterator[_Reached]:
    """Yield the turns after those that `state` includes.

    A state that is ahead of the game comes from commits that the store has lost: the game decides the turn.
    """
    if state.last_event > game.last_event:
        phase = game.state.phase if game.state else None
        event = TurnChanged(phase, game.waiting_for, game.deadline_ms)
        change = Change(game.version, now_ms, game.last_event, (event,))
        yield _Reached(change, game.last_event, _turn(event, seat))
        return
    for change in changes:
        for number, each in enumerate(change.events, change.first_event):
            if number > state.last_event and isinstance(each, TurnChanged):
                yield _Reached(change, number, _turn(each, seat))


def _turn(event: TurnChanged, seat: int | None) -> Turn | None:
    return Turn(event.phase, event.deadline_ms) if seat in event.waiting_for else None


def _near_at_ms(turn: Turn | None, turn_ms: int | None) -> int | None:
    """Return when the deadline of a turn is near, None without a deadline."""
    if turn is None or turn.deadline_ms is None or turn_ms is None:
        return None
    return near_at_ms(turn.deadline_ms, turn_ms)


def _your_turn(game: Game, seat: int | None, change: Change, number: int, turn: Turn) -> PlayerEvent:
    kind, status = PlayerEventType.YOUR_TURN, Status.PLAYING
    return PlayerEvent(kind, game.id, change.at_ms, seat, change.version, number, status, turn)


def _event(kind: PlayerEventType, game: Game, seat: int | None, at_ms: int) -> PlayerEvent:
    return PlayerEvent(kind, game.id, at_ms, seat, game.version, game.last_event, game.status)
