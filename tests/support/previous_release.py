"""The API as the release before log checksums: it writes log entries without a header and ignores headers.

`gunicorn tests.support.previous_release:app` serves it, for tests of rolling upgrades and rollbacks.
"""

from service.storage import lua_scripts, redis_store
from service.storage.store import LogEntry
from service.wsgi import app

__all__ = ["app"]

_source = lua_scripts.COMMIT._source  # noqa: SLF001 - the script of that release differs in this only
_without_header = _source.replace(", 'h', ARGV[i + 2]", "")
assert _without_header != _source


def _entry_without_header(entry_id, fields):
    return LogEntry(int(entry_id.split(b"-")[0]), fields.get(b"c", b""))


redis_store.COMMIT = lua_scripts.Script(_without_header)
redis_store._log_entry = _entry_without_header  # noqa: SLF001 - as above
