"""Requests that read what belongs to a player: charge for the player's games."""

from __future__ import annotations

from functools import partial

from flask import g

from skye_server.http.framework import collaborators
from skye_server.http.rate_limits import charge_own_games
from skye_server.http.request_parsing import bearer_token


def reading_player() -> str:
    """Return the player of a request that reads what belongs to the player.

    :raises Problem: what `require_player` raises.
    """
    if "player" not in g:
        g.player = collaborators().games.identities.require_player(bearer_token())
    player: str = g.player
    return player


def charged_player(*, active: bool = True) -> str:
    """Return the player of a request that reads all games of the player, and charge for them.

    :param active: whether the request reads only games that are not over.
    :raises Problem: too_many_requests, store_unavailable.
    """
    games, player = collaborators().games, reading_player()
    charge_own_games(partial(games.players.count_games, player, active=active))
    return player
