"""The collaborators of the routes: built once with the app, and reached in one typed place."""

from __future__ import annotations

from dataclasses import dataclass

from flask import Flask, current_app

from service.observability.metrics import Metrics
from service.usecases.change_notifier import ChangeNotifier
from service.usecases.game_feed import GameFeeds
from service.usecases.games import Games
from service.usecases.open_streams import OpenStreams
from service.usecases.stream_clock import StreamClock

_EXTENSION = "skye"


@dataclass(frozen=True, slots=True)
class Collaborators:
    """What the routes of one app work with.

    :param lab: whether the server is one for testers.
    """

    games: Games
    change_notifier: ChangeNotifier
    feeds: GameFeeds
    stream_clock: StreamClock
    open_streams: OpenStreams
    metrics: Metrics
    lab: bool


def register(app: Flask, collaborators: Collaborators) -> None:
    """Give an app its collaborators."""
    app.extensions[_EXTENSION] = collaborators


def collaborators(app: Flask | None = None) -> Collaborators:
    """Return the collaborators of an app, without one of the current app."""
    found: Collaborators = (app or current_app).extensions[_EXTENSION]
    return found
