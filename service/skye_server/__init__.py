"""The service: games of Isle of Skye over HTTP, stored in Redis."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from flask import Flask

    from skye_server.settings import Settings
    from skye_server.store.redis_store import RedisStore


def create_app(
    settings: Settings,
    store: RedisStore | None = None,
    clock: Callable[[], float] | None = None,
) -> Flask:
    """Build the application.

    `store` stores the games, by default in the Redis that `settings.redis_url` names. `clock` returns seconds
    since 1970, for deadlines and events, by default by the clock of Redis.
    """
    from skye_server.app import build  # noqa: PLC0415 - the launcher and gunicorn's master load none of it

    return build(settings, store, clock)
