"""The resources of the API, a module for each: its requests, responses and routes."""

from __future__ import annotations

from collections.abc import Iterable

from flask import Blueprint

from skye_server.features import Feature
from skye_server.resources import (
    agreements,
    catalogue,
    control,
    docs,
    games,
    history,
    leagues,
    lobby,
    me,
    operations,
    past_games,
    play,
    scoring,
    seats,
    web_client,
)

_lobby = Blueprint("Lobby", __name__)
_lobby.register_blueprint(games.blueprint)
_lobby.register_blueprint(lobby.blueprint)
_lobby.register_blueprint(control.blueprint)
_lobby.register_blueprint(agreements.blueprint)


def blueprints(features: Iterable[Feature]) -> dict[Blueprint, str]:
    """Return the blueprints of a server with some features, each with the description of its operations.

    Those without a description are no part of the contract.
    """
    found = {
        _lobby: "Create, find, join and start games.",
        seats.blueprint: "Get the seats, and parts of one.",
        play.blueprint: "List legal actions and make moves: set prices, buy, build.",
        me.blueprint: "The games and events of a player key.",
        past_games.blueprint: "The finished games of a player key, which outlive the games, and statistics.",
        history.blueprint: "Events, reports, records and positions.",
        leagues.blueprint: "Many games at once.",
        scoring.blueprint: "Points, areas, and the effect of placements.",
        catalogue.blueprint: "Tiles, scoring tiles, scenarios and bots.",
        docs.blueprint: "The guide, and this document.",
    }
    for feature in features:
        found |= feature.blueprints()
    return found | {operations.blueprint: "Health and metrics of the service.", web_client.blueprint: ""}
