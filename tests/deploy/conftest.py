"""Fixtures of the deployment tests: gunicorn instances and nginx in front of them."""

import contextlib
import tempfile
from pathlib import Path

import pytest

from skye_server.server.processes import stop
from tests.deploy.servers import LONG_INTERVALS, Instance, Nginx, nginx_program
from tests.support.launcher import PATIENT
from tests.support.missing_programs import NO_NGINX
from tests.support.sizes import sized
from tests.support.waiting import MAX_WAIT_S


@contextlib.contextmanager
def short_folder():
    """Create a folder whose path is short enough for Unix sockets."""
    with tempfile.TemporaryDirectory(prefix="skye-") as path:
        yield Path(path)


@pytest.fixture
def folder():
    """A folder of this test for sockets."""
    with short_folder() as path:
        yield path


@contextlib.contextmanager
def making(folder, redis_server):
    """Yield a function that makes instances with sockets in a folder; kill them at the end."""
    made = []

    def make(redis_url=redis_server.url, application="skye_server.wsgi:app", **settings):
        path = folder / f"api-{'abcd'[len(made)]}.sock"
        own = {"SKYE_WORKERS": sized("1", "2"), "GUNICORN_CMD_ARGS": "--graceful-timeout 120"}
        settings = PATIENT | own | settings
        made.append(Instance(path, redis_url, application, **settings))
        return made[-1]

    try:
        yield make
    finally:
        for one in made:
            one.kill()


@pytest.fixture
def instance(redis_server, folder):
    """A function that makes instances on one Redis: the first at `api-a.sock`, the second at `api-b.sock`."""
    with making(folder, redis_server) as make:
        yield make


@pytest.fixture(scope="module")
def started(redis_server):
    """The instance of `shared_instance`."""
    with short_folder() as folder, making(folder, redis_server) as make:
        yield make(application=LONG_INTERVALS).start()


@pytest.fixture
def shared_instance(started, folder):
    """A running instance at `api-a.sock` that the tests of a module share: they neither stop nor suspend it.

    No heartbeat pushes out the events of its streams.
    """
    (folder / started.socket_path.name).symlink_to(started.socket_path)
    return started


NO_HURRY = [
    (timeout, f"{timeout.split()[0]} {MAX_WAIT_S}s")
    for timeout in ("proxy_send_timeout 10s", "proxy_read_timeout 9s", "proxy_read_timeout 5s")
]
"""Timeouts that an instance on a busy machine does not exceed."""


@pytest.fixture
def nginx(folder, request):
    """A running `Nginx` for the instances of `instance`; a parameter replaces configuration."""
    program = nginx_program() or pytest.skip(NO_NGINX)
    running = Nginx(program, folder, getattr(request, "param", NO_HURRY))
    yield running
    stop(running.process, MAX_WAIT_S)
