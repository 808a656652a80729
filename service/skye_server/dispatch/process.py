"""The process of a dispatcher. gevent has patched the standard library before this module is imported."""

from __future__ import annotations

import logging.config
import os
import signal
import time

import click
import gevent

from skye_server.commands.current_games import Games
from skye_server.commands.laboratory import Laboratory
from skye_server.dispatch.dispatcher import Dispatcher
from skye_server.dispatch.handlers import handlers
from skye_server.observability import logs
from skye_server.settings import MEMORY_URL, Settings, SettingsError
from skye_server.storage.redis_store import RedisStore


def dispatcher(games: Games) -> Dispatcher:
    """Return the dispatcher of some games."""
    return Dispatcher(games, handlers(games))


def main() -> int:
    """Dispatch until a signal stops the process; return its exit code."""
    try:
        settings = Settings.from_environment(os.environ)
    except SettingsError as error:
        click.echo(f"These settings cannot be used:\n{error}", err=True)
        return 2
    if settings.redis_url in {None, MEMORY_URL}:
        click.echo("SKYE_REDIS_URL is not set: name the Redis that stores the games.", err=True)
        return 2
    logging.config.dictConfig(logs.configuration(settings.log_level))
    store = RedisStore.from_settings(settings)
    if warning := store.too_old():
        click.echo(f"{warning}.", err=True)
        return 1
    clock = Laboratory(store, time.time).time if settings.lab else time.time
    running = dispatcher(Games(store, settings, clock))
    for number in (signal.SIGTERM, signal.SIGINT):
        gevent.signal_handler(number, running.stop)
    running.run()
    return 0
