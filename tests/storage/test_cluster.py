"""Which node of a cluster holds a key, as the nodes say: some of them away, failing, or new."""

import pytest
import redis
from redis.crc import key_slot

from service.storage import cluster
from service.storage.redis_url import parse
from tests.support.informants import Informant

HALF = 8192


class Nodes:
    """Two masters, a and b, each with a replica; `c` and `d`. `failing` are those said not to answer."""

    def __init__(self):
        self.ranges = [("a", 0, HALF - 1, "c"), ("b", HALF, 16383, "d")]
        self.failing = set()
        self.by_name = {name: Informant(self._told) for name in "abcd"}

    def _told(self):
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
    """A cluster as its client knows it, from node `a` and one that is not there."""

    class Askers(cluster.ClientPool):
        def client_at(self, address):
            return nodes.by_name[address[0]]

    made = cluster.ClusterTopology(parse("redis+cluster://a,b"), 2.0)
    monkeypatch.setattr(made, "_lookup_clients", Askers({}, 1.0))
    return made


def key_in(first_half):
    """Return a key in the first half of the slots, or in the second."""
    return next(f"key{n}" for n in range(100) if (key_slot(b"key%d" % n) < HALF) == first_half)


LOW, HIGH = key_in(True), key_in(False)


def host_of(servers, key):
    return servers.connection_for(key).connection_pool.connection_kwargs["host"]


def test_each_key_is_asked_for_where_it_is(servers):
    assert (host_of(servers, LOW), host_of(servers, HIGH)) == ("a", "b")
    assert servers.connection_for(LOW) is servers.connection_for(LOW)


def test_all_keys_with_one_tag_are_at_one_node(servers):
    keys = [f"skye:{{game}}:{part}" for part in ("table", "log", "answer:x")]
    assert len({servers.connection_for(key) for key in keys}) == 1


def test_after_a_failure_the_nodes_are_asked_anew(servers, nodes, now):
    assert host_of(servers, LOW) == "a"
    nodes.ranges = [("c", 0, HALF - 1, "a"), nodes.ranges[1]]
    now[0] += 0.1
    assert host_of(servers, LOW) == "a"  # nobody has doubted it
    servers.invalidate(redis.ConnectionError())
    assert host_of(servers, LOW) == "c"


def test_now_and_then_they_are_asked_without_any_failure(servers, nodes, now):
    assert host_of(servers, LOW) == "a"
    nodes.ranges = [("c", 0, HALF - 1, "a"), nodes.ranges[1]]
    now[0] += 3
    assert host_of(servers, LOW) == "c"


def test_nobody_is_asked_for_the_keys_of_a_node_that_the_others_miss(servers, nodes):
    nodes.failing = {"a"}
    with pytest.raises(redis.exceptions.ClusterDownError, match="is down"):
        servers.connection_for(LOW)
    assert host_of(servers, HIGH) == "b"


def test_a_slot_that_nobody_holds_is_told(servers, nodes):
    nodes.ranges = nodes.ranges[1:]
    with pytest.raises(redis.exceptions.ClusterDownError, match="no node holds slot"):
        servers.connection_for(LOW)
    assert host_of(servers, HIGH) == "b"


def test_nodes_that_are_away_are_asked_last(servers, nodes, now):
    nodes.by_name["a"].silent = nodes.by_name["b"].silent = True
    with pytest.raises(redis.exceptions.ClusterDownError, match="no node answers: silent"):
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


def test_a_node_that_has_left_the_cluster_is_not_believed(servers, nodes, now):
    assert host_of(servers, LOW) == "a"
    for name in "acd":
        nodes.by_name[name].answers = lambda: [[], b"self :6379@16379 myself,master - 0 0 0 connected"]
    for _ in range(5):
        servers.invalidate(redis.ConnectionError())
        now[0] += 1
        assert host_of(servers, HIGH) == "b"
    assert nodes.by_name["b"].asked >= 5


def test_who_answers_that_a_key_has_moved_knows_where(servers, nodes, now):
    assert host_of(servers, LOW) == "a"
    for name in "ab":
        nodes.by_name[name].silent = True
    nodes.ranges = [("d", 0, 16383, "c")]
    now[0] += 0.1
    servers.invalidate(redis.exceptions.MovedError("1 d:6379"))
    assert host_of(servers, LOW) == "d"
    assert nodes.by_name["d"].asked == 1


def test_a_cluster_of_which_no_node_named_is_left_is_still_found(servers, nodes, now):
    host_of(servers, LOW)
    nodes.by_name["a"].silent = nodes.by_name["b"].silent = True
    nodes.ranges = [("c", 0, HALF - 1, "d"), ("d", HALF, 16383, "c")]
    servers.invalidate(redis.ConnectionError())
    now[0] += 0.1
    assert (host_of(servers, LOW), host_of(servers, HIGH)) == ("c", "d")
