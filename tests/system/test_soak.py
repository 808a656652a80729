"""Many concurrent games through nginx: every response is correct, and no resource leaks."""

import os
import signal
import subprocess
import sys

import pytest

from tests.deploy.servers import ROOT, nginx_program
from tests.support.missing_programs import NO_NGINX
from tests.support.sizes import sized
from tests.support.waiting import MAX_RUN_S

pytestmark = pytest.mark.slow


@pytest.mark.usefixtures("redis_program")
def test_short_soak_finds_no_error_and_no_leak():
    if not nginx_program():
        pytest.skip(NO_NGINX)
    games, streams, minutes = sized(("60", "15", "0.06"), ("300", "60", "1"))
    few = ("--games", games, "--streams", streams, "--rate", "60", "--minutes", minutes)
    soak = subprocess.Popen(
        [sys.executable, "-m", "gevent.monkey", "--module", "tests.system.soak", *few],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    try:
        received, _ = soak.communicate(timeout=MAX_RUN_S)
    finally:
        if soak.poll() is None:
            os.killpg(soak.pid, signal.SIGKILL)
            soak.wait()
    assert soak.returncode == 0, received
    assert "Every answer was right" in received
