"""Many concurrent games through nginx: every response is correct, and no resource leaks."""

import ipaddress
import os
import signal
import subprocess
import sys

import pytest

from tests.deploy.servers import ROOT, nginx_program
from tests.support.missing_programs import NO_NGINX
from tests.support.sizes import sized
from tests.support.waiting import MAX_RUN_S
from tests.system import soak


def test_games_of_the_soak_have_addresses_of_their_own():
    addresses = {ipaddress.ip_address(soak.address(slot)) for slot in range(2000)}
    assert len(addresses) == 2000
    assert all(one.is_loopback for one in addresses)


@pytest.mark.usefixtures("redis_program")
def test_short_soak_finds_no_error_and_no_leak():
    if not nginx_program():
        pytest.skip(NO_NGINX)
    games, streams, minutes = sized(("60", "15", "0.06"), ("300", "60", "1"))
    few = ("--games", games, "--streams", streams, "--rate", "60", "--minutes", minutes)
    process = subprocess.Popen(
        [sys.executable, "-m", "gevent.monkey", "--module", "tests.system.soak", *few],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )
    try:
        received, _ = process.communicate(timeout=MAX_RUN_S)
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
    assert process.returncode == 0, received
    assert "Every answer was right" in received
