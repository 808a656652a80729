"""Deletion of all data of the service in a Redis."""

from __future__ import annotations

from typing import Any, Final

import redis

from skye_server.store.connection.calls import RedisCalls
from skye_server.store.lua_scripts import PUBLISH, Script

_PAGE: Final = 500
"""About how many keys one call scans."""

# ARGV: some keys of the service. Deletes each game whose key is among them, with all its keys, and keys that
# belong to no game. It keeps other keys of a game whose own key is not among them, so that no client reads a
# part of a game. The script computes keys, which works on a single server only. Returns the number of games.
_DELETE: Final = Script(
    PUBLISH
    + """
local deleted = 0
local kept = {['skye:{rulesets}:data'] = true, ['skye:{clock}:layout'] = true}
for _, key in ipairs(ARGV) do
  local game, kind = key:match('^(skye:{s%d+}:[a-z0-9]+:)(.*)$')
  if kind == 'game' then
    for _, entry in ipairs(redis.call('LRANGE', game .. 'records', 0, -1)) do
      redis.call('DEL', game .. 'record:' .. entry:sub(1, 32))
    end
    deleted = deleted + redis.call('DEL', key)
    for _, webhook in ipairs(redis.call('HKEYS', game .. 'webhooks')) do
      for part in (' :order :queue :done :ended'):gmatch('[^ ]*') do
        redis.call('DEL', game .. 'webhook:' .. webhook .. part)
      end
    end
    redis.call('DEL', game .. 'log', game .. 'records', game .. 'faults', game .. 'webhooks', game .. 'watch')
    publish(key)
  elseif not kept[key] and (not game or redis.call('EXISTS', game .. 'game') == 0) then
    redis.call('DEL', key)
    if key:match('}:events$') then publish(key) end
  end
end
return deleted
"""
)


def delete_all(calls: RedisCalls, any_key: str) -> int:
    """Delete all games on a single server and what belongs to them; return how many games there were.

    Keys of others and the data of rulesets stay.

    :param any_key: a key, which names the server.
    :raises Problem: store_unavailable.
    """
    cursor, deleted = 0, 0

    def delete_page(server: redis.Redis) -> tuple[int, int]:
        page: Any = server.scan(cursor, match="skye:*", count=_PAGE)
        following, keys = page
        return following, int(_DELETE.run(server, [], keys)) if keys else 0

    while True:
        cursor, games = calls.call(any_key, delete_page, writes=True)
        deleted += games
        if not cursor:
            return deleted
