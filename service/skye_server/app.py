"""The application: builds its parts from the settings and connects them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import partial
from typing import TYPE_CHECKING

from flask import Flask
from werkzeug.middleware.proxy_fix import ProxyFix

from skye_server.commands.current_games import Games
from skye_server.commands.listing import Listing
from skye_server.features import Joined, clock_of, installed
from skye_server.following.change_notifier import ChangeNotifier
from skye_server.following.game_feed import GameFeeds
from skye_server.following.open_streams import OpenStreams
from skye_server.following.stream_clock import StreamClock
from skye_server.http import cors, middleware, problems
from skye_server.http import rate_limits as limits
from skye_server.http.framework import (
    COLLABORATORS,
    Collaborators,
    Host,
    PlainInteger,
    SeatInPath,
)
from skye_server.observability.metrics import Metrics, UncountedMetrics
from skye_server.openapi import Contract
from skye_server.outgoing.challenges import Challenges
from skye_server.outgoing.sender import Sender
from skye_server.outgoing.targets import TargetPolicy
from skye_server.players.player_games import PlayerListing
from skye_server.players.player_history import PlayerHistory
from skye_server.relay import relay
from skye_server.resources import blueprints
from skye_server.settings import Settings
from skye_server.store.outages import SignsOfLife
from skye_server.store.redis_store import RedisStore
from skye_server.store.shared_clock import SharedClock

if TYPE_CHECKING:
    from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

_ADDRESS_WITH_PORT = re.compile(r"(?P<v4>[\d.]+):\d+|\[(?P<v6>[^\]]+)\](?::\d+)?")


def build(settings: Settings, store: RedisStore | None, clock: Callable[[], float] | None) -> Flask:
    """See `skye_server.create_app`."""
    store = store or RedisStore.from_settings(settings)
    clock = clock or SharedClock(store.time)
    app, notifier = _routes(settings, store), ChangeNotifier(store)
    signs = SignsOfLife(store.outages, clock, 1000 * settings.game_ttl_playing_s)
    wsgi_app = _connect(app, settings, store, clock, notifier, signs=signs)
    app.wsgi_app = _behind_proxies(wsgi_app, settings.trusted_proxies)  # type: ignore[assignment,method-assign]  # Flask's own way
    return app


def _routes(settings: Settings, store: RedisStore) -> Flask:
    """Return an application with its routes and hooks, without collaborators."""
    app = Flask("skye_server", static_folder=None, template_folder="docs/templates")
    app.config["MAX_CONTENT_LENGTH"] = settings.max_body_bytes
    app.config["SECURITY_CONTACT"] = settings.security_contact
    app.url_map.converters = app.url_map.converters | {"int": PlainInteger, "seat": SeatInPath}
    app.url_map.merge_slashes = False
    contract = Contract(app)
    for blueprint, description in blueprints(installed()).items():
        if description:
            contract.register(blueprint, description)
        else:
            app.register_blueprint(blueprint)
    problems.register(app)
    for feature in installed():
        feature.register(app, settings)
    middleware.register(app)
    cors.register(app, settings)
    limits.register(app, settings, store)
    app.before_request(middleware.check_request)  # after the limits: what it refuses counts too
    return app


def _connect(  # noqa: PLR0913 - the parts of an application
    app: Flask,
    settings: Settings,
    store: RedisStore,
    clock: Callable[[], float],
    notifier: ChangeNotifier,
    *,
    signs: SignsOfLife,
    is_nested: bool = False,
) -> WSGIApplication:
    """Connect an application with its collaborators; return it with its WSGI middleware.

    :param notifier: reports the changes of this store; it may report those of others too.
    :param signs: those of the server; an application with a clock of its own has no outages.
    :param is_nested: whether the application is below a path of another one, on a store of its own.
    """
    metrics = UncountedMetrics() if is_nested else Metrics()
    if isinstance(clock, SharedClock) and not is_nested:
        clock.on_reading = metrics.clock_read
    has_outages = clock is signs.clock
    games = Games(store, settings, clock_of(settings, store, clock), metrics, signs if has_outages else None)
    open_streams = OpenStreams(settings, metrics)
    stream_clock = StreamClock()
    relay.connected(games)
    feeds = GameFeeds(games, notifier, stream_clock)
    challenges = Challenges(games, Sender(TargetPolicy(settings)))
    routes, connect = partial(_routes, store=store), _nested(notifier, signs)
    joined = _joined(Host(settings, store, clock, games, challenges, notifier, is_nested, routes, connect))
    app.extensions[COLLABORATORS] = Collaborators(
        games=games,
        listing=Listing(store, settings.hidden_names),
        player_listing=PlayerListing(store, games.now_ms),
        player_history=PlayerHistory(store.history, settings, games.now_ms),
        change_notifier=notifier,
        feeds=feeds,
        stream_clock=stream_clock,
        open_streams=open_streams,
        metrics=metrics,
        challenges=challenges,
        features={name: part.collaborator for name, part in joined.items()},
    )
    default_headers, wsgi_app = cors.headers_for_all_origins(settings), app.wsgi_app
    if settings.lab or is_nested:
        default_headers = [*default_headers, middleware.LAB_HEADER]
    for part in joined.values():
        wsgi_app = part.alter(wsgi_app) if part.alter else wsgi_app
    wsgi_app = middleware.Middleware(wsgi_app, metrics, default_headers)
    for part in joined.values():
        wsgi_app = part.wrap(wsgi_app) if part.wrap else wsgi_app
    return wsgi_app


def _joined(host: Host) -> dict[str, Joined]:
    """Return what each feature adds to an application."""
    parts = {feature.name: feature.join(host) for feature in installed() if feature.join is not None}
    return {name: part for name, part in parts.items() if part is not None}


def _nested(notifier: ChangeNotifier, signs: SignsOfLife) -> Callable[..., WSGIApplication]:
    """Return the function `connect` of a `Host`: its applications share notifier and signs of life."""

    def connect(
        app: Flask, settings: Settings, store: RedisStore, clock: Callable[[], float]
    ) -> WSGIApplication:
        return _connect(app, settings, store, clock, notifier, signs=signs, is_nested=True)

    return connect


def _behind_proxies(application: WSGIApplication, number: int) -> WSGIApplication:
    if not number:
        return application
    return ProxyFix(_without_ports(application), x_for=number, x_proto=number, x_host=number)


def _without_ports(application: WSGIApplication) -> WSGIApplication:
    """Remove the port that some proxies, such as Azure's, add to each address of `X-Forwarded-For`."""

    def with_plain_address(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        if found := _ADDRESS_WITH_PORT.fullmatch(environ.get("REMOTE_ADDR", "")):
            environ["REMOTE_ADDR"] = found["v4"] or found["v6"]
        return application(environ, start_response)

    return with_plain_address
