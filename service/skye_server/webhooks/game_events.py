"""The events of a game for its webhooks, derived from its log: those of all seats."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

import msgspec

from skye_server.games.agreements import people_of
from skye_server.games.events import (
    BotTookOver,
    GameStarted,
    PlayerJoined,
    PlayerLeft,
    ProposalMade,
    TakeoverReason,
    TimeAdded,
    TurnChanged,
)
from skye_server.games.game import Change, Game, PublicFrom
from skye_server.games.player_events import (
    PlayerEvent,
    PlayerEventType,
    SeatLeftReason,
    Turn,
    open_turns,
    turn_of,
)
from skye_server.games.public_counters import public_history
from skye_server.games.views.player_events import event_view
from skye_server.store.codec import StoredFormatError

_NO_SEAT: Final = 9
"""In place of a seat in the id of an event."""


DECISION_EVENTS: Final = frozenset({PlayerEventType.YOUR_TURN, PlayerEventType.DEADLINE_NEAR})
"""The types of events that report an open decision."""


class GameCursor(msgspec.Struct, frozen=True):
    """Up to where the events of a game are reported.

    :param turns: the open decisions by seat.
    :param near_ms: by seat: when its deadline is to be reported as near; without the seats for which it was.
    :param full: whether every seat of the lobby is taken.
    """

    last_event: int
    turns: dict[int, Turn] = {}
    near_ms: dict[int, int] = {}
    over: bool = False
    full: bool = False

    @property
    def next_near_ms(self) -> int | None:
        """When the next deadline is near, in milliseconds since 1970; None if none will be."""
        return min(self.near_ms.values(), default=None)


_CURSOR_FORMAT: Final = 1
"""The format of a stored cursor, `FORMAT:{...}`."""

_cursor_decoder = msgspec.json.Decoder(GameCursor)


def encode_cursor(cursor: GameCursor) -> str:
    """Return the text to store for a cursor."""
    return f"{_CURSOR_FORMAT}:{msgspec.json.encode(cursor).decode()}"


def decode_cursor(stored: str) -> GameCursor:
    """Return a stored cursor.

    :raises StoredFormatError: when it is corrupt or of a newer format.
    """
    number, _, body = stored.partition(":")
    if number.isdecimal() and int(number) > _CURSOR_FORMAT:
        raise StoredFormatError(f"a webhook's cursor is stored in format {number}", "data_newer")
    try:
        return _cursor_decoder.decode(body)
    except msgspec.MsgspecError as error:
        raise StoredFormatError(f"a webhook's cursor is corrupt: {error}") from error


class Reported(NamedTuple):
    """Events with their types and the cursor after them."""

    cursor: GameCursor
    events: list[tuple[str, dict[str, Any]]]


def cursor_at(game: Game) -> GameCursor:
    """Return the cursor after all events of a game."""
    turns = open_turns(game.turn)
    times = {seat: turn.near_at_ms(game.options.turn_ms) for seat, turn in turns.items()}
    near_ms = {seat: at_ms for seat, at_ms in times.items() if at_ms is not None}
    return GameCursor(game.last_event, turns, near_ms, game.is_over, game.is_full_lobby)


def report(cursor: GameCursor, game: Game, changes: Sequence[Change], now_ms: int) -> Reported:
    """Return the events of a game after a cursor.

    :param changes: the changes of the game that have events after the cursor.
    """
    events, at = [], cursor
    for change, public in zip(changes, public_history(game, changes), strict=True):
        for number, event in enumerate(change.events, change.first_event):
            if number > cursor.last_event:
                version, shown = public or (change.version, number)
                moment = _Moment(game, version, change.at_ms, shown)
                turns = open_turns(event) if isinstance(event, TurnChanged) else {}
                more = {
                    "proposal": event if isinstance(event, ProposalMade) else None,
                    "reason": _reason(event),
                }
                events += [
                    moment.view(kind, seat, turn=turns.get(seat), **more)
                    for kind, seat in _of(event, at, game)
                ]
                if isinstance(event, TurnChanged | TimeAdded):
                    at = GameCursor(number, open_turns(turn_of(event)))
    if game.is_full_lobby and not cursor.full and changes:
        moment = _Moment(game, game.version, changes[-1].at_ms, game.last_event)
        events.append(moment.view(PlayerEventType.LOBBY_FULL, None))
    if game.is_over and not cursor.over and changes:
        moment = _Moment(game, game.version, changes[-1].at_ms, game.last_event)
        events.append(moment.view(PlayerEventType.GAME_OVER, None))
    after = cursor_at(game) if changes else cursor
    near_ms = {
        seat: at_ms
        for seat, at_ms in after.near_ms.items()
        if after.turns[seat] != cursor.turns.get(seat) or seat in cursor.near_ms
    }
    after = msgspec.structs.replace(after, near_ms=near_ms)
    return _with_near_deadlines(Reported(after, events), game, now_ms)


def is_decision_open(game: Game, changes: Sequence[Change], seat: int, phase: str, last_event: int) -> bool:
    """Return whether the decision of a seat that was open after an event is still open.

    :param phase: the phase after the event.
    :param changes: the changes of the game that have events after the event.
    """
    turns = [
        (event.phase, event.waiting_for)
        for change in changes
        for number, event in enumerate(change.events, change.first_event)
        if number > last_event and isinstance(event, TurnChanged)
    ]
    turns.append((game.state.phase if game.state else None, game.waiting_for))
    return all(each == phase and seat in waiting_for for each, waiting_for in turns)


def _with_near_deadlines(reported: Reported, game: Game, now_ms: int) -> Reported:
    cursor, events = reported
    near = {seat: near_ms for seat, near_ms in cursor.near_ms.items() if near_ms <= now_ms}
    for seat in _people(game, tuple(near)):
        turn = cursor.turns[seat]
        if turn.deadline_ms is not None and now_ms < turn.deadline_ms:
            moment = _Moment(game, game.version, near[seat], game.last_event)
            events = [*events, moment.view(PlayerEventType.DEADLINE_NEAR, seat, turn)]
    later = {seat: near_ms for seat, near_ms in cursor.near_ms.items() if seat not in near}
    return Reported(msgspec.structs.replace(cursor, near_ms=later), events)


def _of(event: object, cursor: GameCursor, game: Game) -> Iterator[tuple[PlayerEventType, int]]:
    match event:
        case PlayerJoined():
            yield PlayerEventType.SEAT_TAKEN, event.seat
        case PlayerLeft():
            yield PlayerEventType.SEAT_LEFT, event.seat
        case GameStarted():
            for seat in _renumbered(event):
                yield PlayerEventType.SEAT_TAKEN, seat
        case BotTookOver(reason=TakeoverReason.RESIGNED):
            yield PlayerEventType.SEAT_LEFT, event.seat
        case ProposalMade():
            for seat in _asked(event, game):
                yield PlayerEventType.PROPOSAL_OPENED, seat
        case TurnChanged():
            for seat in _reached(event, cursor, game):
                yield PlayerEventType.YOUR_TURN, seat


def _reason(event: object) -> SeatLeftReason | None:
    """Return why a player no longer has a seat after an event."""
    match event:
        case PlayerLeft():
            return SeatLeftReason.REMOVED if event.removed else SeatLeftReason.LEFT
        case BotTookOver(reason=TakeoverReason.RESIGNED):
            return SeatLeftReason.RESIGNED
    return None


def _renumbered(event: GameStarted) -> list[int]:
    """Return the seats that had another number in the lobby."""
    return [seat for seat, player in enumerate(event.players) if player.lobby_seat != seat]


def _asked(event: ProposalMade, game: Game) -> list[int]:
    """Return the seats of the people that a proposal asks; none where `_people` returns none."""
    if game.options.public_from is PublicFrom.END:
        return []
    return [seat for seat in people_of(game) if seat != event.seat]


def _reached(event: TurnChanged, cursor: GameCursor, game: Game) -> list[int]:
    """Return the seats of people that have a new decision."""
    turns = open_turns(event)
    return [seat for seat in _people(game, event.waiting_for) if turns[seat] != cursor.turns.get(seat)]


def _people(game: Game, seats: Sequence[int]) -> list[int]:
    """Return the seats of people; none in a game that spectators see at its end, as this host is one."""
    if game.options.public_from is PublicFrom.END:
        return []
    return [seat for seat in seats if not game.seats[seat].bot]


class _Moment(NamedTuple):
    """When events happen: the version and the time of the change, and the number of the event."""

    game: Game
    version: int
    at_ms: int
    number: int

    def view(
        self, kind: PlayerEventType, seat: int | None, turn: Turn | None = None, **more: Any
    ) -> tuple[str, dict[str, Any]]:
        """Return the type of an event, and its view in the form of the events of players.

        :param more: further fields of the event.
        """
        game, version, number = self.game, self.version, self.number
        shown = PlayerEvent(kind, game.id, self.at_ms, seat, version, number, game.status, turn, **more)
        return kind, event_view(f"{self.number}-{_NO_SEAT if seat is None else seat}", shown)
