"""Values of another Redis type under our keys: calls move them aside, so that requests go on."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from typing import Any, Final, TypeVar

import redis

from skye_server.storage.connection.redis_calls import is_wrong_type
from skye_server.storage.lua_scripts import Script

T = TypeVar("T")

_log = logging.getLogger(__name__)

# KEYS: keys, each followed by the key to which a value of another type is moved. ARGV: the right type of
# each. Returns the keys whose values were moved. A process that comes later finds none.
_MOVE_ASIDE: Final = Script("""
local moved = {}
for i, kind in ipairs(ARGV) do
  local found = redis.call('TYPE', KEYS[2 * i - 1]).ok
  if found ~= kind and found ~= 'none' then
    redis.call('RENAME', KEYS[2 * i - 1], KEYS[2 * i])
    table.insert(moved, KEYS[2 * i - 1])
  end
end
return moved
""")


def moving_aside(command: Callable[[redis.Redis], T], types: Mapping[str, str]) -> Callable[[redis.Redis], T]:
    """Return a command that first moves values of other types aside if it fails because of them.

    :param command: may run twice; it must write nothing before it fails.
    :param types: the keys that it uses, all in one slot, and their Redis types.
    """

    def run(server: redis.Redis) -> T:
        try:
            return command(server)
        except redis.ResponseError as error:
            if not is_wrong_type(error):
                raise
            keys = [name for key in types for name in (key, aside(key))]
            moved: Any = _MOVE_ASIDE.run(server, keys, list(types.values()))
            for key in map(bytes.decode, moved):
                _log.warning("moved %s aside to %s: it was not a %s", key, aside(key), types[key])
            return command(server)

    return run


def aside(key: str) -> str:
    """Return the key to which a value of another type is moved: in the same slot of a cluster.

    >>> aside("skye:index:lobby"), aside("skye:{pools}:waiting")
    ('skye:aside:{skye:index:lobby}', 'skye:{pools}:waiting:aside')
    """
    return f"{key}:aside" if "{" in key else f"skye:aside:{{{key}}}"
