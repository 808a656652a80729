"""The routes, one module for each resource, in the order in which the documentation shows them."""

from service.routes import catalogue, docs, history, lobby, operations, play, scoring

BLUEPRINTS = (
    lobby.blueprint,
    play.blueprint,
    history.blueprint,
    scoring.blueprint,
    catalogue.blueprint,
    docs.blueprint,
    operations.blueprint,
)
