"""The reports of rounds as a caller may see them, and the purchase of a seat in it."""

from __future__ import annotations

from collections.abc import Iterable

from skye import GameState, views
from skye.events import Event
from skye.positions import RecordedDraws, draws_of
from skye.views import RoundPurchaseView, RoundView
from skye_server.games.authorization import Caller
from skye_server.games.events import GameStarted, HostedEvent, PositionSet
from skye_server.games.game import Change, Game
from skye_server.games.transitions import state_begun


def round_view(game: Game, caller: Caller, changes: Iterable[Change], number: int) -> RoundView | None:
    """Return the report of a round, None if it has not begun, or was before the position of the game.

    :param changes: all changes of the game.
    :raises Problem: game_not_started.
    """
    changes = list(changes)
    events, begun = engine_events(changes), beginning(changes)
    return views.round_view(state_begun(game), caller.seat, events, number, begun)


def rounds_view(game: Game, caller: Caller, changes: Iterable[Change]) -> list[RoundView]:
    """Return the reports of the rounds that have begun, from that of the position of the game, if any."""
    if game.state is None:
        return []
    changes = list(changes)
    reports = (round_view(game, caller, changes, number) for number in range(1, game.state.round + 1))
    return [report for report in reports if report is not None]


def purchase_of(game: Game, caller: Caller, changes: Iterable[Change], seat: int) -> RoundPurchaseView | None:
    """Return the purchase or pass of a seat in the current round, None if it has made none yet."""
    if game.state is None:
        return None
    report = round_view(game, caller, changes, game.state.round)
    return None if report is None else report["players"][seat]["purchase"]


def beginning(changes: Iterable[Change]) -> GameState | None:
    """Return the position that a game began from, None for a game that began from the start."""
    started = (event for change in changes for event in change.events if isinstance(event, PositionSet))
    return next((event.state for event in started), None)


def draws_in(changes: Iterable[Change]) -> RecordedDraws:
    """Return what was drawn in a game that has started, as its log has it."""
    events = [event for change in changes for event in change.events]
    started = next(event for event in events if isinstance(event, GameStarted))
    drawn = [event for event in events if not isinstance(event, HostedEvent)]
    return draws_of(started.scoring_tiles, started.starting_seat, drawn)


def engine_events(changes: Iterable[Change]) -> list[Event]:
    """Return the events of the engine, without those of the hosted game."""
    return [event for change in changes for event in change.events if not isinstance(event, HostedEvent)]
