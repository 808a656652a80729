"""Requests that read what belongs to a player: charge for the player's games."""

from __future__ import annotations

from functools import partial

from flask import g

from skye_server.http.framework import collaborators
from skye_server.http.rate_limits import charge_own_games


def reading_player() -> str:
    """Return the player of a request that reads what belongs to the player (`middleware.check_request`)."""
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
