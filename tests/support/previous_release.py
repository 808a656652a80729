"""The API as an earlier release, for tests of rolling upgrades and rollbacks.

`gunicorn tests.support.previous_release:app` serves the release before log checksums: it writes log entries
without a header and ignores headers. Where the environment variable READS_UP_TO names a format of stored
games, it serves a release that knows the formats up to that one.
"""

import os

from skye_server.storage import codec, lua_scripts, redis_store
from skye_server.storage.store import LogEntry
from skye_server.wsgi import app

__all__ = ["app"]


def _forget_log_checksums():
    source = lua_scripts.COMMIT._source  # noqa: SLF001 - the script of that release differs in this only
    without_header = source.replace(", 'h', ARGV[i + 2]", "")
    assert without_header != source
    redis_store.COMMIT = lua_scripts.Script(without_header)
    redis_store._log_entry = _entry_without_header  # noqa: SLF001 - as above


def _entry_without_header(entry_id, fields):
    return LogEntry(int(entry_id.split(b"-")[0]), fields.get(b"c", b""))


if "READS_UP_TO" in os.environ:
    codec.FORMAT = int(os.environ["READS_UP_TO"])
else:
    _forget_log_checksums()
