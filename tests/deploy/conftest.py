"""What the tests of deploying share, and what they say where a program is missing."""

import shutil
import signal
import tempfile
from pathlib import Path

import pytest

from service.server.processes import stop
from tests.deploy.servers import Instance, Nginx, nginx_program

NO_NGINX = "no nginx: the way through it was not tried"
NO_KUBECTL = "no kubectl: the overlays were not built"


@pytest.fixture
def folder():
    """A folder with a path short enough for sockets."""
    path = Path(tempfile.mkdtemp(prefix="skye-"))
    yield path
    shutil.rmtree(path)


@pytest.fixture
def instance(redis_server, folder):
    """Make instances on one Redis: the first at `api-a.sock`, the second at `api-b.sock`."""
    made = []

    def make(redis_url=redis_server.url, **settings):
        path = folder / f"api-{'abcd'[len(made)]}.sock"
        made.append(Instance(path, redis_url, **settings))
        return made[-1]

    yield make
    for one in made:
        if one.process is not None:
            one.end(signal.SIGKILL)


@pytest.fixture
def nginx(folder, request):
    """A running `Nginx`; its instances are those that `instance` makes, a parameter is what is `replaced`."""
    program = nginx_program() or pytest.skip(NO_NGINX)
    running = Nginx(program, folder, getattr(request, "param", ()))
    yield running
    stop(running.process, 10)


def pytest_terminal_summary(terminalreporter):
    """Say loudly, last of all, what was not tried for want of a program."""
    skipped = [str(report.longrepr) for report in terminalreporter.stats.get("skipped", ())]
    for reason in (NO_NGINX, NO_KUBECTL):
        number = sum(reason in why for why in skipped)
        if number:
            terminalreporter.write_sep("!", f"{number} tests SKIPPED: {reason}", red=True, bold=True)
