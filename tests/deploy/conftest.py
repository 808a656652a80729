"""Fixtures of the deployment tests: gunicorn instances and nginx in front of them."""

import shutil
import tempfile
from pathlib import Path

import pytest

from skye_server.server.processes import stop
from tests.deploy.servers import Instance, Nginx, nginx_program
from tests.support.launcher import PATIENT
from tests.support.missing_programs import NO_NGINX
from tests.support.sizes import sized
from tests.support.waiting import MAX_WAIT_S


@pytest.fixture
def folder():
    """A folder whose path is short enough for Unix sockets."""
    path = Path(tempfile.mkdtemp(prefix="skye-"))
    yield path
    shutil.rmtree(path)


@pytest.fixture
def instance(redis_server, folder):
    """A function that makes instances on one Redis: the first at `api-a.sock`, the second at `api-b.sock`."""
    made = []

    def make(redis_url=redis_server.url, application="skye_server.wsgi:app", **settings):
        path = folder / f"api-{'abcd'[len(made)]}.sock"
        own = {"SKYE_WORKERS": sized("1", "2"), "GUNICORN_CMD_ARGS": "--graceful-timeout 120"}
        settings = PATIENT | own | settings
        made.append(Instance(path, redis_url, application, **settings))
        return made[-1]

    yield make
    for one in made:
        one.kill()


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
