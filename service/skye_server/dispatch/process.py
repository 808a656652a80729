"""The process of a dispatcher, with a handler for each kind of entry in the due queue.

gevent has patched the standard library before this module is imported.
"""

from __future__ import annotations

import logging.config
import os
import signal
from collections.abc import Mapping
from contextlib import suppress
from functools import partial

import click
import gevent

from skye_server.commands.current_games import Games
from skye_server.dispatch.dispatcher import Dispatcher
from skye_server.error_codes import Problem
from skye_server.features import Handler, clock_of, installed
from skye_server.games.due import Due, next_attention_ms
from skye_server.observability import logs, worker_metrics
from skye_server.observability.readiness import readiness
from skye_server.redis_url import MEMORY_URL
from skye_server.relay.relay import Relay, connected
from skye_server.settings import Settings, SettingsError
from skye_server.store.outages import SignsOfLife
from skye_server.store.redis_store import RedisStore
from skye_server.store.shared_clock import SharedClock


def dispatcher(games: Games) -> Dispatcher:
    """Return the dispatcher of some games; their commits are relayed from now on."""
    return Dispatcher(games, handlers(games, connected(games)))


def main(metrics_of: str | None = None) -> int:
    """Dispatch until a signal stops the process; return its exit code.

    :param metrics_of: the owner of the files in which this process counts; without it, it serves its metrics.
    """
    if metrics_of is not None:
        worker_metrics.count_as(metrics_of)
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
    with suppress(Problem):  # a Redis that does not respond may come later
        if refusal := store.claim_layout():
            click.echo(f"{refusal}.", err=True)
            return 1
    shared = SharedClock(store.time)
    signs = SignsOfLife(store.outages, shared, 1000 * settings.game_ttl_playing_s)
    games = Games(store, settings, clock_of(settings, store, shared), signs=signs)
    shared.on_reading = games.metrics.clock_read
    if settings.dispatch_bind is not None and metrics_of is None:
        try:
            games.metrics.serve(settings.dispatch_bind)
        except OSError as error:
            address = settings.dispatch_bind
            click.echo(f"Cannot listen at {address}: {error.strerror}. Set SKYE_DISPATCH_BIND.", err=True)
            return 1
    signs.start(gives_signs=False)
    running = dispatcher(games)
    for number in (signal.SIGTERM, signal.SIGINT):
        gevent.signal_handler(number, running.stop)
    readiness()()
    running.run()
    os._exit(0)  # at its end the interpreter would wait for the threads of requests that hang


def handlers(games: Games, relay: Relay) -> Mapping[str, Handler]:
    """Return the handler of each kind of work."""
    of_features = [feature.handlers(games) for feature in installed()]
    own = {
        "game": Handler(partial(attend_game, games), 32),
        "relay": Handler(relay.attend, 32),
        "parked": Handler(relay.attend_parked, 4),
    }
    return {kind: handler for part in (own, *of_features) for kind, handler in part.items()}


def attend_game(games: Games, game_id: str) -> int | None:
    """Apply the missed deadline of a game, or delete a game whose time is over."""
    found, left_ms = games.stored.find_to_attend(game_id)
    if found is None:  # it has expired while no dispatcher lived: lists may name it still
        games.store.due.add(Due("relay", game_id, games.now_ms()))
        return None
    if left_ms <= 0:
        games.stored.delete(found, None)
        return None
    game, now_ms = games.apply_deadlines(found), games.now_ms()
    due_ms, wait_ms = next_attention_ms(game, now_ms + left_ms), games.wait_ms(game)
    return due_ms if wait_ms is None else max(due_ms, now_ms + min(wait_ms, left_ms))
