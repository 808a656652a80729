"""`skye-server rebuild`: derive everything again from the games and their logs."""

from __future__ import annotations

import click

from skye_server.cli.backup import reporting_errors
from skye_server.relay.relay import rebuild
from skye_server.server.stored_games import opened_store


@click.command()
def command() -> None:
    """Make the dispatchers derive the games and events of players, and the lists, again from all games.

    The server may serve meanwhile. It is the Redis that SKYE_REDIS_URL names, else one on SKYE_DATA_DIR.
    """
    with reporting_errors(), opened_store() as store:
        queued = rebuild(store)
    click.echo(f"Entries queued for the dispatchers: {queued}.", err=True)
