"""Commands about bots at URLs: bind and release them, and play what they have chosen.

A decision has a name that stays the same until the seat has made it. So a choice is played at most once,
however late it arrives and however often a dispatcher plays it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import partial
from typing import Final, NamedTuple

from skye import Move
from skye_server.commands.attempts import Command, Loaded, change_game, run
from skye_server.commands.current_games import Games
from skye_server.commands.game_commands import CommandResult, changed_game, result_of
from skye_server.commands.idempotency import decode_record
from skye_server.contract.responses.changes import TakenSeatView, TimedGameView
from skye_server.error_codes import Problem
from skye_server.games import autoplay, seat_changes
from skye_server.games.authorization import (
    SPECTATOR,
    Caller,
    TokenSource,
    require_own_seat,
    require_seat,
)
from skye_server.games.due import decision_of
from skye_server.games.game import Game
from skye_server.games.transitions import Transition, make_move

OVERTAKEN: Final = "version_mismatch"
"""The code of the problem that a decision was made already."""


def authorize_bot(game: Game, caller: Caller, seat: int) -> int:
    """Check that a caller may manage the bot at a URL of a seat: its holder, or the host if it has none.

    :returns: the number of the seat.
    :raises Problem: seat_not_found, token_required, not_your_seat.
    """
    number = require_seat(game, caller, seat)
    if not caller.host or game.seats[number].is_held:
        require_own_seat(game, caller, number)
    return number


def bind_bot(
    games: Games, command: Command, game_id: str, seat: int, url_bot: str
) -> tuple[CommandResult[TakenSeatView], str]:
    """Let a bot at a URL play a seat from now on.

    :param url_bot: the id of the bot, which is stored already.
    :returns: the result, and the id of the bot that was replaced: empty without one, and for a retry.
    :raises Problem: seat_not_found, token_required, not_your_seat, game_aborted, game_finished,
        too_many_changes, seat_played_by_bot.
    """
    replaced = ""

    def bind(loaded: Loaded[Game]) -> Transition:
        nonlocal replaced
        number = loaded.seat(seat)
        replaced = loaded.game.seats[number].url_bot
        return seat_changes.set_url_bot(loaded.game, number, url_bot, loaded.now_ms)

    committed = change_game(games, command, game_id, partial(_authorize, seat), bind)
    number = require_seat(committed.game, committed.caller, seat)
    view: TakenSeatView = {"seat": number, "token": None, "secret": None, "game": committed.game_view()}
    return result_of(committed, view), replaced


def release_bot(games: Games, command: Command, game_id: str, seat: int) -> CommandResult[TimedGameView]:
    """Let the player of a seat play it again; without a player, a bot of the server does.

    :raises Problem: what `bind_bot` raises except seat_played_by_bot; seat_without_url_bot.
    """

    def release(loaded: Loaded[Game]) -> Transition:
        return seat_changes.release_url_bot(loaded.game, loaded.seat(seat), loaded.now_ms)

    return changed_game(games, command, game_id, partial(_authorize, seat), release)


def _authorize(seat: int, loaded: Loaded[Game]) -> None:
    authorize_bot(loaded.game, loaded.caller, seat)


# Decisions.


def seat_of_bot(game: Game, url_bot: str) -> int | None:
    """Return the seat that a bot at a URL plays, None if it plays none."""
    seats = (number for number, seat in enumerate(game.seats) if seat.has_url_bot and seat.url_bot == url_bot)
    return next(seats, None)


class Asked(NamedTuple):
    """A decision for which a bot at a URL was asked.

    :param decision: its name.
    :param key: identifies the question.
    """

    game_id: str
    url_bot: str
    decision: str
    key: str


def play_choice(games: Games, asked: Asked, move: Move) -> None:
    """Play the move that a bot has chosen, once.

    :raises Problem: `OVERTAKEN`, too_many_games.
    :raises RuleError: if the move is illegal.
    """
    _decide(games, asked, repr(move), lambda game, seat, now_ms: make_move(game, seat, move, now_ms))


def give_up_decision(games: Games, asked: Asked) -> None:
    """Do what `on_timeout` of the game says, as the bot has made no decision.

    :raises Problem: what `play_choice` raises.
    """
    _decide(games, asked._replace(key=f"{asked.key} given up"), "", autoplay.after_timeout)


def was_played(games: Games, asked: Asked) -> bool:
    """Return whether the move that a bot has chosen was played."""
    return games.store.load(asked.game_id, _command(asked, "").record_key)[1] is not None


def _command(asked: Asked, text: str) -> Command:
    """Return a command of a bot; no client has its address."""
    digest = hashlib.sha256(text.encode()).digest()
    return Command(idempotency_key=asked.key, digest=digest, address=f"bot {asked.url_bot}")


def _decide(games: Games, asked: Asked, text: str, change: Callable[[Game, int, int], Transition]) -> None:
    """Change the game for the seat of a bot, if its decision is still open.

    :param text: identifies the change.
    """
    command = _command(asked, text)

    def load() -> Loaded[Game]:
        stored, stored_record = games.store.load(asked.game_id, command.record_key)
        record = None if stored_record is None else decode_record(stored_record)
        game = games.apply_deadlines(games.repository.decoded(asked.game_id, stored))
        seat = seat_of_bot(game, asked.url_bot)
        caller = SPECTATOR if seat is None else Caller(seat)
        now_ms = games.time_of(game)
        return Loaded(asked.game_id, game, caller, "", lambda _: caller, TokenSource(), now_ms, None, record)

    def authorize(loaded: Loaded[Game]) -> None:
        if decision_of(loaded.game, loaded.caller.seat) != asked.decision:
            raise Problem(OVERTAKEN)

    def apply(loaded: Loaded[Game]) -> Transition:
        assert loaded.caller.seat is not None
        return change(loaded.game, loaded.caller.seat, loaded.now_ms)

    run(games, command, load, authorize, apply)
