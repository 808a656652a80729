"""The defects of bug hunts by their names; a module for each class."""

from __future__ import annotations

from importlib import import_module
from typing import Final

from skye_hunts.enums import DEFECT_CLASSES
from skye_hunts.hunts import Defect
from skye_hunts.registry import REGISTERED

for _kind in DEFECT_CLASSES:
    import_module(f"{__name__}.{_kind}")  # it registers its defects

DEFECTS: Final[dict[str, Defect]] = REGISTERED
