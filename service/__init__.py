"""The service: games of Isle of Skye over HTTP, kept in Redis."""

from __future__ import annotations

import time
from collections.abc import Callable

from flask import Flask

from service import cors, problems
from service.contract import Contract
from service.games import Games
from service.routes import BLUEPRINTS
from service.settings import Settings
from service.store import RedisStore, Store
from service.streams import Bell


def create_app(
    settings: Settings, store: Store | None = None, clock: Callable[[], float] = time.time
) -> Flask:
    """Build the application.

    `store` is where games are kept, by default what `settings.redis_url` names. `clock` returns seconds
    since 1970; deadlines hold by it.
    """
    app = Flask(__name__, static_folder=None)
    app.config["MAX_CONTENT_LENGTH"] = settings.max_body_bytes
    app.url_map.strict_slashes = False
    app.url_map.merge_slashes = False
    store = store or RedisStore.from_settings(settings)
    app.extensions["skye-games"] = Games(store, settings, clock)
    app.extensions["skye-bell"] = Bell(store)
    contract = Contract(app)
    for blueprint in BLUEPRINTS:
        contract.register_blueprint(blueprint)
    problems.register(app)
    cors.register(app, settings.cors_origins)
    return app
