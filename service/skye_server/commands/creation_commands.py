"""Commands that create games: one, or up to a hundred at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from skye import RuleError
from skye_server.commands.attempts import Attempt, Command, change_game, load_new
from skye_server.commands.current_games import Games
from skye_server.commands.views import (
    CreatedGamesView,
    CreatedGameTokensView,
    CreatedGameView,
    created_view,
)
from skye_server.cooperative_yield import pause
from skye_server.error_codes import FieldError, Problem
from skye_server.games.authorization import TokenSource
from skye_server.games.creation import NewGame, opening_of
from skye_server.games.game import Game
from skye_server.games.transitions import Transition


def create_game(games: Games, command: Command, body: dict[str, Any]) -> Attempt[Game]:
    """Create a game: a new one, or one that begins from a record, a position or a scenario.

    :raises Problem: player_key_only, game_full, color_taken, name_taken, invalid_body, invalid_setup,
        game_not_over, too_many_games.
    :raises RuleError: InvalidRecord, InvalidSetup.
    """
    open_game = opening_of(body)

    def create(new: Attempt[Game | None]) -> Transition:
        return open_game(NewGame(new.game_id, new.tokens, new.now_ms, games.settings.ruleset.id, new.player))

    return change_game(games, command, "", lambda _new: None, create, load=load_new)


def create_games(games: Games, command: Command, bodies: Sequence[dict[str, Any]]) -> CreatedGamesView:
    """Create several games, after checking that all of them can be created.

    Each game is committed separately, under an idempotency key that derives from the key of the command and
    the number of the game: games are in different slots of a cluster, so no commit can write two of them. A
    retry after a failure returns the games that exist and creates the others.

    :raises Problem: what `create_game` raises, with the pointer to the game that cannot be created.
    """
    command.check_key()
    for number, body in enumerate(bodies):
        _check(number, body, NewGame("", TokenSource(), games.now_ms(), games.settings.ruleset.id))
        pause()
    created = (create_game(games, command.part(number), body) for number, body in enumerate(bodies))
    return {"games": [_tokens_of(created_view(new)) for new in created]}


def _tokens_of(created: CreatedGameView) -> CreatedGameTokensView:
    """Return the id of a new game and its tokens, without the game."""
    return {
        "game_id": created["game"]["id"],
        "host_token": created["host_token"],
        "players": created["players"],
        "invitations": created["invitations"],
    }


def _check(number: int, body: dict[str, Any], new: NewGame) -> None:
    """Check that one of several games can be created.

    :raises Problem: what its creation would raise, with pointers to the game.
    """
    try:
        opening_of(body)(new)
    except (Problem, RuleError) as error:
        inner = (
            error.errors if isinstance(error, Problem) and error.errors else [FieldError("", error.detail)]
        )
        errors = [FieldError(f"/games/{number}{fault.place}", fault.detail) for fault in inner]
        problem = Problem(error.code, error.detail, errors=errors)
        problem.params = error.params if isinstance(error, Problem) else error.facts
        raise problem from error
