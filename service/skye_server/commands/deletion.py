"""Deletion of games that are over, and of everything on a server for testers.

Of a deleted game only the idempotency record of its deletion remains, until that expires: a retry whose first
response was lost must succeed.
"""

from __future__ import annotations

from skye_server.commands.attempts import Command, load_game, new_record
from skye_server.commands.current_games import Games
from skye_server.commands.idempotency import decode_record
from skye_server.error_codes import Problem
from skye_server.games.authorization import require_host
from skye_server.store.commit_retries import MAX_ATTEMPTS, back_off


def delete_game(games: Games, command: Command, game_id: str) -> None:
    """Delete a game that is over, with all that is stored of it.

    :raises Problem: token_required, host_only, game_not_over.
    """
    for number in range(MAX_ATTEMPTS):
        if _was_deleted(games, command, game_id):
            return
        attempt = load_game(games, command, game_id)
        require_host(attempt.caller)
        attempt.check_preconditions(command)
        game = attempt.game
        if not game.is_over:
            raise Problem("game_not_over")
        if games.repository.delete(game, new_record(games, command, attempt)):
            return
        back_off(number)
    raise Problem("too_much_contention")


def _was_deleted(games: Games, command: Command, game_id: str) -> bool:
    """Return whether this request has deleted the game before.

    The name of the record derives from the token, so the caller is the host who sent the request.
    """
    stored, record = games.store.load(game_id, command.record_key)
    return stored is None and record is not None and decode_record(record).digest == command.digest
