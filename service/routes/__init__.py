"""The routes, one module for each resource, in the order of the documentation."""

from service.routes import catalogue, docs, lab, leagues, lobby, matches, me, operations, play, scoring, seats
from service.routes import game_log as history

BLUEPRINTS = (
    lobby.blueprint,
    seats.blueprint,
    play.blueprint,
    me.blueprint,
    matches.blueprint,
    history.blueprint,
    leagues.blueprint,
    scoring.blueprint,
    catalogue.blueprint,
    docs.blueprint,
    lab.blueprint,
    operations.blueprint,
)
