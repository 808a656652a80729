"""Commands about bots at URLs: bind and release them, and play what they have chosen.

A decision has a name that stays the same until the seat has made it. So a choice is played at most once,
however late it arrives and however often a dispatcher plays it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from typing import Final, NamedTuple

from skye import Move
from skye_server.commands.attempts import Attempt, Command, change_game, decode_record
from skye_server.commands.current_games import Games
from skye_server.error_codes import Problem
from skye_server.games import autoplay, seat_changes
from skye_server.games.authorization import (
    SPECTATOR,
    Caller,
    require_own_seat,
    require_seat,
)
from skye_server.games.due import decision_of
from skye_server.games.game import Game
from skye_server.games.transitions import Transition, make_move

OVERTAKEN: Final = "version_mismatch"
"""The code of the problem that a decision was made already."""


def authorize_bot(game: Game, caller: Caller, seat: int) -> int:
    """Check that a caller may manage the bot at a URL of a seat: its holder, or the host if it never had one.

    :returns: the number of the seat.
    :raises Problem: seat_not_found, token_required, not_your_seat.
    """
    number = require_seat(game, caller, seat)
    taken = game.seats[number]
    if not caller.host or taken.is_held or taken.is_person:
        require_own_seat(game, caller, number)
    return number


def bind_bot(
    games: Games, command: Command, game_id: str, seat: int, url_bot: str
) -> tuple[Attempt[Game], str]:
    """Let a bot at a URL play a seat from now on.

    :param url_bot: the id of the bot, which is stored already.
    :returns: the changed game, and the id of the bot that was replaced: empty without one, and for a retry.
    :raises Problem: seat_not_found, token_required, not_your_seat, game_aborted, game_finished,
        too_many_changes, seat_played_by_bot.
    """
    replaced = ""

    def bind(attempt: Attempt[Game]) -> Transition:
        nonlocal replaced
        number = attempt.seat(seat)
        replaced = attempt.game.seats[number].url_bot
        return seat_changes.set_url_bot(attempt.game, number, url_bot, attempt.now_ms)

    changed = change_game(games, command, game_id, _by_holder_or_host(seat), bind)
    return changed, replaced


def release_bot(games: Games, command: Command, game_id: str, seat: int) -> Attempt[Game]:
    """Let the player of a seat play it again; without a player, a bot of the server does.

    :raises Problem: what `bind_bot` raises except too_many_changes and seat_played_by_bot;
        seat_without_url_bot.
    """

    def release(attempt: Attempt[Game]) -> Transition:
        return seat_changes.release_url_bot(attempt.game, attempt.seat(seat), attempt.now_ms)

    return change_game(games, command, game_id, _by_holder_or_host(seat), release)


def _by_holder_or_host(seat: int) -> Callable[[Attempt[Game]], None]:
    def authorize(attempt: Attempt[Game]) -> None:
        authorize_bot(attempt.game, attempt.caller, seat)

    return authorize


# Decisions.


def seat_of_bot(game: Game, url_bot: str) -> int | None:
    """Return the seat for which a bot at a URL is asked, None for none."""
    seats = (
        number for number, seat in enumerate(game.seats) if seat.asks_url_bot and seat.url_bot == url_bot
    )
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
    """Play the move that a bot has chosen, once. It takes back a seat that the server has taken over.

    :raises Problem: `OVERTAKEN`, too_many_games.
    :raises RuleError: if the move is illegal.
    """

    def play(game: Game, seat: int, now_ms: int) -> Transition:
        back = Transition(game)
        if game.seats[seat].can_return:
            back = seat_changes.return_to_seat(game, seat, now_ms)
        return back.then(make_move(back.game, seat, move, now_ms))

    _decide(games, asked, repr(move), play)


def give_up_decision(games: Games, asked: Asked) -> None:
    """Decide for a bot that has made no decision, as after a missed deadline.

    :raises Problem: what `play_choice` raises.
    """
    _decide(games, asked._replace(key=f"{asked.key} given up"), "", autoplay.after_failure)


def was_played(games: Games, asked: Asked) -> bool:
    """Return whether the move that a bot has chosen was played."""
    return games.store.games.load(asked.game_id, _command(asked, "").record_key)[1] is not None


def _command(asked: Asked, text: str) -> Command:
    """Return a command of a bot; no client has its address."""
    digest = hashlib.sha256(text.encode()).digest()
    return Command(idempotency_key=asked.key, digest=digest, address=f"bot {asked.url_bot}")


def _decide(games: Games, asked: Asked, text: str, change: Callable[[Game, int, int], Transition]) -> None:
    """Change the game for the seat of a bot, if its decision is still open.

    :param text: identifies the change.
    """
    command = _command(asked, text)

    def load(games: Games, command: Command, game_id: str) -> Attempt[Game]:
        stored, stored_record = games.stored.read_with_record(game_id, command.record_key)
        record = None if stored_record is None else decode_record(stored_record)
        game = games.apply_deadlines(stored, acts=True)
        seat = seat_of_bot(game, asked.url_bot)
        caller = SPECTATOR if seat is None else Caller(seat)
        return Attempt(game_id, game, caller, games.time_of(game), record=record)

    def authorize(attempt: Attempt[Game]) -> None:
        if decision_of(attempt.game, attempt.caller.seat) != asked.decision:
            raise Problem(OVERTAKEN)

    def apply(attempt: Attempt[Game]) -> Transition:
        assert attempt.caller.seat is not None
        return change(attempt.game, attempt.caller.seat, attempt.now_ms)

    change_game(games, command, asked.game_id, authorize, apply, load=load)
