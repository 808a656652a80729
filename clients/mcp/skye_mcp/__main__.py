"""The command `skye-mcp`: the MCP server on standard input and output, or over HTTP."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import Any, Final

import click
import uvicorn
from mcp.server.transport_security import TransportSecuritySettings

from skye_client import (
    AsyncSkye,
    InvalidAddressError,
    InvalidCredentialError,
    InvalidEnvironmentError,
    new_key,
)
from skye_client.messages import MAX_PORT
from skye_mcp.client_address import ClientAddresses
from skye_mcp.credentials import checked_key
from skye_mcp.server import make_server
from skye_mcp.stdio import run_on_stdio

KEY_VARIABLE = "SKYE_PLAYER_KEY"

_GRACE_S: Final = 5
"""How long requests may go on after SIGTERM, in seconds. Agents that wait for their turn ask again."""


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="skye-mcp")
@click.option(
    "--server",
    default="http://127.0.0.1:8000",
    envvar="SKYE_SERVER",
    show_default=True,
    help="URL of the API.",
)
@click.option(
    "--http",
    metavar="HOST:PORT",
    help="Serve streamable HTTP at /mcp instead of standard input and output. unix:PATH is a Unix socket.",
)
@click.option(
    "--allowed-host",
    multiple=True,
    metavar="HOST",
    help="A Host header to accept beside those of the loopback address, such as play.example.org.",
)
@click.option(
    "--trusted-proxies",
    type=click.IntRange(0, 8),
    default=0,
    envvar="SKYE_TRUSTED_PROXIES",
    show_default=True,
    help="The number of proxies in front that append the address of their client to X-Forwarded-For.",
)
def main(server: str, http: str | None, allowed_host: tuple[str, ...], trusted_proxies: int) -> None:
    """Let language-model agents play Isle of Skye through MCP.

    On standard input and output the player is that of the key in SKYE_PLAYER_KEY, or a new one for as long as
    the process runs. Over HTTP the client sends the key as its bearer token; any number of instances may run.
    The API gets the address of each client in X-Forwarded-For, and limits it if it trusts this proxy.
    """
    try:
        skye = AsyncSkye(server)
    except InvalidAddressError as error:
        raise click.BadParameter(str(error), param_hint="--server") from error
    except InvalidEnvironmentError as error:
        raise click.UsageError(str(error)) from error
    if http is None:
        key = _own_key()

        def own_key(_headers: Mapping[str, str] | None) -> str:
            return key

        run_on_stdio(make_server(skye, own_key))
        return
    hosts = [*allowed_host, "127.0.0.1:*", "localhost:*", "[::1]:*", "localhost"]
    origins = [f"{scheme}://{host}" for host in hosts for scheme in ("http", "https")]
    app = make_server(skye).streamable_http_app(
        stateless_http=True,
        transport_security=TransportSecuritySettings(allowed_hosts=hosts, allowed_origins=origins),
    )
    try:
        uvicorn.run(
            ClientAddresses(app, trusted_proxies),
            **_address(http),
            proxy_headers=False,
            log_level="warning",
            timeout_graceful_shutdown=_GRACE_S,
        )
    except OSError as error:  # of a Unix socket; uvicorn reports the others
        raise click.BadParameter(f"{http} cannot be used: {error}", param_hint="--http") from error


def _own_key() -> str:
    """Return the player key in the environment, or a new one if there is none."""
    key = os.environ.get(KEY_VARIABLE, "").strip()
    try:
        return checked_key(key) if key else new_key()
    except InvalidCredentialError as error:
        raise click.BadParameter(str(error), param_hint=KEY_VARIABLE) from None


def _address(http: str) -> dict[str, Any]:
    """Return the arguments of uvicorn for an address."""
    host, _, port = http.rpartition(":")
    if host == "unix" and port:
        return {"uds": port}
    if not host or not re.fullmatch("[0-9]{1,5}", port) or not 0 < int(port) <= MAX_PORT:
        raise click.BadParameter("want HOST:PORT, such as 127.0.0.1:8080, or unix:PATH", param_hint="--http")
    return {"host": host.strip("[]"), "port": int(port)}


if __name__ == "__main__":
    main(prog_name="skye-mcp")
