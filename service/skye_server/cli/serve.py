"""`skye-server serve`: start the API, with an embedded Redis unless a URL names one."""

import sys

import click

from skye_server.server.launcher import serve


@click.command()
def command() -> None:
    """Serve the API at SKYE_BIND, by default 127.0.0.1:8000.

    The games are in the Redis that SKYE_REDIS_URL names, else in an embedded one on SKYE_DATA_DIR.
    """
    sys.exit(serve())
