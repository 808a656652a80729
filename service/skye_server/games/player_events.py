"""The events of a player, derived from the event logs of the player's games.

The events of one game follow from its log, the time, and a small state, `FollowedGame`: they are the same in
every process.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

import msgspec

from skye import Phase
from skye.words import Word
from skye_server.games.agreements import people_of
from skye_server.games.authorization import identify_player, players_of, resigned_seat_of
from skye_server.games.events import PlayerLeft, ProposalMade, SeatClock, TimeAdded, TurnChanged
from skye_server.games.game import Change, Counters, Game, Status
from skye_server.games.public_counters import is_public
from skye_server.games.takeover_requests import ASKED_MS

_MAX_LEAD_MS: Final = 3_600_000
_LEAD_SHARE: Final = 4
"""A deadline is near in the last quarter of the time for a decision, and not before its last hour."""


class PlayerEventType(Word):
    """The types of a player's events."""

    SEAT_TAKEN = "seat_taken", "a player has a seat, or its number has changed."
    YOUR_TURN = "your_turn", "the game waits for a decision."
    DEADLINE_NEAR = "deadline_near", "it is still open shortly before its deadline."
    PROPOSAL_OPENED = "proposal_opened", "others propose to end or pause the game."
    LOBBY_FULL = "lobby_full", "every seat of the lobby is taken: its host can start the game."
    SEAT_LEFT = "seat_left", "a player no longer has a role in the game."
    GAME_OVER = "game_over", "the game is finished or aborted."
    TICKET_EXPIRED = "ticket_expired", "there were not enough players for a matchmaking ticket."
    WEBHOOK_DISABLED = "webhook_disabled", "another webhook has failed for five days."


class SeatLeftReason(Word):
    """Why a player no longer has a role in a game."""

    LEFT = "left", "the player has left the lobby."
    REMOVED = "removed", "the host has removed the player from the lobby."
    RESIGNED = "resigned", "the player has resigned."
    EXPIRED = "expired", "the game has expired, or the operator has deleted it."


class BotMessageType(Word):
    """The types of the messages to a bot at a URL."""

    DECISION = "decision", "the seat of a bot at a URL must decide."


class Turn(NamedTuple):
    """An open decision of a seat, with the clock of the seat if it has one."""

    phase: Phase | None
    deadline_ms: int | None
    clock: SeatClock | None = None

    def near_at_ms(self, turn_ms: int | None) -> int | None:
        """Return when the deadline is near, in milliseconds since 1970; None without a deadline.

        :param turn_ms: the time for each decision; with a clock, the time is what it allows. Without both
            another player has asked for the decision, and its deadline is near at once.
        """
        if self.deadline_ms is None:
            return None
        if self.clock is not None and self.clock.runs_out_ms is not None:
            turn_ms = self.deadline_ms - self.clock.runs_out_ms + self.clock.remaining_ms
        if turn_ms is None:
            return self.deadline_ms - ASKED_MS
        return self.deadline_ms - min(turn_ms // _LEAD_SHARE, _MAX_LEAD_MS)


def open_turns(turn: TurnChanged) -> dict[int, Turn]:
    """Return the open decisions of a turn by seat."""
    return {seat: Turn(turn.phase, turn.deadline_of(seat), turn.clock_of(seat)) for seat in turn.waiting_for}


def turn_of(event: TurnChanged | TimeAdded) -> TurnChanged:
    """Return the turn after an event that changes it, or its times."""
    return event.turn if isinstance(event, TimeAdded) else event


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
    :param proposal: the proposal of others that the event is about.
    :param reason: why the player no longer has a role in the game.
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
    proposal: ProposalMade | None = None
    reason: SeatLeftReason | None = None


class FollowedGame(msgspec.Struct, array_like=True, frozen=True):
    """The state up to which the events of a game have been derived for one player.

    :param since_ms: when the game last changed for the player.
    :param turn: the open decision of the player's seat.
    :param near_at_ms: when the deadline of the open decision is to be reported as near; None once it was, and
        with a manual clock: its changes show whether a deadline is near.
    :param full: whether the player is the host of a lobby whose seats are all taken.
    :param public: the counters of a hidden game that the player hosts without a seat.
    """

    since_ms: int = 0
    version: int = 0
    last_event: int = 0
    seat: int | None = None
    turn: Turn | None = None
    near_at_ms: int | None = None
    over: bool = False
    full: bool = False
    public: Counters | None = None


class Derived(NamedTuple):
    """The state after some changes, None to remove it, and the events of these changes."""

    state: FollowedGame | None
    events: tuple[PlayerEvent, ...] = ()


class _Reached(NamedTuple):
    """The turn after a change, the number of the event, and the decision of the seat if it is open.

    :param is_new: whether the turn has changed; after an outage only its times have.
    """

    change: Change
    number: int
    turn: Turn | None
    is_new: bool = True


def derive(
    player: str, state: FollowedGame | None, game: Game, changes: Sequence[Change], now_ms: int
) -> Derived:
    """Derive the player's events of the changes after those that `state` includes.

    :param state: None before the first change in which the player has a role.
    :param changes: the changes of the game that have events after `state.last_event`.
    """
    caller = identify_player(game, player)
    if caller is None:
        return _without_role_in(game, player, state, changes, now_ms)
    state = state or FollowedGame()
    seat, public = caller.seat, None if caller.in_game(game).sees_content else game.public
    seen = changes if public is None else [change for change in changes if is_public(change)]
    at_ms = seen[-1].at_ms if seen else state.since_ms
    events = []
    if seat not in (None, state.seat):  # the start of a game closes the gaps of its lobby
        events.append(_event(PlayerEventType.SEAT_TAKEN, game, seat, at_ms))
    is_full = caller.host and game.is_full_lobby
    if is_full and not state.full:
        events.append(_event(PlayerEventType.LOBBY_FULL, game, seat, at_ms))
    turn, moved = state.turn, [*_proposals(state, game, seat, changes)]
    acting = None if seat is None or game.seats[seat].bot else seat
    for change, number, reached, is_new in _turns(state, game, acting, changes, now_ms):
        if is_new and reached is not None and reached != turn:
            moved.append(_your_turn(game, seat, change, number, reached))
        turn = reached
    events += sorted(moved, key=lambda event: event.last_event)
    if game.is_over:
        turn = None
        if not state.over:
            events.append(_event(PlayerEventType.GAME_OVER, game, seat, at_ms))
    near_ms = None if turn is None else turn.near_at_ms(game.options.turn_ms)
    after = FollowedGame(at_ms, game.version, game.last_event, seat, turn, over=game.is_over, full=is_full)
    after = msgspec.structs.replace(after, public=public)
    if game.clock_ms is None:
        near_ms = state.near_at_ms if turn == state.turn else near_ms
        after = msgspec.structs.replace(after, near_at_ms=near_ms)
        return _with_near_deadline(Derived(after, tuple(events)), game.id, now_ms)
    if near_ms is not None and near_ms <= game.clock_ms and (turn != state.turn or state.since_ms < near_ms):
        events.append(_deadline_near(after, game.id, near_ms))
    return Derived(after, tuple(events))


def _without_role_in(
    game: Game, player: str, state: FollowedGame | None, changes: Sequence[Change], now_ms: int
) -> Derived:
    """Report that the player has no role in a game any more; after a resignation the game counts as over."""
    if resigned_seat_of(game, player) is None:
        return without_role(state, game.id, now_ms, _reason(state, changes))
    left = without_role(state, game.id, now_ms, SeatLeftReason.RESIGNED)
    since_ms = state.since_ms if state is not None and state.over else now_ms
    return Derived(FollowedGame(since_ms, game.version, game.last_event, over=True), left.events)


def _reason(state: FollowedGame | None, changes: Sequence[Change]) -> SeatLeftReason:
    """Return why a player has no role in a game that is there, and from which the player has not resigned.

    The log does not say it if the store has lost the change that gave the player the seat: the player did not
    leave then.
    """
    seat = None if state is None else state.seat
    events = [event for change in changes for event in change.events]
    left = [event for event in events if isinstance(event, PlayerLeft) and event.seat == seat]
    return SeatLeftReason.LEFT if left and not left[-1].removed else SeatLeftReason.REMOVED


def without_role(
    state: FollowedGame | None, game_id: str, now_ms: int, reason: SeatLeftReason = SeatLeftReason.EXPIRED
) -> Derived:
    """Report that the player has no role in a game any more, by default because the game is gone."""
    if state is None:
        return Derived(None)
    version, last_event = state.public or (state.version, state.last_event)
    kind = PlayerEventType.SEAT_LEFT
    event = PlayerEvent(kind, game_id, now_ms, state.seat, version, last_event, None, reason=reason)
    return Derived(None, () if state.over else (event,))


def _with_near_deadline(derived: Derived, game_id: str, now_ms: int) -> Derived:
    state, events = derived
    if state is None or state.turn is None or state.near_at_ms is None or now_ms < state.near_at_ms:
        return derived
    deadline_ms = state.turn.deadline_ms
    near = () if deadline_ms is None or now_ms >= deadline_ms else (_deadline_near(state, game_id, now_ms),)
    return Derived(msgspec.structs.replace(state, near_at_ms=None), (*events, *near))


def _deadline_near(state: FollowedGame, game_id: str, at_ms: int) -> PlayerEvent:
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


def concerned_players(before: Game | None, after: Game) -> frozenset[str]:
    """Return the players for whom a commit can cause events.

    By the role, the turn, a proposal, the end, or because the host can start the game.
    """
    return frozenset(
        player
        for player in players_of(before) | players_of(after)
        if before is None or _position(before, player) != _position(after, player)
    )


def _position(game: Game, player: str) -> tuple[object, ...]:
    caller = identify_player(game, player)
    proposal = None if game.proposal is None else (game.proposal.kind, game.proposal.expires_ms)
    is_full = caller is not None and caller.host and game.is_full_lobby
    if caller is None or game.state is None or caller.seat not in game.waiting_for:
        return caller, game.is_over, proposal, is_full
    deadline_ms = game.turn.deadline_of(caller.seat)
    return caller, game.is_over, proposal, game.state.round, game.state.phase, deadline_ms, game.clock_ms


def _turns(
    state: FollowedGame, game: Game, seat: int | None, changes: Sequence[Change], now_ms: int
) -> Iterator[_Reached]:
    """Yield the turns after those that `state` includes.

    A state that is ahead of the game comes from commits that the store has lost: the game decides the turn.
    """
    if state.last_event > game.last_event:
        change = Change(game.version, now_ms, game.last_event, (game.turn,))
        yield _Reached(change, game.last_event, _turn(game.turn, seat))
        return
    for change in changes:
        for number, each in enumerate(change.events, change.first_event):
            if number > state.last_event and isinstance(each, TurnChanged | TimeAdded):
                is_new, now = isinstance(each, TurnChanged), turn_of(each)
                yield _Reached(change, number, _turn(now, seat), is_new)


def _proposals(
    state: FollowedGame, game: Game, seat: int | None, changes: Sequence[Change]
) -> Iterator[PlayerEvent]:
    """Yield the proposals of others after the events that `state` includes, for a seat that must agree."""
    for change in changes if seat in people_of(game) else ():
        for number, each in enumerate(change.events, change.first_event):
            if number > state.last_event and isinstance(each, ProposalMade) and each.seat != seat:
                kind, version = PlayerEventType.PROPOSAL_OPENED, change.version
                yield PlayerEvent(
                    kind, game.id, change.at_ms, seat, version, number, Status.PLAYING, proposal=each
                )


def _turn(event: TurnChanged, seat: int | None) -> Turn | None:
    return None if seat is None else open_turns(event).get(seat)


def _your_turn(game: Game, seat: int | None, change: Change, number: int, turn: Turn) -> PlayerEvent:
    kind, status = PlayerEventType.YOUR_TURN, Status.PLAYING
    return PlayerEvent(kind, game.id, change.at_ms, seat, change.version, number, status, turn)


def _event(kind: PlayerEventType, game: Game, seat: int | None, at_ms: int) -> PlayerEvent:
    return PlayerEvent(kind, game.id, at_ms, seat, game.version, game.last_event, game.status)
