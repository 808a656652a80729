"""The URL of the Redis that stores the games, in all its forms.

    redis://[[user]:password@]host[:6379][/database]             one server
    unix:///path/to/socket[?db=0]                                one server, at a Unix socket
    redis+sentinel://...host[:26379][,host...]/service[/database] the master that these Sentinels name
    redis+cluster://...host[:6379][,host...]                     a cluster, of which these are some nodes

With `rediss` instead of `redis` all connections use TLS. Other options of a connection are arguments, such as
`?ssl_ca_certs=/etc/ca.pem`. This module only parses URLs; it connects to no Redis.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final, NamedTuple
from urllib.parse import parse_qsl, quote, unquote

MEMORY_URL: Final = "memory://"
"""The URL that stores the games in the memory of one process (fakeredis), and loses them with it."""

FORMS: Final = (
    "redis://host:port/0, rediss://..., unix:///path/to/socket, redis+sentinel://host:port,.../service or "
    "redis+cluster://host:port,..."
)

_URL: Final = re.compile(
    r"(?P<scheme>unix|(?P<tls>rediss?)(?:\+(?P<form>sentinel|cluster))?)://(?:(?P<user>[^/?#]*)@)?"
    r"(?P<hosts>[^/?#@]*)(?P<path>/[^?#]*)?(?:\?(?P<query>[^#]*))?"
)
_ADDRESS: Final = re.compile(r"(?:\[([0-9a-fA-F:.]+)\]|([^\[\]:@\s]+))(?::(\d{1,5}))?")
_PORTS: Final = {"single": 6379, "cluster": 6379, "sentinel": 26379}


class RedisUrl(NamedTuple):
    """A parsed URL.

    :param form: "single", "sentinel" or "cluster".
    :param addresses: hosts and ports, of the Sentinels with Sentinel; empty for a Unix socket.
    :param service: the name of the master on the Sentinels.
    :param options: arguments of redis-py's client.
    :param sentinel_options: those for the connections to the Sentinels.
    """

    form: str
    addresses: tuple[tuple[str, int], ...]
    service: str
    options: dict[str, Any]
    sentinel_options: dict[str, Any]


def parse(text: str) -> RedisUrl:
    """Parse a URL.

    >>> url = parse("redis+sentinel://:word@a,b:26380/skye/1")
    >>> url.addresses, url.service, url.options
    ((('a', 26379), ('b', 26380)), 'skye', {'password': 'word', 'db': 1})

    :raises ValueError: when the URL is invalid; the message contains no part of it that may be secret.
    """
    try:
        return _parse(text)
    except ValueError as error:
        hint = "; percent-encode `/`, `?` and `#` in the user and the password" if "@" in text else ""
        raise ValueError(f"{error}{hint}") from None


def redacted(text: str, url: str) -> str:
    """Return a text without the passwords of a URL.

    >>> redacted("malformed reply: AUTH word", "redis://:word@a")
    'malformed reply: AUTH ***'

    :raises ValueError: when the URL is invalid.
    """
    parsed = parse(url)
    named = [*parsed.options.items(), *parsed.sentinel_options.items()]
    for password in [value for name, value in named if "password" in name]:
        for form in (password, repr(password)[1:-1], quote(password, safe="")):
            text = text.replace(form, "***")
    return text


def _parse(text: str) -> RedisUrl:
    found = _URL.fullmatch(text)
    if not found:
        raise ValueError(f"want {FORMS}")
    options, sentinel_options = _arguments(found["query"] or "")
    options |= _credentials(found["user"] or "")
    form = found["form"] or "single"
    if sentinel_options and form != "sentinel":
        raise ValueError("arguments that begin with sentinel_ want redis+sentinel://")
    if found["tls"] == "rediss":
        options["ssl"] = True
    elif any(name.startswith("ssl_") for name in options):
        raise ValueError("arguments that begin with ssl_ want rediss://")
    if found["scheme"] == "unix":
        return RedisUrl(form, (), "", options | _socket(found["hosts"], found["path"] or ""), {})
    service, database = _service_and_database(form, found["path"] or "")
    options |= database
    if form == "sentinel":
        sentinel_options |= {name: of_tls for name, of_tls in options.items() if name.startswith("ssl")}
    return RedisUrl(form, _addresses(form, found["hosts"]), service, options, sentinel_options)


def without_secrets(text: str) -> str:
    """Return a URL without credentials and arguments, to show it.

    >>> without_secrets("rediss+cluster://me:word@a:1,b:2?ssl_password=word")
    'rediss+cluster://a:1,b:2'
    """
    found = _URL.fullmatch(text)
    return f"{found['scheme']}://{found['hosts']}{found['path'] or ''}" if found else ""


def _socket(host: str, path: str) -> dict[str, Any]:
    if host or path in ("", "/"):
        raise ValueError("want unix:///path/to/socket")
    return {"unix_socket_path": unquote(path)}


def _addresses(form: str, hosts: str) -> tuple[tuple[str, int], ...]:
    addresses = []
    for host in hosts.split(","):
        found = _ADDRESS.fullmatch(host)
        port = int((found and found[3]) or _PORTS[form])
        if not found or not 0 < port < 65536:
            raise ValueError(f"want {FORMS}")
        addresses.append((found[1] or found[2], port))
    if form == "single" and len(addresses) > 1:
        raise ValueError("one server has one address: want redis+sentinel:// or redis+cluster:// for several")
    return tuple(addresses)


def _service_and_database(form: str, path: str) -> tuple[str, dict[str, Any]]:
    """Return the service that a path names, and the option of the database."""
    names = [unquote(name) for name in path.strip("/").split("/") if name]
    if form == "sentinel" and not names:
        raise ValueError("want the name of the master's service: redis+sentinel://host:port,.../service")
    service = names.pop(0) if form == "sentinel" else ""
    database = names.pop(0) if names else "0"
    if names or not re.fullmatch(r"\d{1,5}", database):
        raise ValueError("want the number of a database last in the path, or nothing")
    if form == "cluster" and int(database):
        raise ValueError("a cluster has only database 0")
    return service, {"db": int(database)} if int(database) else {}


def _credentials(userinfo: str) -> dict[str, str]:
    username, _, password = userinfo.partition(":")
    given = {"username": unquote(username), "password": unquote(password)}
    return {name: word for name, word in given.items() if word}


def _arguments(query: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the options for the servers, and those for Sentinels, whose names begin with `sentinel_`."""
    options: dict[str, Any] = {}
    sentinel_options: dict[str, Any] = {}
    for name, text in parse_qsl(query, keep_blank_values=True):
        if name not in _ARGUMENTS:
            raise ValueError(f"want no arguments but {', '.join(_ARGUMENTS)}")
        try:
            value = _ARGUMENTS[name](text)
        except ValueError as error:
            raise ValueError(f"{name}: {error}") from None
        if name.startswith("sentinel_"):
            sentinel_options[name.removeprefix("sentinel_")] = value
        else:
            options[name] = value
    return options, sentinel_options


def _word(text: str) -> str:
    if not text:
        raise ValueError("want a word")
    return text


def _number(text: str) -> int:
    if not re.fullmatch(r"\d{1,5}", text):
        raise ValueError("want a whole number")
    return int(text)


def _yes_or_no(text: str) -> bool:
    known = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
    if text.lower() not in known:
        raise ValueError("want yes or no")
    return known[text.lower()]


def _file(text: str) -> str:
    try:
        with Path(text).open("rb"):
            return text
    except OSError as error:
        raise ValueError(f"{text} cannot be read: {error.strerror}") from None


def _folder(text: str) -> str:
    if not Path(text).is_dir():
        raise ValueError(f"{text} is no folder")
    return text


def _certificate_check(text: str) -> str:
    if text not in ("required", "none"):
        raise ValueError("want required or none")
    return text


_ARGUMENTS: Final[dict[str, Callable[[str], Any]]] = {
    "db": _number,
    "username": _word,
    "password": _word,
    "client_name": _word,
    "health_check_interval": _number,
    "ssl_ca_certs": _file,
    "ssl_ca_path": _folder,
    "ssl_certfile": _file,
    "ssl_keyfile": _file,
    "ssl_password": _word,
    "ssl_cert_reqs": _certificate_check,
    "ssl_check_hostname": _yes_or_no,
    "sentinel_username": _word,
    "sentinel_password": _word,
}
