"""Requests with a player key: authenticate the player, and charge for the player's games."""

from __future__ import annotations

from functools import partial

from skye_server.http.framework import collaborators
from skye_server.http.rate_limits import charge_own_games
from skye_server.http.request_parsing import bearer_token


def charged_player(*, active: bool = True) -> str:
    """Return the player of a request about all games of the player, and charge for them.

    :param active: whether the request reads only games that are not over.
    :raises Problem: player_key_required, token_unknown, too_many_requests, store_unavailable, data_corrupt,
        data_newer.
    """
    games = collaborators().games
    player = games.identities.require_player(bearer_token())
    charge_own_games(partial(games.players.count_games, player, active=active))
    return player
