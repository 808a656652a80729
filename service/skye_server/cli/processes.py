"""`skye-server serve` and `dispatch`: the processes of a server. Each imports only what it needs."""

from __future__ import annotations

import sys

import click


@click.command()
def serve() -> None:
    """Serve the API at SKYE_BIND, by default 127.0.0.1:8000.

    The games are in the Redis that SKYE_REDIS_URL names, else in an embedded one on SKYE_DATA_DIR.
    """
    from skye_server.server import launcher  # noqa: PLC0415 - `dispatch` needs no launcher

    sys.exit(launcher.serve())


@click.command()
@click.option("--metrics-of", hidden=True, help="The name under which `serve` counts for this process.")
def dispatch(metrics_of: str | None) -> None:
    """Handle due work: missed deadlines, and events of players.

    `serve` starts one beside its workers. The games are in the Redis that SKYE_REDIS_URL names. Any number
    may run; without one, deadlines are applied by the next request for their game.
    """
    from gevent import monkey  # noqa: PLC0415 - the other commands must not be patched

    monkey.patch_all()
    from skye_server.dispatch.process import main  # noqa: PLC0415 - after gevent has patched

    sys.exit(main(metrics_of))
