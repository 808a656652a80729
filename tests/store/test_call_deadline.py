"""Calls that exceed their deadline are cancelled, and leave no connection in a wrong state."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.waiting import MAX_RUN_S
from tests.system.network import Relay, Trickle

ROOT = Path(__file__).resolve().parents[2]

AT_REST = [0, 0, "well"]
"""Check that no call waits, no connection is in use, and the next call gets its reply."""

BROKEN_OFF = {
    "a_command": ["TimeoutError"],
    "a_pipeline": ["TimeoutError"],
    "lone_caller_gives_up": ["TimeoutError", [1, 2, 3]],
    "waiting_caller_gives_up": ["TimeoutError", 1],
    "batch_leader_gives_up": ["TimeoutError", "TimeoutError", "TimeoutError", "late"],
}


def becomes_of(name, url):
    """Return the result of a call that is cancelled under gevent."""
    command = [sys.executable, "-m", "gevent.monkey", "--module", "tests.support.disconnects", name, url]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=MAX_RUN_S, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    return json.loads(done.stdout)


@pytest.mark.usefixtures("redis_client")
@pytest.mark.parametrize("name", BROKEN_OFF)
def test_call_that_is_cut_off_leaves_no_connection_in_use(redis_server, name):
    assert becomes_of(name, redis_server.url) == BROKEN_OFF[name] + AT_REST


@pytest.fixture
def dribbling_url(redis_server):
    with Relay(redis_server.address) as relay:
        relay.fault = Trickle(1, 0.1)
        yield f"redis://{relay.host}:{relay.port}/0"


def test_handshake_that_never_ends_is_cut_off(dribbling_url):
    assert becomes_of("a_greeting", dribbling_url) == ["TimeoutError", 0, 0]


def test_topology_reply_that_never_ends_is_cut_off(dribbling_url):
    no_sentinel, no_node = becomes_of("a_lookup", dribbling_url)
    assert no_sentinel.endswith("the call exceeded its deadline")
    assert no_node.endswith("the call exceeded its deadline")


def test_lookup_beyond_its_deadline_asks_no_further_server(redis_server):
    with Relay(redis_server.address) as first, Relay(redis_server.address) as second:
        first.fault = second.fault = Trickle(1, 0.03)
        url = f"redis://{first.host}:{first.port},{second.host}:{second.port}/0"
        no_sentinel, no_node = becomes_of("a_lookup_at_several", url)
    assert no_sentinel.endswith("the lookup exceeded its deadline")
    assert no_node.endswith("the lookup exceeded its deadline")
