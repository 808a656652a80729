"""The lobby: opening a table, taking and leaving seats, starting and aborting.

Every function returns the step it took, or raises a `Problem`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from service.matches.autoplay import hand_to_bot
from service.matches.cooperative_yield import Turn
from service.matches.errors import Problem
from service.matches.match import (
    GameAborted,
    GameCreated,
    GameStarted,
    PlayerJoined,
    PlayerLeft,
    Seat,
    Status,
    Table,
)
from service.matches.transitions import Step, after_move, changed, game_in_play, may_not_undo
from skye import COLORS, PLAYERS, Action, new_game, play_on


def open_table(table: Table, seats: tuple[Seat, ...], now_ms: int) -> Step:
    """Open a new table with the seats that its creator fills, and start if all are and that was asked.

    :raises Problem: game_full, color_taken. :raises RuleError: what `start` raises.
    """
    if len(seats) > table.capacity:
        raise Problem("game_full", f"There are {table.capacity} seats for {len(seats)} players.")
    step = changed(table, now_ms, [GameCreated(table.name)])
    named = {seat.color for seat in seats}
    unnamed = (color for color in COLORS if color not in named)
    for seat in seats:
        seated = replace(seat, color=seat.color or next(unnamed))
        step = step.then(join(step.table, seated, now_ms))
    return step


def join(table: Table, seat: Seat, now_ms: int) -> Step:
    """Seat a player or a bot in the next seat; one without a colour gets the first that is free.

    :raises Problem: game_already_started, game_aborted, too_many_changes, game_full, color_taken.
    """
    _check_in_lobby(table)
    if may_not_undo(table):  # so many have come and gone
        raise Problem("too_many_changes")
    if len(table.seats) >= table.capacity:
        raise Problem("game_full", f"All {table.capacity} seats are taken.")
    taken = {other.color for other in table.seats}
    if seat.color in taken:
        raise Problem("color_taken", f"Another player has {seat.color}.")
    seat = replace(seat, color=seat.color or next(color for color in COLORS if color not in taken))
    joined = PlayerJoined(len(table.seats), seat.name, seat.color, seat.bot)
    step = changed(table, now_ms, [joined], seats=(*table.seats, seat))
    if table.start_when_full and len(step.table.seats) == table.capacity:
        step = step.then(start(step.table, now_ms))
    return step


def replay(step: Step, actions: Sequence[Action], now_ms: int) -> Step:
    """Play recorded actions at a table where the game has just begun.

    :raises RuleError: InvalidRecord, with the number of the action that breaks a rule, from 1.
    """
    if not actions:
        return step
    turn = Turn()
    for outcome in play_on(game_in_play(step.table), actions):
        step = step.then(after_move(step.table, outcome, now_ms))
        turn.pass_on()
    return step


def leave(table: Table, seat: int, now_ms: int) -> Step:
    """Leave the lobby, which moves later seats up by one; or resign a game, and a bot plays on.

    :raises Problem: game_aborted, game_finished, seat_played_by_bot.
    """
    if table.status is Status.LOBBY:
        seats = (*table.seats[:seat], *table.seats[seat + 1 :])
        return changed(table, now_ms, [PlayerLeft(seat)], seats=seats)
    if game_in_play(table).is_over:
        raise Problem("game_over")
    if table.seats[seat].bot:
        raise Problem("seat_played_by_bot")
    return hand_to_bot(table, seat, "resigned", now_ms)


def start(table: Table, now_ms: int) -> Step:
    """Close the lobby and begin the game.

    :raises Problem: game_already_started, game_aborted, too_few_players.
    :raises RuleError: InvalidSetup, when the options name a starting seat that nobody has taken.
    """
    _check_in_lobby(table)
    if len(table.seats) < PLAYERS[0]:
        raise Problem("too_few_players", f"{len(table.seats)} of at least {PLAYERS[0]} players are seated.")
    colors = [seat.color for seat in table.seats]
    game, events = new_game(colors, table.options.seed, table.options.for_engine)
    started = GameStarted(game.scoring_tiles, game.starting_seat, game.rounds)
    return changed(table, now_ms, [started, *events], game=game, status=Status.PLAYING)


def abort(table: Table, now_ms: int) -> Step:
    """End a game that is not over, without a result.

    :raises Problem: game_aborted, game_over.
    """
    if table.status is Status.ABORTED:
        raise Problem("game_aborted")
    if table.status is Status.FINISHED:
        raise Problem("game_over")
    return changed(table, now_ms, [GameAborted()], status=Status.ABORTED)


def _check_in_lobby(table: Table) -> None:
    if table.status is Status.ABORTED:
        raise Problem("game_aborted")
    if table.status is not Status.LOBBY:
        raise Problem("game_already_started")
