"""`skye-server restore FILE`: put the games of a backup into an empty server."""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

import click

from skye_server.cli.backup import STANDARD_STREAM, reporting_errors
from skye_server.relay.relay import rebuild
from skye_server.server.stored_games import opened_store


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
def command(file: Path) -> None:
    """Put the games and players of FILE into a server without games; `-` is the standard input.

    The server is the Redis that SKYE_REDIS_URL names, else one on SKYE_DATA_DIR. The whole file is checked
    first. Repeat a restore that broke off on an empty server.
    """
    with reporting_errors(), opened_store(may_be_new=True) as store:
        if file == STANDARD_STREAM:
            with tempfile.NamedTemporaryFile() as copy:
                shutil.copyfileobj(sys.stdin.buffer, copy)
                copy.flush()
                counts = store.restore(Path(copy.name))
        else:
            counts = store.restore(file)
        rebuild(store)
    click.echo(f"Games restored: {counts.games}.", err=True)
