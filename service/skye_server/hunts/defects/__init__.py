"""The defects of bug hunts by their names; a module for each class."""

from __future__ import annotations

from typing import Final

from skye_server.commands.hunts import Defect
from skye_server.hunts.defects import (
    authorization,
    caching,
    concurrency,
    contract,
    events,
    hidden_information,
    idempotency,
    rules,
    state,
    validation,
)
from skye_server.hunts.registry import REGISTERED

DEFECTS: Final[dict[str, Defect]] = REGISTERED

MODULES: Final = (
    contract,
    validation,
    authorization,
    hidden_information,
    concurrency,
    idempotency,
    caching,
    events,
    rules,
    state,
)
"""The modules that register them."""
