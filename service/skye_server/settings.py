"""The settings of the service: one table, read once from the environment and frozen.

Each field of `Settings` is one row: the variable is `SKYE_` and the field's name in capitals, and the row
has its default, as in the environment, and its meaning. `table()` returns them as the table of
`deploy/README.md`.
"""

import difflib
import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from ipaddress import ip_address
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from platformdirs import user_data_path

from skye_server.redis_url import parse as parse_redis_url

PREFIX = "SKYE_"
MEMORY_URL = "memory://"
"""The `redis_url` that stores the games in the memory of one process (fakeredis), and loses them with it."""

LAB_WARNING = "SKYE_LAB is on: anyone can inject faults, advance the clock and delete all games."

DAY_S = 24 * 60 * 60

_LOG_LEVELS = ("debug", "info", "warning", "error")
_FSYNC_POLICIES = ("everysec", "always")

T = TypeVar("T")


class SettingsError(Exception):
    """The environment contains invalid values; the message names all of them."""


class Address(NamedTuple):
    """The host and the port at which a server listens."""

    host: str
    port: int

    def __str__(self) -> str:
        """Return the address as in a URL, with an IPv6 host in brackets."""
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"

    @property
    def is_loopback(self) -> bool:
        """Whether only clients on this host reach the address."""
        try:
            return ip_address(self.host).is_loopback
        except ValueError:
            return self.host == "localhost"

    @property
    def reachable(self) -> "Address":
        """The address for clients on this host: the loopback address if the server listens on all."""
        return self._replace(host={"0.0.0.0": "127.0.0.1", "::": "::1"}.get(self.host, self.host))  # noqa: S104 - compared, not bound


_LOOPBACK = Address("127.0.0.1", 0)


def _setting(default: str, parse: Callable[[str], T], meaning: str, *, secret: bool = False) -> T:
    """Return the field of one row, with its default as text, the parser of the text, and its meaning."""
    metadata = {"default": default, "parse": parse, "meaning": meaning}
    described: T = field(default=parse(default), repr=not secret, metadata=metadata)
    return described


def parse_address(text: str) -> Address:
    """Return the address of a text.

    :raises ValueError: when it is not a host and a port.
    """
    found = re.fullmatch(r"(?:\[([0-9a-fA-F:.]+)\]|([^:\s/]+)):(\d{1,5})", text)
    if not found or int(found[3]) > 65535:
        raise ValueError("want host:port, such as 127.0.0.1:8000 or [::1]:8000")
    return Address(found[1] or found[2], int(found[3]))


def _optional_address(text: str) -> Address | None:
    address = parse_address(text) if text else None
    if address and not address.port:
        raise ValueError("want a port other than 0")
    return address


def _redis_url(text: str) -> str | None:
    if not text:
        return None
    if text == MEMORY_URL:
        return text
    parse_redis_url(text)
    return text


def _folder(text: str) -> Path:
    try:
        return Path(text).expanduser().absolute() if text else user_data_path("skye-server", appauthor=False)
    except RuntimeError as error:  # a user without a home folder, as in a container or a unit of systemd
        if text:
            raise ValueError("there is no home folder: want a path without ~") from error
        return Path("/var/lib/skye-server")


def _whole(minimum: int, maximum: int) -> Callable[[str], int]:
    def parse(text: str) -> int:
        if not re.fullmatch(r"\d{1,12}", text) or not minimum <= int(text) <= maximum:
            raise ValueError(f"want a whole number from {minimum} to {maximum}")
        return int(text)

    return parse


def _workers(text: str) -> int:
    if text == "auto":
        return max(2, min(4, os.cpu_count() or 1))
    return _whole(1, 256)(text)


def _one_of(*choices: str) -> Callable[[str], str]:
    def parse(text: str) -> str:
        if text.lower() not in choices:
            raise ValueError(f"want one of {', '.join(choices)}")
        return text.lower()

    return parse


def _origins(text: str) -> tuple[str, ...]:
    origins = tuple(origin for origin in re.split(r"[,\s]+", text) if origin)
    for origin in origins:
        if origin != "*" and not re.fullmatch(r"https?://[^/\s]+", origin):
            raise ValueError("want * or origins such as https://example.org, separated by commas")
    return origins


def _contact(text: str) -> str:
    if text and not re.fullmatch(r"(mailto:|https://|tel:)[!-~]{1,200}", text):
        raise ValueError("want a URI such as mailto:security@example.org or https://example.org/security")
    return text


def _switch(text: str) -> bool:
    return _one_of("off", "on")(text) == "on"


def _ports(text: str) -> tuple[int, ...]:
    if text == "*":
        return ()
    parse = _whole(1, 65_535)
    return tuple(parse(port) for port in re.split(r"[,\s]+", text) if port)


_expiry = _whole(1, 10 * 365 * DAY_S)


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """All settings with their defaults."""

    redis_url: str | None = _setting(
        "",
        _redis_url,
        "URL of the Redis that stores the games: one server, Sentinel or a cluster. Without it `make serve` "
        "starts an embedded one; with `memory://` the games are in one process and are lost with it",
        secret=True,
    )
    bind: Address = _setting("127.0.0.1:8000", parse_address, "address of the API; port 0 chooses a free one")
    health_bind: Address | None = _setting(
        "",
        _optional_address,
        "address of a separate listener for `/healthz`, `/readyz` and `/metrics`, whose connections clients "
        "cannot use up; without it they are served at `SKYE_BIND` only",
    )
    data_dir: Path = _setting(
        "",
        _folder,
        "data folder of the embedded Redis; by default `skye-server` in the data folder of the user, with "
        "`make serve` the folder `data` of the checkout",
    )
    appendfsync: str = _setting(
        "everysec",
        _one_of(*_FSYNC_POLICIES),
        "when the embedded Redis calls `fsync`: `everysec` may lose one second of play if the machine fails, "
        "`always` loses nothing",
    )
    workers: int = _setting(
        "auto", _workers, "number of worker processes; `auto`: the number of cores, from 2 to 4"
    )
    dispatchers: int = _setting(
        "1",
        _whole(0, 64),
        "number of dispatchers that `make serve` starts; elsewhere `skye-server dispatch` is one. Without "
        "any, missed deadlines are applied by the next request for their game",
    )
    dispatch_bind: Address | None = _setting(
        "",
        _optional_address,
        "address at which `skye-server dispatch` serves `/metrics`; those of dispatchers that `make serve` "
        "starts are in the metrics of its API",
    )
    log_level: str = _setting(
        "warning", _one_of(*_LOG_LEVELS), f"minimum level of log lines: {', '.join(_LOG_LEVELS)}"
    )
    redis_timeout_ms: int = _setting("2000", _whole(1, 60_000), "timeout of one call of Redis")
    redis_wait_ms: int = _setting(
        "5000",
        _whole(0, 60_000),
        "retry budget of a request while Redis is unavailable or elects a master: no call of Redis begins "
        "after this time, and the response is 503",
    )
    redis_replicas: int = _setting(
        "0",
        _whole(0, 10),
        "number of replicas that must acknowledge a change (WAIT); with fewer the response is 503. Set it to "
        "the number of replicas of each master: with less, a failover can lose acknowledged changes",
    )
    max_body_bytes: int = _setting(
        "262144", _whole(1024, 2**30), "maximum size of a request body; larger ones get 413"
    )
    client_timeout_s: int = _setting(
        "30",
        _whole(1, 3600),
        "seconds in which a client must send a request (otherwise 408), and read each 64 KiB of a response "
        "(otherwise the server closes the connection)",
    )
    cors_origins: tuple[str, ...] = _setting(
        "*", _origins, "web origins whose pages may call the API (CORS), separated by commas; `*`: all"
    )
    limits: bool = _setting(
        "off",
        _switch,
        "rate limits: `on` for a public server. 0 in one of the following settings means no limit",
    )
    limit_requests_per_minute: int = _setting(
        "3000",
        _whole(0, 1_000_000),
        "maximum number of requests of an address in a minute, with all its tokens; more get 429",
    )
    limit_games_per_minute: int = _setting(
        "30",
        _whole(0, 1_000_000),
        "maximum number of games that an address creates in a minute; more get 429",
    )
    limit_games_per_key: int = _setting(
        "1000",
        _whole(0, 1_000_000),
        "maximum number of games that are not over in which a player key has a role; more get 429",
    )
    limit_streams: int = _setting(
        "20",
        _whole(0, 1_000_000),
        "maximum number of open event streams and long polls of a token, or of an address without one, in "
        "each worker; more get 429",
    )
    limit_streams_per_address: int = _setting(
        "200",
        _whole(0, 1_000_000),
        "maximum number of open event streams and long polls of an address with all its tokens, in each "
        "worker; more get 429",
    )
    limit_connections: int = _setting(
        "400",
        _whole(0, 1_000_000),
        "maximum number of connections of an address to each worker; more get 429. Not used with "
        "`SKYE_TRUSTED_PROXIES`: the proxy should limit connections",
    )
    trusted_proxies: int = _setting(
        "0",
        _whole(0, 10),
        "number of trusted proxies in front of the server: the number of entries of `X-Forwarded-For`, "
        "`X-Forwarded-Proto` and `X-Forwarded-Host` that it uses; the proxies must set them",
    )
    security_contact: str = _setting(
        "",
        _contact,
        "where to report vulnerabilities, as in `mailto:security@example.org`: published at "
        "`/.well-known/security.txt` (RFC 9116)",
    )
    webhooks_http: bool = _setting(
        "off",
        _switch,
        "whether webhooks may have URLs of `http`, without TLS. `make serve` at a loopback address sets this "
        "and the next setting to `on`, and the one after it to `*`, unless they are set, or "
        "`SKYE_TRUSTED_PROXIES` or `SKYE_LIMITS` is",
    )
    webhooks_private: bool = _setting(
        "off",
        _switch,
        "whether webhooks may be at addresses of this machine and of private networks; with `on`, "
        "anyone who may use the API can make the server send requests to them",
    )
    webhooks_ports: tuple[int, ...] = _setting(
        "80,443,8080,8443", _ports, "ports that webhooks may use, separated by commas; `*`: all"
    )
    lab: bool = _setting(
        "off",
        _switch,
        "functions for testers: with `on`, requests can inject faults (`Skye-Fault`), and anyone can "
        "inject them into the requests of others, advance the clock, and delete all games (`/v1/lab`). "
        "Refused together with settings of production: `SKYE_LIMITS=on`, `SKYE_TRUSTED_PROXIES`, "
        "`SKYE_REDIS_REPLICAS`, and Sentinel or a cluster as `SKYE_REDIS_URL`; and at an address that other "
        "hosts reach, unless `SKYE_LAB_PUBLIC=on`",
    )
    lab_public: bool = _setting(
        "off", _switch, "with `on`, `SKYE_LAB=on` may be used at an address that other hosts reach"
    )
    game_ttl_lobby_s: int = _setting(
        str(7 * DAY_S), _expiry, "time that a game in its lobby is stored after its last change"
    )
    game_ttl_playing_s: int = _setting(
        str(30 * DAY_S), _expiry, "time that a game in play is stored after its last change"
    )
    game_ttl_finished_s: int = _setting(str(30 * DAY_S), _expiry, "time that a finished game is stored")
    game_ttl_aborted_s: int = _setting(str(DAY_S), _expiry, "time that an aborted game is stored")
    idempotency_ttl_s: int = _setting(
        "3600",
        _expiry,
        "time that the response to an `Idempotency-Key` is replayed, for the latest 64 keys of each game",
    )

    @property
    def max_game_ttl_s(self) -> int:
        """How long a game that was not aborted is stored at most after its last change, in seconds."""
        return max(self.game_ttl_lobby_s, self.game_ttl_playing_s, self.game_ttl_finished_s)

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
                    values[row.name] = row.metadata["parse"](text)
            except ValueError as error:
                shown = "(not shown)" if not row.repr else repr(text)
                problems.append(f"{_variable(row.name)}={shown}: {error}")
        if values.get("redis_replicas") and values.get("redis_url") in (None, MEMORY_URL):
            wanted = f"{_variable('redis_replicas')}={values['redis_replicas']}"
            problems.append(
                f"{wanted}: the embedded server has no replicas; set SKYE_REDIS_URL to a Redis with replicas"
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
