"""`skye-server openapi [DOCUMENT]`: print a document of the contract, the same on every machine."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from skye_server import create_app
from skye_server.openapi import DOCUMENTS, contract_of
from skye_server.settings import MEMORY_URL, Settings


def main(arguments: Sequence[str]) -> int:
    """Print a document, by default openapi.yaml."""
    name = arguments[0] if arguments else "openapi.yaml"
    names = [f"{document}.yaml" for document in DOCUMENTS]
    if name not in names or len(arguments) > 1:
        print(f"usage: skye-server openapi [{' | '.join(names)}]", file=sys.stderr)
        return 2
    app = create_app(Settings(redis_url=MEMORY_URL))
    sys.stdout.write(contract_of(app).written(name))
    return 0
