"""`skye-server dispatch`: handle due work of the games of a Redis, such as missed deadlines."""

import sys

import click


@click.command()
@click.option("--metrics-of", hidden=True, help="The name under which `serve` counts for this process.")
def command(metrics_of: str | None) -> None:
    """Handle due work: missed deadlines, and events of players.

    `serve` starts one beside its workers. The games are in the Redis that SKYE_REDIS_URL names. Any number
    may run; without one, deadlines are applied by the next request for their game.
    """
    from gevent import monkey  # noqa: PLC0415 - the other commands must not be patched

    monkey.patch_all()
    from skye_server.dispatch.process import main  # noqa: PLC0415 - after gevent has patched

    sys.exit(main(metrics_of))
