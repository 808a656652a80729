"""The settings of the service: one table, read once from the environment and frozen.

Each field of `Settings` is one row: the variable is `SKYE_` and the field's name in capitals, and the row
has its default, as in the environment, and its meaning. `table()` returns them as the table of
`deploy/README.md`.
"""

import difflib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from skye_server import setting_parsers as parsers
from skye_server.redis_url import MEMORY_URL
from skye_server.redis_url import parse as parse_redis_url
from skye_server.setting_parsers import Address, Network

if TYPE_CHECKING:
    from skye.rulesets import Ruleset

PREFIX = "SKYE_"
DAY_S = 24 * 60 * 60

RENEWAL_S = 3 * DAY_S
"""How often what is stored of the players of a game in play is renewed."""

_LOG_LEVELS = ("debug", "info", "warning", "error")
_FSYNC_POLICIES = ("everysec", "always")

T = TypeVar("T")


class SettingsError(Exception):
    """The environment contains invalid values; the message names all of them."""


_LOOPBACK = Address("127.0.0.1", 0)


def _setting(default: str, parser: Callable[[str], T], meaning: str, *, secret: bool = False) -> T:
    """Return the field of one row, with its default as text, the parser of the text, and its meaning."""
    metadata = {"default": default, "parser": parser, "meaning": meaning}
    described: T = field(default=parser(default), repr=not secret, metadata=metadata)
    return described


_expiry = parsers.whole(1, 10 * 365 * DAY_S)


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """All settings with their defaults."""

    redis_url: str | None = _setting(
        "",
        parsers.redis_url,
        "URL of the Redis that stores the games: one server, Sentinel or a cluster. Without it `make serve` "
        "starts an embedded one; with `memory://` the games are in one process and are lost with it",
        secret=True,
    )
    bind: Address = _setting(
        "127.0.0.1:8000",
        parsers.address,
        "address of the API; port 0 chooses a free one. At an address that other hosts reach, the server "
        "wants a proxy (`SKYE_TRUSTED_PROXIES`) or `SKYE_BIND_DIRECTLY=on`",
    )
    bind_directly: bool = _setting(
        "off",
        parsers.switch,
        "with `on`, other hosts may reach the server without a proxy: nothing is encrypted, and a client "
        "that opens many connections ends those of others that are idle or slow",
    )
    health_bind: Address | None = _setting(
        "",
        parsers.optional_address,
        "address of a separate listener for `/healthz`, `/readyz` and `/metrics`, whose connections clients "
        "cannot use up; without it they are served at `SKYE_BIND` only",
    )
    data_dir: Path = _setting(
        "",
        parsers.folder,
        "data folder of the embedded Redis; by default `skye-server` in the data folder of the user, with "
        "`make serve` the folder `data` of the checkout",
    )
    appendfsync: str = _setting(
        "everysec",
        parsers.one_of(*_FSYNC_POLICIES),
        "when the embedded Redis calls `fsync`: `everysec` may lose one second of play if the machine fails, "
        "`always` loses nothing",
    )
    workers: int = _setting(
        "auto", parsers.workers, "number of worker processes; `auto`: the number of cores, from 2 to 4"
    )
    dispatchers: int = _setting(
        "1",
        parsers.whole(0, 64),
        "number of dispatchers that `make serve` starts; elsewhere `skye-server dispatch` is one. Without "
        "any, missed deadlines are applied by the next request for their game",
    )
    dispatch_bind: Address | None = _setting(
        "",
        parsers.optional_address,
        "address at which `skye-server dispatch` serves `/metrics`; those of dispatchers that `make serve` "
        "starts are in the metrics of its API",
    )
    log_level: str = _setting(
        "warning", parsers.one_of(*_LOG_LEVELS), f"minimum level of log lines: {', '.join(_LOG_LEVELS)}"
    )
    redis_timeout_ms: int = _setting("2000", parsers.whole(1, 60_000), "timeout of one call of Redis")
    redis_wait_ms: int = _setting(
        "5000",
        parsers.whole(0, 60_000),
        "retry budget of a request while Redis is unavailable or elects a master: no call of Redis begins "
        "after this time, and the response is 503",
    )
    redis_replicas: int = _setting(
        "0",
        parsers.whole(0, 10),
        "number of replicas that must acknowledge a change (WAIT); with fewer the response is 503. Set it to "
        "the number of replicas of each master: with less, a failover can lose acknowledged changes",
    )
    redis_reserve_percent: int = _setting(
        "25",
        parsers.whole(0, 90),
        "percent of the `maxmemory` of Redis that games in play have for themselves: while less is free, new "
        "games, rematches, tickets and webhooks get 503, until 5 % more is free; 0: none",
    )
    max_body_bytes: int = _setting(
        "262144", parsers.whole(1024, 2**30), "maximum size of a request body; larger ones get 413"
    )
    cors_origins: tuple[str, ...] = _setting(
        "*",
        parsers.origins,
        "web origins whose pages may call the API (CORS), separated by commas; `*`: all. At a loopback "
        "address with `SKYE_WEBHOOKS_PRIVATE` or `SKYE_LAB`, without `SKYE_TRUSTED_PROXIES`, `*` means those "
        "of loopback, and requests that name another origin or `Host` than these are refused",
    )
    limits: bool | None = _setting(
        "auto",
        parsers.automatic_switch,
        "rate limits; `auto`: `on` where other hosts reach the server, that is behind proxies and at another "
        "address than one of loopback, unless it is a lab. 0 in one of the following settings means no limit",
    )
    limit_requests_per_minute: int = _setting(
        "3000",
        parsers.whole(0, 1_000_000),
        "maximum number of requests of an address in a minute, with all its tokens; more get 429",
    )
    limit_games_per_minute: int = _setting(
        "30",
        parsers.whole(0, 1_000_000),
        "maximum number of games that an address creates in a minute; more get 429",
    )
    limit_stored_kb_per_day: int = _setting(
        "20000",
        parsers.whole(0, 1_000_000_000),
        "maximum number of kilobytes that an address has stored in a day, by fixed weights (`GET "
        "/docs/limits`); an IPv6 /48 may have eight times as much; more get 429",
    )
    limit_stored_exempt: tuple[Network, ...] = _setting(
        "",
        parsers.networks,
        "networks whose addresses may have any number stored, separated by commas, such as that of a school "
        "or an arena, or of skye-mcp, whose users have one address",
    )
    limit_games_per_key: int = _setting(
        "1000",
        parsers.whole(0, 1_000_000),
        "maximum number of games that are not over in which a player key has a role; more get 409",
    )
    limit_streams: int = _setting(
        "20",
        parsers.whole(0, 1_000_000),
        "maximum number of open event streams and long polls of a token, or of an address without one, in "
        "each worker; more get 429",
    )
    limit_streams_per_address: int = _setting(
        "200",
        parsers.whole(0, 1_000_000),
        "maximum number of open event streams and long polls of an address with all its tokens, in each "
        "worker; more get 429",
    )
    trusted_proxies: int = _setting(
        "0",
        parsers.whole(0, 10),
        "number of trusted proxies in front of the server: the number of entries of `X-Forwarded-For`, "
        "`X-Forwarded-Proto` and `X-Forwarded-Host` that it uses; the proxies must set them",
    )
    hidden_names: tuple[str, ...] = _setting(
        "",
        parsers.words,
        "words, separated by commas: a game is in no public list if its name or the name of a player has one "
        "of them, in any case. `skye-server games` and `players` delete games and block players",
    )
    security_contact: str = _setting(
        "",
        parsers.contact,
        "where to report vulnerabilities, as in `mailto:security@example.org`: published at "
        "`/.well-known/security.txt` (RFC 9116)",
    )
    webhooks_http: bool = _setting(
        "off",
        parsers.switch,
        "whether webhooks may have URLs of `http`, without TLS. `make serve` at a loopback address sets this "
        "and the next setting to `on`, and the one after it to `*`, unless they are set, or "
        "`SKYE_TRUSTED_PROXIES` or `SKYE_LIMITS` is",
    )
    webhooks_private: bool = _setting(
        "off",
        parsers.switch,
        "whether webhooks may be at addresses of this machine and of private networks; with `on`, "
        "anyone who may use the API can make the server send requests to them",
    )
    webhooks_ports: tuple[int, ...] = _setting(
        "80,443,8080,8443", parsers.ports, "ports that webhooks may use, separated by commas; `*`: all"
    )
    ruleset_file: "Ruleset | None" = _setting(
        "",
        parsers.ruleset_file,
        "file that corrects tiles or tables of rounds of the base game (see `GET /docs/rules`); new games "
        "then have the ruleset `base+` and eight digits",
    )
    lab: bool = _setting(
        "off",
        parsers.switch,
        "functions for testers: with `on`, requests can inject faults (`Skye-Fault`), and anyone can "
        "inject them into the requests of others, advance the clock, and delete all games (`/v1/lab`). "
        "Refused together with settings of production: `SKYE_LIMITS=on`, `SKYE_TRUSTED_PROXIES`, "
        "`SKYE_REDIS_REPLICAS`, and Sentinel or a cluster as `SKYE_REDIS_URL`; and at an address that other "
        "hosts reach, unless `SKYE_LAB_PUBLIC=on`",
    )
    lab_public: bool = _setting(
        "off", parsers.switch, "with `on`, `SKYE_LAB=on` may be used at an address that other hosts reach"
    )
    game_ttl_lobby_s: int = _setting(
        str(7 * DAY_S), _expiry, "time that a game in its lobby is stored after its last change"
    )
    game_ttl_playing_s: int = _setting(
        str(30 * DAY_S), _expiry, "time that a game in play is stored after its last change"
    )
    game_ttl_finished_s: int = _setting(str(30 * DAY_S), _expiry, "time that a finished game is stored")
    game_ttl_aborted_s: int = _setting(str(DAY_S), _expiry, "time that an aborted game is stored")
    history_ttl_s: int = _setting(
        str(10 * 365 * DAY_S),
        _expiry,
        "time that the history of a player key has a finished game, also after the game has expired; the "
        "statistics of the key are stored for this time after its last finished game",
    )
    idempotency_ttl_s: int = _setting(
        "3600",
        _expiry,
        "time that the response to an `Idempotency-Key` is replayed, for the latest 64 keys of each game",
    )

    @property
    def ruleset(self) -> "Ruleset":
        """The ruleset of new games that name none."""
        from skye.rulesets import BASE  # noqa: PLC0415 - the launcher loads no part of the application

        return self.ruleset_file or BASE

    @property
    def is_limited(self) -> bool:
        """Whether there are rate limits."""
        if self.limits is None:
            return not self.lab and (self.trusted_proxies > 0 or not self.bind.is_loopback)
        return self.limits

    @property
    def max_game_ttl_s(self) -> int:
        """How long a game that was not aborted is stored at most after its last change, in seconds."""
        return max(self.game_ttl_lobby_s, self.game_ttl_playing_s, self.game_ttl_finished_s)

    @property
    def player_ttl_s(self) -> int:
        """How long what is stored of a player is kept after the relay of a game of the player, in seconds.

        Longer than any game: so a player with one game only learns that it has expired, also if dispatchers
        delete it a day later, and if only others have changed it since the last but one renewal.
        """
        return self.max_game_ttl_s + 2 * DAY_S + 2 * RENEWAL_S

    @property
    def is_local(self) -> bool:
        """Whether only pages and programs of this machine may call the API.

        They can make the server send requests to this machine and its networks, or change all of it; so could
        a page of anybody, which the browser of a developer shows.
        """
        is_powerful = self.webhooks_private or self.lab
        return is_powerful and self.bind.is_loopback and not self.trusted_proxies

    @property
    def allows_all_origins(self) -> bool:
        """Whether pages of all origins may call the API."""
        return "*" in self.cors_origins and not self.is_local

    def allows_origin(self, origin: str | None) -> bool:
        """Return whether pages of an origin may call the API."""
        if origin is None or origin in self.cors_origins or self.allows_all_origins:
            return origin is not None
        scheme, _, host = origin.partition("://")
        return self.is_local and scheme in {"http", "https"} and parsers.is_loopback_host(host)

    def allows_host(self, host: str | None) -> bool:
        """Return whether a request may have a `Host`: a name of another site can lead to this machine.

        That is DNS rebinding, by which a page of that site would be of the same origin.
        """
        if not self.is_local or not host or parsers.is_loopback_host(host):
            return True
        return any(origin.partition("://")[2].lower() == host.lower() for origin in self.cors_origins)

    def refusal(self, address: Address) -> str | None:
        """Return why the API may not be served at an address, None if it may."""
        if address.is_loopback:
            return None
        if self.lab:
            return None if self.lab_public else f"SKYE_LAB=on: not at {address}, unless SKYE_LAB_PUBLIC=on"
        if self.trusted_proxies or self.bind_directly:
            return None
        return (
            f"Other hosts reach {address}, where no proxy encrypts connections and limits them. Set "
            "SKYE_TRUSTED_PROXIES to the number of proxies in front of the server (deploy/README.md has "
            "examples), or SKYE_BIND_DIRECTLY=on to do without."
        )

    def warnings(self, address: Address) -> list[str]:
        """Return the risks that the settings allow at an address of the API."""
        found = []
        if self.history_ttl_s < self.game_ttl_finished_s:
            found.append("SKYE_HISTORY_TTL_S is less than SKYE_GAME_TTL_FINISHED_S: games outlive histories.")
        if self.lab:
            found.append("SKYE_LAB is on: anyone can inject faults, advance the clock and delete all games.")
        elif self.trusted_proxies or not address.is_loopback:
            if not self.trusted_proxies:
                found.append("SKYE_BIND_DIRECTLY is on: nothing is encrypted or limited by a proxy.")
            if not self.is_limited:
                found.append("SKYE_LIMITS is off: one client can use up the server.")
        return found

    @classmethod
    def from_environment(cls, environ: Mapping[str, str]) -> "Settings":
        """Read the settings from environment variables; missing and empty ones have their defaults.

        :raises SettingsError: with every variable whose value is invalid.
        """
        values: dict[str, Any] = {}
        problems = []
        for row in fields(cls):
            text = environ.get(_variable(row.name), "").strip()
            try:
                if text:
                    values[row.name] = row.metadata["parser"](text)
            except ValueError as error:
                shown = "(not shown)" if not row.repr else repr(text)
                problems.append(f"{_variable(row.name)}={shown}: {error}")
        if values.get("redis_replicas") and values.get("redis_url") in (None, MEMORY_URL):
            wanted = f"{_variable('redis_replicas')}={values['redis_replicas']}"
            problems.append(
                f"{wanted}: the embedded server has no replicas; set SKYE_REDIS_URL to a Redis with replicas"
            )
        if (health := values.get("health_bind")) and health.port == values.get("bind", cls().bind).port:
            problems.append(
                f"{_variable('health_bind')}={health}: {_variable('bind')} has that port; want another port"
            )
        if values.get("lab"):
            problems += _production_errors(values)
        if problems:
            raise SettingsError("\n".join(problems))
        return cls(**values)


def _production_errors(values: Mapping[str, Any]) -> list[str]:
    """Return an error for each setting of production, with which `SKYE_LAB` is refused."""
    url = values.get("redis_url")
    is_replicated = url not in (None, MEMORY_URL) and parse_redis_url(url or "").form != "single"
    found = {
        "limits": (values.get("limits"), "the server is public"),
        "trusted_proxies": (values.get("trusted_proxies"), "the server is behind a proxy"),
        "redis_replicas": (values.get("redis_replicas"), "the games are replicated"),
        "redis_url": (is_replicated, "the games are replicated"),
        "bind": (
            not values.get("lab_public") and not values.get("bind", _LOOPBACK).is_loopback,
            "other hosts reach the server; SKYE_LAB_PUBLIC=on allows it",
        ),
    }
    return [
        f"{_variable('lab')}=on: not with {_variable(name)}: {reason}"
        for name, (is_set, reason) in found.items()
        if is_set
    ]


def unknown_variables(environ: Mapping[str, str]) -> list[str]:
    """Return a warning for each unknown `SKYE_` variable, with the most similar setting."""
    known = [row.name.upper() for row in fields(Settings)]
    unknown = sorted(name for name in environ if name.startswith(PREFIX))
    unknown = [name for name in unknown if name.removeprefix(PREFIX) not in known]
    lines = []
    for name in unknown:
        near = difflib.get_close_matches(name.removeprefix(PREFIX), known, n=1)
        hint = f"did you mean {PREFIX}{near[0]}?" if near else "`skye-server settings` lists them"
        lines.append(f"{name} is not a setting: {hint}")
    return lines


def table() -> str:
    """Return the settings as a table in Markdown."""
    lines = ["| variable | default | meaning |", "|---|---|---|"]
    for row in fields(Settings):
        default = f"`{row.metadata['default']}`" if row.metadata["default"] else ""
        lines.append(f"| `{_variable(row.name)}` | {default} | {row.metadata['meaning']} |")
    return "\n".join(lines)


def _variable(name: str) -> str:
    return PREFIX + name.upper()
