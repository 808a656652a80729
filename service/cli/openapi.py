"""`python -m service.cli openapi`: print the contract as YAML, the same on every machine."""

from __future__ import annotations

import sys

from service import create_app
from service.openapi import contract_of
from service.settings import MEMORY_URL, Settings


def main() -> int:
    """Print the document."""
    app = create_app(Settings(redis_url=MEMORY_URL))
    sys.stdout.write(contract_of(app).yaml)
    return 0
