"""`skye-server openapi [DOCUMENT]`: print a document of the contract, the same on every machine."""

from __future__ import annotations

import click

from skye_server import create_app
from skye_server.openapi import DOCUMENTS, contract_of
from skye_server.redis_url import MEMORY_URL
from skye_server.settings import Settings

_NAMES = [f"{document}.yaml" for document in DOCUMENTS]


@click.command()
@click.argument("document", type=click.Choice(_NAMES), default="openapi.yaml")
def openapi(document: str) -> None:
    """Print a document of the contract, by default openapi.yaml."""
    app = create_app(Settings(redis_url=MEMORY_URL))
    click.echo(contract_of(app).written(document), nl=False)
