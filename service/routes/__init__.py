"""The routes, one module for each resource, in the order of the documentation."""

from service.routes import (
    catalogue,
    docs,
    game_log,
    lab,
    leagues,
    lobby,
    matches,
    me,
    operations,
    play,
    scoring,
    seats,
)

BLUEPRINTS = (
    lobby.blueprint,
    seats.blueprint,
    play.blueprint,
    me.blueprint,
    matches.blueprint,
    game_log.blueprint,
    leagues.blueprint,
    scoring.blueprint,
    catalogue.blueprint,
    docs.blueprint,
    lab.blueprint,
    operations.blueprint,
)
