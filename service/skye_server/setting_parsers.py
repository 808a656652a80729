"""Parsers of the values of settings. For an invalid text, each raises ValueError with the expected form."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from ipaddress import IPv4Network, IPv6Network, ip_address, ip_network
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from platformdirs import user_data_path

from skye_server.redis_url import MEMORY_URL, parse

if TYPE_CHECKING:
    from skye.rulesets import Ruleset


Network: TypeAlias = IPv4Network | IPv6Network
"""A network of addresses, such as 192.0.2.0/24."""


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
    def reachable(self) -> Address:
        """The address for clients on this host: the loopback address if the server listens on all."""
        return self._replace(host={"0.0.0.0": "127.0.0.1", "::": "::1"}.get(self.host, self.host))  # noqa: S104 - compared, not bound


def address(text: str) -> Address:
    """Return the address of a text.

    :raises ValueError: when it is not a host and a port.
    """
    found = re.fullmatch(r"(?:\[([0-9a-fA-F:.]+)\]|([^:\s/]+)):(\d{1,5})", text)
    if not found or int(found[3]) > 65535:
        raise ValueError("want host:port, such as 127.0.0.1:8000 or [::1]:8000")
    return Address(found[1] or found[2], int(found[3]))


def optional_address(text: str) -> Address | None:
    """Return the address of a text, None for an empty one.

    :raises ValueError: when it is not a host and a port other than 0.
    """
    parsed = address(text) if text else None
    if parsed and not parsed.port:
        raise ValueError("want a port other than 0")
    return parsed


def redis_url(text: str) -> str | None:
    """Return the URL of a Redis, None for an empty text.

    :raises ValueError: when it is no such URL.
    """
    if text and text != MEMORY_URL:
        parse(text)
    return text or None


def folder(text: str) -> Path:
    """Return the path of a folder; for an empty text the one of the user, or of the system without one."""
    try:
        return Path(text).expanduser().absolute() if text else user_data_path("skye-server", appauthor=False)
    except RuntimeError as error:  # a user without a home folder, as in a container or a unit of systemd
        if text:
            raise ValueError("there is no home folder: want a path without ~") from error
        return Path("/var/lib/skye-server")


def ruleset_file(text: str) -> Ruleset | None:
    """Return the base game with the corrections of a data file, and register it; None for an empty text.

    :raises ValueError: when the file cannot be read, or one of its lines has a fault.
    """
    if not text:
        return None
    # The launcher loads no part of the application, unless there is a file to check.
    from skye.rulesets import BASE, register  # noqa: PLC0415

    try:
        corrections = Path(text).expanduser().read_text(encoding="utf-8-sig")
        return register(BASE.corrected(corrections, text))
    except OSError as error:
        raise ValueError(f"{text} cannot be read: {error.strerror}") from error
    except UnicodeDecodeError as error:
        raise ValueError(f"{text} is not a text in UTF-8") from error


def whole(minimum: int, maximum: int) -> Callable[[str], int]:
    """Return a parser of whole numbers in a range."""

    def parsed(text: str) -> int:
        if not re.fullmatch(r"\d{1,12}", text) or not minimum <= int(text) <= maximum:
            raise ValueError(f"want a whole number from {minimum} to {maximum}")
        return int(text)

    return parsed


def workers(text: str) -> int:
    """Return a number of workers."""
    if text == "auto":
        return max(2, min(4, os.cpu_count() or 1))
    return whole(1, 256)(text)


def one_of(*choices: str) -> Callable[[str], str]:
    """Return a parser of some words, in lower case."""

    def parsed(text: str) -> str:
        if text.lower() not in choices:
            raise ValueError(f"want one of {', '.join(choices)}")
        return text.lower()

    return parsed


def origins(text: str) -> tuple[str, ...]:
    """Return web origins, separated by commas."""
    found = tuple(origin for origin in re.split(r"[,\s]+", text) if origin)
    for origin in found:
        if origin != "*" and not re.fullmatch(r"https?://[^/\s]+", origin):
            raise ValueError("want * or origins such as https://example.org, separated by commas")
    return found


def is_loopback_host(host: str) -> bool:
    """Return whether a host, as in a URL, with a port or without, names this machine only.

    >>> [is_loopback_host(host) for host in ("localhost:8000", "app.localhost", "127.0.0.1:1", "[::1]:8000")]
    [True, True, True, True]
    >>> [is_loopback_host(host) for host in ("localhost.example", "127.0.0.1.example:80", "192.0.2.7", "")]
    [False, False, False, False]
    """
    found = re.fullmatch(r"(?:\[([^\]]*)\]|([^:]*))(?::\d*)?", host)
    name = ((found[1] or found[2] or "") if found else "").lower().removesuffix(".")
    return name.endswith(".localhost") or Address(name, 0).is_loopback


def words(text: str) -> tuple[str, ...]:
    """Return words, separated by commas."""
    return tuple(word.strip() for word in text.split(",") if word.strip())


def networks(text: str) -> tuple[Network, ...]:
    """Return networks of addresses, separated by commas."""
    try:
        return tuple(ip_network(part) for part in words(text))
    except ValueError:
        raise ValueError("want networks such as 192.0.2.0/24 or 2001:db8::/48, separated by commas") from None


def contact(text: str) -> str:
    """Return the URI of a contact, or an empty text."""
    if text and not re.fullmatch(r"(mailto:|https://|tel:)[!-~]{1,200}", text):
        raise ValueError("want a URI such as mailto:security@example.org or https://example.org/security")
    return text


def switch(text: str) -> bool:
    """Return whether a text is `on`; the other one is `off`."""
    return one_of("off", "on")(text) == "on"


def automatic_switch(text: str) -> bool | None:
    """Return whether a text is `on`, None if it is `auto`; the other one is `off`."""
    chosen = one_of("auto", "off", "on")(text)
    return None if chosen == "auto" else chosen == "on"


def ports(text: str) -> tuple[int, ...]:
    """Return port numbers, none for `*`."""
    if text == "*":
        return ()
    port_number = whole(1, 65_535)
    try:
        return tuple(port_number(port) for port in re.split(r"[,\s]+", text) if port)
    except ValueError:
        raise ValueError("want * or whole numbers from 1 to 65535, separated by commas") from None
