"""Cluster topology: which node holds a key, while nodes are unreachable, failing or new."""

import pytest
import redis
from redis.crc import key_slot

from service.storage import cluster
from service.storage.redis_url import parse
from tests.support.topology_servers import FakeTopologyServer

HALF = 8192


class Nodes:
    """Two masters, a and b, each with a replica; `c` and `d`. The others report those in `failing`."""

    def __init__(self):
        self.ranges = [("a", 0, HALF - 1, "c"), ("b", HALF, 16383, "d")]
        self.failing = set()
        self.by_name = {name: FakeTopologyServer(self._replies) for name in "abcd"}

    def _replies(self):
        slots = [
            [start, end, *([host.encode(), 6379, host.encode() * 40] for host in (master, replica))]
            for master, start, end, replica in self.ranges
        ]
        flags = {name: "fail?" if name in self.failing else "nofailover" for name in self.by_name}
        lines = [f"{name * 40} {name}:6379@16379 master,{flags[name]} - 0" for name in self.by_name]
        return [slots, "\n".join(lines).encode()]


@pytest.fixture
def nodes():
    return Nodes()


@pytest.fixture
def now(monkeypatch):
    """The time, as a list of one."""
    time = [100.0]
    monkeypatch.setattr("time.monotonic", lambda: time[0])
    return time


@pytest.fixture
def servers(nodes, now, monkeypatch):  # noqa: ARG001 - it sets the clock
    """The topology of the cluster, from node `a` and a seed node that does not exist."""

    class FakePool(cluster.ClientPool):
        def client_at(self, address):
            return nodes.by_name[address[0]]

    made = cluster.ClusterTopology(parse("redis+cluster://a,b"), 2.0)
    monkeypatch.setattr(made, "_lookup_clients", FakePool({}, 1.0))
    return made


def key_in(first_half):
    """Return a key in the first half of the slots, or in the second."""
    return next(f"key{n}" for n in range(100) if (key_slot(b"key%d" % n) < HALF) == first_half)


LOW, HIGH = key_in(True), key_in(False)


def host_of(servers, key):
    return servers.connection_for(key).connection_pool.connection_kwargs["host"]


def test_key_is_read_from_the_node_that_holds_its_slot(servers):
    assert (host_of(servers, LOW), host_of(servers, HIGH)) == ("a", "b")
    assert servers.connection_for(LOW) is servers.connection_for(LOW)


def test_keys_with_one_hash_tag_map_to_one_node(servers):
    keys = [f"skye:{{game}}:{part}" for part in ("table", "log", "answer:x")]
    assert len({servers.connection_for(key) for key in keys}) == 1


def test_failure_refreshes_the_topology(servers, nodes, now):
    assert host_of(servers, LOW) == "a"
    nodes.ranges = [("c", 0, HALF - 1, "a"), nodes.ranges[1]]
    now[0] += 0.1
    assert host_of(servers, LOW) == "a"  # not invalidated
    servers.invalidate(redis.ConnectionError())
    assert host_of(servers, LOW) == "c"


def test_topology_is_refreshed_after_its_ttl(servers, nodes, now):
    assert host_of(servers, LOW) == "a"
    nodes.ranges = [("c", 0, HALF - 1, "a"), nodes.ranges[1]]
    now[0] += 3
    assert host_of(servers, LOW) == "c"


def test_keys_of_a_node_that_the_others_miss_are_unavailable(servers, nodes):
    nodes.failing = {"a"}
    with pytest.raises(redis.exceptions.ClusterDownError, match="is down"):
        servers.connection_for(LOW)
    assert host_of(servers, HIGH) == "b"


def test_unassigned_slot_is_an_error(servers, nodes):
    nodes.ranges = nodes.ranges[1:]
    with pytest.raises(redis.exceptions.ClusterDownError, match="no node holds slot"):
        servers.connection_for(LOW)
    assert host_of(servers, HIGH) == "b"


def test_unreachable_nodes_are_queried_last(servers, nodes, now):
    nodes.by_name["a"].silent = nodes.by_name["b"].silent = True
    with pytest.raises(redis.exceptions.ClusterDownError, match="no node responds: silent"):
        servers.connection_for(LOW)
    nodes.by_name["b"].silent = False
    now[0] += 1
    assert host_of(servers, LOW) == "a"
    nodes.failing = {"a"}
    asked = nodes.by_name["a"].asked
    for _ in range(20):
        now[0] += 3
        host_of(servers, HIGH)
    assert nodes.by_name["a"].asked <= asked + 1  # before it was known to fail


def test_topology_of_a_node_that_left_the_cluster_is_ignored(servers, nodes, now):
    assert host_of(servers, LOW) == "a"
    for name in "acd":
        nodes.by_name[name].answers = lambda: [[], b"self :6379@16379 myself,master - 0 0 0 connected"]
    for _ in range(5):
        servers.invalidate(redis.ConnectionError())
        now[0] += 1
        assert host_of(servers, HIGH) == "b"
    assert nodes.by_name["b"].asked >= 5


def test_moved_reply_refreshes_the_topology(servers, nodes, now):
    assert host_of(servers, LOW) == "a"
    for name in "ab":
        nodes.by_name[name].silent = True
    nodes.ranges = [("d", 0, 16383, "c")]
    now[0] += 0.1
    servers.invalidate(redis.exceptions.MovedError("1 d:6379"))
    assert host_of(servers, LOW) == "d"
    assert nodes.by_name["d"].asked == 1


def test_cluster_is_found_after_all_named_nodes_were_replaced(servers, nodes, now):
    host_of(servers, LOW)
    nodes.by_name["a"].silent = nodes.by_name["b"].silent = True
    nodes.ranges = [("c", 0, HALF - 1, "d"), ("d", HALF, 16383, "c")]
    servers.invalidate(redis.ConnectionError())
    now[0] += 0.1
    assert (host_of(servers, LOW), host_of(servers, HIGH)) == ("c", "d")
