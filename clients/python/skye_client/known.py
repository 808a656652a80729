"""Tells actions, events and recorded actions of this version from those of later versions of the API."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeGuard, overload

from skye_client import models as m


@overload
def is_known(item: m.Action | m.UnknownAction) -> TypeGuard[m.Action]: ...
@overload
def is_known(item: m.PlayerEvent | m.UnknownPlayerEvent) -> TypeGuard[m.PlayerEvent]: ...
@overload
def is_known(item: m.Event | m.UnknownEvent) -> TypeGuard[m.Event]: ...
@overload
def is_known(item: m.ExportedAction | m.UnknownRecordedAction) -> TypeGuard[m.ExportedAction]: ...
def is_known(item: Mapping[str, Any]) -> bool:
    """Return whether the type of an action, event or recorded action is known to this version of the client.

    The server may send types that were added later; `models` has types for the known ones only.
    """
    return item["type"] in m.TYPES[_union_of(item)]


def _union_of(item: Mapping[str, Any]) -> str:
    if "href" in item:
        return "Action"
    if "at" in item:
        return "PlayerEvent" if isinstance(item["id"], str) else "Event"
    return "ExportedAction"
