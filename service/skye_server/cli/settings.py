"""`skye-server settings`: print the settings with their defaults."""

import click

from skye_server.settings import table


@click.command()
def command() -> None:
    """Print the table of settings, in Markdown."""
    click.echo(table())
