"""Partitions: with all replicas required, no acknowledged change is lost or made twice."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.missing_programs import NO_NETWORK
from tests.support.waiting import MAX_RUN_S
from tests.system.partitions import SHAPES

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[2]


def partitioned(shape, replicas, folder):
    """Return the counts of a partition, in a network namespace of its own."""
    alone = ["unshare", "--net", *([] if os.geteuid() == 0 else ["--map-root-user"])]
    missing = [program for program in ("unshare", "nsenter", "iptables", "ip") if not shutil.which(program)]
    if missing or subprocess.run([*alone, "true"], capture_output=True, check=False).returncode:
        pytest.skip(NO_NETWORK)
    command = [*alone, sys.executable, "-m", "tests.system.partitions", shape, str(replicas), folder]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=MAX_RUN_S, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


@pytest.mark.usefixtures("redis_program")
@pytest.mark.parametrize("shape", SHAPES)
def test_partition_loses_and_doubles_nothing_with_all_replicas(shape, tmp_path):
    found = partitioned(shape, 2, tmp_path)
    assert found["acknowledged"] > 0
    assert (found["acknowledged_after_the_election"], found["lost"], found["doubled"]) == (0, 0, 0)


@pytest.mark.usefixtures("redis_program")
def test_partition_with_fewer_replicas_required_loses_changes(tmp_path):
    """Show that the test above would notice a loss."""
    assert partitioned("sentinels_refuse", 1, tmp_path)["lost"] > 0
