"""The Redis of the settings, for commands that work on the stored games: the embedded one runs meanwhile."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from skye_server.redis_url import MEMORY_URL
from skye_server.server.data_folder import DataFolder, address_of_server
from skye_server.server.embedded_redis import RedisServer, has_files, lock_files, socket_location, url_of
from skye_server.server.processes import LaunchError
from skye_server.server.server_programs import program_for
from skye_server.settings import Settings
from skye_server.store.redis_store import RedisStore


@contextlib.contextmanager
def opened_store(*, may_be_new: bool = False) -> Iterator[RedisStore]:
    """Yield the store of the settings; without a server on the data folder, start one meanwhile.

    :param may_be_new: accept a data folder that no server has used.
    :raises SettingsError: if the settings cannot be used.
    :raises LaunchError: if the data folder or Redis cannot be used, or no server has used the folder.
    """
    settings = Settings.from_environment(os.environ)
    if settings.redis_url == MEMORY_URL:
        raise LaunchError("SKYE_REDIS_URL is memory://: no other process can read those games.")
    with contextlib.ExitStack() as stack:
        url = settings.redis_url or _embedded_url(settings.data_dir, stack, may_be_new)
        store = RedisStore.from_settings(replace(settings, redis_url=url))
        if warning := store.too_old():
            raise LaunchError(f"{warning}.")
        yield store


def _embedded_url(path: Path, stack: contextlib.ExitStack, may_be_new: bool) -> str:
    if running := address_of_server(path):
        return url_of(Path(running))
    if not (may_be_new or has_files(path)):
        raise LaunchError(f"No server has used {path}: set SKYE_DATA_DIR or SKYE_REDIS_URL.")
    program = program_for(path)
    if program is None:
        raise LaunchError("No redis-server or valkey-server was found: install one, or set SKYE_REDIS_URL.")
    folder = DataFolder(path)
    stack.callback(folder.close)
    location = stack.enter_context(socket_location(folder.path))
    lock = lock_files(folder, location)
    server = stack.enter_context(RedisServer(program, folder.path, location, inherited=(lock,)))
    server.wait_until_ready()
    return server.url
