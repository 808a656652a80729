"""What the service adds to Flask: the collaborators of the routes, and seats in paths."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from flask import Flask, current_app
from werkzeug.routing import IntegerConverter

from skye_server.commands.current_games import Games
from skye_server.commands.listing import Listing
from skye_server.commands.url_bots import NoUrlBots
from skye_server.following.change_notifier import ChangeNotifier
from skye_server.following.game_feed import GameFeeds
from skye_server.following.open_streams import OpenStreams
from skye_server.following.stream_clock import StreamClock
from skye_server.games.authorization import OWN_SEAT
from skye_server.observability.metrics import Metrics
from skye_server.outgoing.challenges import Challenges
from skye_server.players.player_games import PlayerListing
from skye_server.players.player_history import PlayerHistory
from skye_server.settings import Settings
from skye_server.store.redis_store import RedisStore

if TYPE_CHECKING:
    from wsgiref.types import WSGIApplication

COLLABORATORS: Final = "skye"
"""The name of the collaborators among the extensions of an app."""


@dataclass(frozen=True, slots=True)
class Collaborators:
    """The objects that the routes of one app use.

    :param challenges: sends challenges to URLs, for the features that need them.
    :param features: what each feature has added to this application, by the feature's name.
    """

    games: Games
    listing: Listing
    player_listing: PlayerListing
    player_history: PlayerHistory
    change_notifier: ChangeNotifier
    feeds: GameFeeds
    stream_clock: StreamClock
    open_streams: OpenStreams
    metrics: Metrics
    challenges: Challenges
    features: Mapping[str, Any]


def collaborators(app: Flask | None = None) -> Collaborators:
    """Return the collaborators of an app, by default of the current app."""
    found: Collaborators = (app or current_app).extensions[COLLABORATORS]
    return found


def feature(name: str) -> Any:
    """Return what a feature has added to the current application, None if nothing."""
    return collaborators().features.get(name)


def url_bots() -> NoUrlBots:
    """Return the bots at URLs of the current application."""
    return feature("url_bots") or NoUrlBots()


@dataclass(frozen=True, slots=True)
class Host:
    """What a feature gets of the application that it joins.

    :param clock: the real clock, in seconds since 1970.
    :param games: the games of the application, by its own clock.
    :param challenges: those of the collaborators; so is `change_notifier`.
    :param is_nested: whether it is an application below a path of another one.
    :param routes: builds an application below a path of this one, with routes and without collaborators.
    :param connect: connects a copy of it with a store and a clock.
    """

    settings: Settings
    store: RedisStore
    clock: Callable[[], float]
    games: Games
    challenges: Challenges
    change_notifier: ChangeNotifier
    is_nested: bool
    routes: Callable[[Settings], Flask]
    connect: Callable[[Flask, Settings, RedisStore, Callable[[], float]], WSGIApplication]


class PlainInteger(IntegerConverter):
    """An integer in a path without leading zeros; otherwise one seat would have many URLs."""

    regex = "(?:0|[1-9][0-9]*)"


class SeatInPath(PlainInteger):
    """A seat in a path: its number, or `me` for the seat that the token acts for."""

    regex = "(?:me|0|[1-9][0-9]*)"

    def to_python(self, value: str) -> int:
        """Return the number of the seat, `OWN_SEAT` for `me`."""
        return OWN_SEAT if value == "me" else int(super().to_python(value))
