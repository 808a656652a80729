"""Partitions: with all replicas required, no acknowledged change is lost or made twice."""

import json

import pytest

from tests.system.hosts import printed_by
from tests.system.partitions import SHAPES

pytestmark = pytest.mark.usefixtures("redis_program")


def partitioned(shape, replicas, folder):
    """Return the counts of a partition."""
    return json.loads(printed_by("tests.system.partitions", shape, replicas, folder))


@pytest.mark.parametrize("shape", SHAPES)
def test_partition_loses_and_doubles_nothing_with_all_replicas(shape, tmp_path):
    found = partitioned(shape, 2, tmp_path)
    assert found["acknowledged"] > 0
    assert (found["acknowledged_after_the_election"], found["lost"], found["doubled"]) == (0, 0, 0)


def test_partition_with_fewer_replicas_required_loses_changes(tmp_path):
    """Show that the test above would notice a loss."""
    assert partitioned("sentinels_refuse", 1, tmp_path)["lost"] > 0
