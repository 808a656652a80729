"""Requests with a player key: authenticate the player, and charge for the player's games."""

from __future__ import annotations

from functools import partial

from service.web.collaborators import collaborators
from service.web.rate_limits import charge_active_games
from service.web.request_parsing import bearer_token


def charged_player() -> str:
    """Return the player of a request about all active games of the player, and charge for them.

    :raises Problem: player_key_required, token_unknown, too_many_requests, store_unavailable,
        game_unreadable.
    """
    games = collaborators().games
    player = games.identities.require_player(bearer_token())
    charge_active_games(partial(games.players.count_active, player))
    return player
