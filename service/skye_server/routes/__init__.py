"""The routes, one module for each resource (those of one game in `game`), in the order of the documents."""

from skye_server.routes import catalogue, docs, exports, hunts, lab, matchmaking, me, operations, webhooks
from skye_server.routes.game import bots, control, history, play, scoring, seats

BLUEPRINTS = (
    control.blueprint,
    seats.blueprint,
    play.blueprint,
    bots.blueprint,
    me.blueprint,
    webhooks.blueprint,
    matchmaking.blueprint,
    history.blueprint,
    exports.blueprint,
    scoring.blueprint,
    catalogue.blueprint,
    docs.blueprint,
    lab.blueprint,
    hunts.blueprint,
    operations.blueprint,
)
