"""The features that a server can do without, each in a folder or a distribution of its own.

`FEATURES` lists those of this distribution: to remove one, delete its folder and its line, and run
`make openapi`. Other distributions add theirs with an entry point of the group `skye_server.plugins`; such a
plug-in is part of every server where it is installed. A feature is described by a `Feature`, whose functions
import the rest of its code: the module that defines it imports this module only, because most modules of the
server depend on what the features add.

No feature imports another. `skye_server.outgoing`, below webhooks and bots at URLs, is what both need to send
requests to URLs of clients; it is no feature, and adds nothing to a server by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib import import_module
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any, Final, NamedTuple

FEATURES: Final = (
    "skye_server.matchmaking.feature",
    "skye_server.ladder.feature",
    "skye_server.webhooks.feature",
    "skye_server.url_bots.feature",
    "skye_server.lab.feature",
)
"""The modules of the features of this distribution; each defines `FEATURE`."""

PLUGINS: Final = "skye_server.plugins"
"""The group of the entry points of features of other distributions; each names a `Feature`."""


class ErrorCode(NamedTuple):
    """The HTTP status and the meaning of an error code, in one sentence."""

    status: int
    meaning: str


class Handler(NamedTuple):
    """How due work of one kind is handled.

    :param handle: takes the id of an entry, and returns when it is due again, in milliseconds since 1970;
        None drops the entry. It may be called without a cause, and again after a crash.
    :param parallel: how many entries one process handles at once.
    """

    handle: Callable[[str], int | None]
    parallel: int


class Gauge(NamedTuple):
    """A metric that the store reports.

    :param read: gets the `Games` of the server, and returns the value.
    """

    meaning: str
    read: Callable[[Any], int]


class Pairing(NamedTuple):
    """How a feature chooses which matchmaking tickets play together, and what their game is.

    :param admit: gets the player and the address of the request, and returns what the ticket notes.
    :param choose: gets a ticket, then others that wait with it, the oldest first, each as its id, player,
        note and the time from which it waits, in milliseconds since 1970; the number of seats, and the time.
        Returns the ids of those that play with the ticket, and its own, or None.
    :param begin: gets for each seat of a game the player and the note of the ticket; returns the names of the
        players and the fields of the game. It may be called again for the same game.
    :param look_ms: how often the waiting tickets are looked at, in milliseconds.
    """

    admit: Callable[[str, str], bytes]
    choose: Callable[[Sequence[tuple[str, str, bytes, int]], int, int], Sequence[str] | None]
    begin: Callable[[Sequence[tuple[str, bytes]]], tuple[Sequence[str], Mapping[str, Any]]]
    look_ms: int


class Joined(NamedTuple):
    """What a feature adds to one application.

    :param collaborator: the object that the feature's routes use; see `skye_server.http.framework.feature`.
    :param wrap: returns the WSGI application with what the feature puts around it.
    :param alter: likewise, between Flask and the middleware that counts responses and adds headers.
    """

    collaborator: Any
    wrap: Callable[[Any], Any] | None = None
    alter: Callable[[Any], Any] | None = None


def _nothing(*_: Any) -> tuple[()]:
    return ()


def _same_clock(_settings: Any, _store: Any, clock: Callable[[], float]) -> Callable[[], float]:
    return clock


def _no_fields(*_: Any) -> Mapping[str, Any]:
    return {}


def _no_pairing(_games: Any, _criteria: Mapping[str, Any]) -> None:
    return None


def _no_handlers(_: Any) -> Mapping[str, Handler]:
    return {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Feature:
    """What a feature adds to the server.

    :param errors: its error codes.
    :param index: its paths in the index of the API by name; its `fields` have them too.
    :param pages: its pages of the guide, each with the package whose folder has the Markdown.
    :param parts: those of `pages` that are no page but the end of one, each with the name of that page.
    :param enumerations: the modules of its enumerations (`skye_server.contract.enums`).
    :param parameters: the parameters of its paths by their names, each with its description and its schema.
    :param schemas: its components, as `SCHEMAS` of `skye_server.openapi.components`.
    :param lines: returns the lines of its NDJSON responses: by the name of the component its description, and
        its forms, TypedDicts that differ in their `type`.
    :param security_schemes: its security schemes, likewise.
    :param examples: the file of its recorded examples.
    :param blueprints: returns its blueprints, each with the description of its operations; those without a
        description are no part of the contract.
    :param register: gets an application and its settings, and registers hooks that come before those of the
        core.
    :param clock: gets the settings, a store, and the real clock in seconds since 1970; returns the clock of
        the server.
    :param join: gets the `skye_server.http.framework.Host` of an application, and returns what it adds to it;
        None adds nothing.
    :param due_kinds: the kinds of its entries in the due queue, in the order of their `handlers`.
    :param handlers: gets the `Games` of a dispatcher, and returns a handler for each of these kinds.
    :param gauges: its metrics by their names.
    :param fields: returns the fields that it adds to objects of the API, by the names of their components: a
        type for each field of a response, a field of marshmallow for each of a request.
    :param sent: returns the requests that it sends, as `skye_server.openapi.sent_requests.Sent`.
    :param key_replaced: called in the request that replaces the key of a player, with the player and the
        body; returns its fields of the response.
    :param host_token_replaced: called in the request that replaces the host token of a game, with the id of
        the game; likewise.
    :param game_deleted: gets a store and a game that is deleted, and deletes what belongs to the game.
    :param counts_of_player: gets a store and a player; returns how much it stores of the player, by name.
    :param player_deleted: gets a store and a player who is deleted, and deletes what belongs to the player.
    :param set_name_blocked: gets a store, a public name and whether it is blocked; takes the name from the
        player who has it, or lets it be claimed again. None: it has no names. Raises ValueError if no player
        can have the name.
    :param pairing: gets the `Games` of a server and the criteria of a matchmaking ticket: `ruleset`, `seats`,
        `options`, and `more`, the fields that features add to the request. Returns how tickets with these
        criteria are paired; None if the oldest play together. It may refuse the criteria with a problem.
    :param pairing_errors: the codes of problems with which it refuses tickets, beside `invalid_body`.
    :param consumers: its consumers of the relay by name. Each gets a store, its settings and the clock in
        milliseconds since 1970; returns a function that the relay calls with the subject of each commit
        (`relay.consumers`), and that returns whether no other process has written a later version.
    :param rebuild: gets a store, the owner and the kind of a stored key, and the time in milliseconds; yields
        the due entries that follow from the key.
    """

    name: str
    errors: Mapping[str, ErrorCode] = field(default_factory=dict)
    index: Mapping[str, str] = field(default_factory=dict)
    pages: Mapping[str, str] = field(default_factory=dict)
    parts: Mapping[str, str] = field(default_factory=dict)
    enumerations: Sequence[str] = ()
    parameters: Mapping[str, tuple[str, dict[str, Any]]] = field(default_factory=dict)
    schemas: Mapping[str, dict[str, Any]] = field(default_factory=dict)
    lines: Callable[[], Mapping[str, tuple[str, Sequence[type]]]] = dict
    security_schemes: Mapping[str, dict[str, Any]] = field(default_factory=dict)
    examples: Path | None = None
    blueprints: Callable[[], Mapping[Any, str]] = dict
    register: Callable[[Any, Any], object] = _nothing
    clock: Callable[[Any, Any, Callable[[], float]], Callable[[], float]] = _same_clock
    join: Callable[[Any], Joined | None] | None = None
    due_kinds: tuple[str, ...] = ()
    handlers: Callable[[Any], Mapping[str, Handler]] = _no_handlers
    gauges: Mapping[str, Gauge] = field(default_factory=dict)
    fields: Callable[[], Mapping[str, Mapping[str, Any]]] = dict
    sent: Callable[[], Sequence[Any]] = tuple
    key_replaced: Callable[[str, Mapping[str, Any]], Mapping[str, Any]] = _no_fields
    host_token_replaced: Callable[[str], Mapping[str, Any]] = _no_fields
    game_deleted: Callable[[Any, Any], object] = _nothing
    counts_of_player: Callable[[Any, str], Mapping[str, int]] = _no_fields
    player_deleted: Callable[[Any, str], object] = _nothing
    set_name_blocked: Callable[[Any, str, bool], object] | None = None
    pairing: Callable[[Any, Mapping[str, Any]], Pairing | None] = _no_pairing
    pairing_errors: tuple[str, ...] = ()
    consumers: Mapping[str, Callable[[Any, Any, Callable[[], int]], Callable[[Any], bool]]] = field(
        default_factory=dict
    )
    rebuild: Callable[[Any, str, str, int], Iterable[Any]] = _nothing


@cache
def installed() -> tuple[Feature, ...]:
    """Return the features of this server: those of this distribution, then the plug-ins by their names."""
    own: list[Feature] = [import_module(module).FEATURE for module in FEATURES]
    plugins = sorted(entry_points(group=PLUGINS), key=lambda point: point.name)
    return (*own, *(point.load() for point in plugins))


def clock_of(settings: Any, store: Any, clock: Callable[[], float]) -> Callable[[], float]:
    """Return the clock of a server, by its real clock; both in seconds since 1970."""
    for feature in installed():
        clock = feature.clock(settings, store, clock)
    return clock


def fields_of(component: str) -> dict[str, Any]:
    """Return the fields that features add to a component."""
    return {
        name: added for feature in installed() for name, added in feature.fields().get(component, {}).items()
    }


def merged(part: str) -> dict[str, Any]:
    """Return the mappings that all features have as one attribute, such as `errors`, as one mapping."""
    return {name: value for feature in installed() for name, value in getattr(feature, part).items()}
