"""The enumerations of the API: words and ids, each list described once."""

from __future__ import annotations

from importlib import import_module
from typing import Final

from skye_server.contract.enums import events, games, http, tiles
from skye_server.contract.fields import StringEnum
from skye_server.features import installed

_OF_FEATURES: Final = [name for feature in installed() for name in feature.enumerations]
_MODULES: Final = (tiles, games, events, http, *map(import_module, _OF_FEATURES))

ENUMERATIONS: Final = {
    kind.component: kind
    for module in _MODULES
    for kind in vars(module).values()
    if isinstance(kind, type) and issubclass(kind, StringEnum) and kind is not StringEnum
}
"""The enumerations by the names of their components."""
