"""The enumerations of the API: words and ids, each list described once."""

from __future__ import annotations

from typing import Final

from skye_server.contract.enums import events, games, http, hunts, tiles
from skye_server.contract.fields import StringEnum

_MODULES: Final = (tiles, games, events, hunts, http)

ENUMERATIONS: Final = {
    kind.component: kind
    for module in _MODULES
    for kind in vars(module).values()
    if isinstance(kind, type) and issubclass(kind, StringEnum) and kind is not StringEnum
}
"""The enumerations by the names of their components."""
