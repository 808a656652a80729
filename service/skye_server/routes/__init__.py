"""The routes, one module for each resource (those of one game in `game`), in the order of the documents."""

from skye_server.routes import catalogue, docs, exports, hunts, lab, matchmaking, me, operations, webhooks
from skye_server.routes.game import bots, control, history, play, scoring, seats

BLUEPRINTS = {
    control.blueprint: "Create, find, join and start games.",
    seats.blueprint: "Get the seats, and parts of one.",
    play.blueprint: "List legal actions and make moves: set prices, buy, build.",
    bots.blueprint: "Let a program at a URL play a seat: the server sends it each decision.",
    me.blueprint: "The games and events of a player key.",
    webhooks.blueprint: "Signed requests that report events to a URL (Standard Webhooks 1.0).",
    matchmaking.blueprint: "Tickets of player keys that wait for opponents.",
    history.blueprint: "Events, reports, records and positions.",
    exports.blueprint: "Many games at once.",
    scoring.blueprint: "Points, areas, and the effect of placements.",
    catalogue.blueprint: "Tiles, scoring tiles, scenarios and bots.",
    docs.blueprint: "The guide, and this document.",
    lab.blueprint: "For testers, only on servers with `SKYE_LAB=on`: injected faults, a clock that can be "
    "advanced, and deletion of all games. Every response of such a server has the header `Skye-Lab: on`.",
    hunts.blueprint: "For those who practise API testing, only on servers with `SKYE_LAB=on`: an API with "
    "known defects, reports of them, and a score. `GET /docs/hunts` is a guide.",
    operations.blueprint: "Health and metrics of the service.",
}
"""The blueprints, each with the description of its operations."""
