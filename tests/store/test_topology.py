"""Topology: the server that holds a key, while Sentinels or nodes are unresponsive, failing or new."""

import logging
import re

import pytest
import redis
from redis.crc import key_slot
from redis.exceptions import ClusterDownError, RedisClusterException

from skye_server.error_codes import Problem
from skye_server.redis_url import parse
from skye_server.store.connection import topology
from skye_server.store.connection.failures import describe_failure
from skye_server.store.connection.topology import ClusterTopology, SentinelTopology, SingleServer
from skye_server.store.lua_scripts import MinReplicas
from skye_server.store.redis_store import RedisStore
from skye_server.store.shards import key_of
from tests.support.playing import Service

ONE, OTHER = ("10.0.0.1", 6379), ("10.0.0.2", 6379)


def address_of(servers, key="any"):
    kwargs = servers.connection_for(key).connection_pool.connection_kwargs
    return kwargs["host"], kwargs["port"]


class FakeSentinel:
    """A Sentinel that reports a master, or none; while `hangs` it does not respond."""

    fault = ""

    def __init__(self, master=ONE, *, is_down=False, replicas=2):
        self.master, self.is_down, self.replicas, self.hangs = master, is_down, replicas, False

    def sentinel_masters(self):
        if self.hangs:
            self.fault = "hangs"
            raise redis.TimeoutError("hangs")
        if self.master is None:
            return {}
        ip, port = self.master
        state = {"ip": ip, "port": port, "is_master": True, "is_sdown": self.is_down, "is_odown": False}
        return {"skye": state | {"num-other-sentinels": 2, "num-slaves": self.replicas}}


def watched_by(*sentinels):
    servers = SentinelTopology(parse("redis+sentinel://a,b,c/skye"), 2.0)
    servers._sentinels.sentinels = list(sentinels)  # noqa: SLF001 - in place of connections
    return servers


def test_master_that_the_first_sentinel_names_is_used():
    servers = watched_by(FakeSentinel(), FakeSentinel(OTHER))
    assert address_of(servers) == ONE
    assert servers.connection_for("a") is servers.connection_for("b")


def test_sentinels_that_hang_or_miss_the_master_are_passed_over():
    hung = FakeSentinel()
    hung.hangs = True
    assert address_of(watched_by(hung, FakeSentinel(is_down=True), FakeSentinel(OTHER))) == OTHER


def test_new_master_is_used_after_a_failed_call():
    one = FakeSentinel()
    servers = watched_by(one)
    assert address_of(servers) == ONE
    one.master = OTHER
    servers.invalidate()
    assert address_of(servers) == OTHER


def test_last_known_master_is_used_while_no_sentinel_responds():
    one, another = FakeSentinel(), FakeSentinel()
    servers = watched_by(one, another)
    assert address_of(servers) == ONE
    one.hangs = another.hangs = True
    servers.invalidate()
    assert address_of(servers) == ONE


@pytest.mark.parametrize("is_known", [False, True])
def test_no_server_is_used_while_the_sentinels_report_the_master_down(is_known):
    one = FakeSentinel()
    servers = watched_by(one)
    if is_known:
        address_of(servers)
    one.is_down = True
    servers.invalidate()
    with pytest.raises(redis.ConnectionError, match="No master found for 'skye'"):
        address_of(servers)


def test_no_server_is_used_before_a_sentinel_responds():
    one = FakeSentinel()
    one.hangs = True
    with pytest.raises(redis.ConnectionError, match="No master found for 'skye': hangs"):
        address_of(watched_by(one))


def test_unknown_service_is_an_error():
    with pytest.raises(redis.ConnectionError, match="No master found for 'skye'"):
        address_of(watched_by(FakeSentinel(None)))


@pytest.mark.parametrize("timeout_s", [0.2, 1.0, 2.0, 10.0])
def test_call_outlasts_two_lookups_while_no_sentinel_responds(timeout_s):
    servers = SentinelTopology(parse("redis+sentinel://a,b,c,d/skye"), timeout_s)
    timeouts = [
        sentinel.connection_pool.connection_kwargs["socket_timeout"]
        for sentinel in servers._sentinels.sentinels  # noqa: SLF001 - there is no other access
    ]
    assert len(timeouts) == 4
    assert 2 * sum(timeouts) < timeout_s
    assert sum(timeouts) <= 1.0


@pytest.mark.usefixtures("redis_client")
def test_sentinel_with_an_error_reply_is_passed_over(redis_server):
    servers = SentinelTopology(parse(f"redis+sentinel://{redis_server.address},b/skye"), 2.0)
    servers._sentinels.sentinels[1] = FakeSentinel()  # noqa: SLF001 - in place of a connection
    assert address_of(servers) == ONE


def test_replicas_that_sentinels_can_elect_are_counted():
    assert watched_by(FakeSentinel(replicas=3)).replicas() == 3


NO_NODE = RedisClusterException("Redis Cluster cannot be connected")


class FakeNodes:
    """The nodes of a cluster: `masters` of the halves of the slots, with `replicas` each."""

    masters, replicas, error = ["a", "b"], 1, None

    def __init__(self, _seeds, **_options):
        self.initialize()

    def initialize(self, _seeds=(), **_options):
        if self.error:
            raise self.error
        first, second = (
            [topology.ClusterNode(f"{name}{number}", 6379) for number in range(1 + self.replicas)]
            for name in self.masters
        )
        self.slots_cache = dict.fromkeys(range(8192), first) | dict.fromkeys(range(8192, 16384), second)
        self.nodes_cache = {node.name: node for node in (*first, *second)}


@pytest.fixture
def nodes(monkeypatch):
    """The class of the nodes, whose attributes a test sets."""

    class Nodes(FakeNodes):
        pass

    monkeypatch.setattr(topology, "NodesManager", Nodes)
    return Nodes


@pytest.fixture
def cluster(nodes):  # noqa: ARG001 - they are what it finds
    return ClusterTopology(parse("redis+cluster://a,b"), 2.0)


LOW, HIGH = (
    next(f"key{n}" for n in range(100) if (key_slot(b"key%d" % n) < 8192) == is_low)
    for is_low in (True, False)
)


def test_key_is_read_from_the_master_of_its_slot(cluster):
    assert (address_of(cluster, LOW), address_of(cluster, HIGH)) == (("a0", 6379), ("b0", 6379))
    keys = [key_of("game", part) for part in ("game", "log", "record:x")]
    assert len({cluster.connection_for(key) for key in keys}) == 1


def test_failed_call_refreshes_the_slots(cluster, nodes):
    assert address_of(cluster, LOW) == ("a0", 6379)
    nodes.masters = ["c", "b"]
    cluster.invalidate()
    assert address_of(cluster, LOW) == ("c0", 6379)


@pytest.mark.parametrize("error", [NO_NODE, redis.TimeoutError("the lookup exceeded its deadline")])
def test_known_slots_are_used_while_no_node_responds(cluster, nodes, error):
    assert address_of(cluster, LOW) == ("a0", 6379)
    nodes.error = error
    cluster.invalidate()
    assert address_of(cluster, LOW) == ("a0", 6379)


def test_no_node_is_used_before_one_responds(cluster, nodes):
    nodes.error = NO_NODE
    with pytest.raises(ClusterDownError, match="no node responds"):
        address_of(cluster, LOW)


def test_unassigned_slot_is_an_error(cluster, nodes, monkeypatch):
    monkeypatch.setattr(nodes, "initialize", lambda self: vars(self).update(slots_cache={}, nodes_cache={}))
    with pytest.raises(ClusterDownError, match="no node holds slot"):
        address_of(cluster, LOW)


def test_replicas_of_the_largest_shard_are_counted(cluster, nodes):
    nodes.replicas = 2
    assert cluster.replicas() == 2


def test_replicas_of_one_server_are_counted(redis_client):
    assert SingleServer(redis_client).replicas() == 0


@pytest.mark.parametrize(("required", "warns"), [(None, True), (1, True), (2, False), (3, False)])
def test_setting_below_the_number_of_replicas_is_warned_of(required, warns):
    store = RedisStore(
        watched_by(FakeSentinel(replicas=2)), min_replicas=required and MinReplicas(required, timeout_ms=9)
    )
    warnings = store.warnings()
    assert len(warnings) == warns
    assert all("set it to 2" in warning for warning in warnings)


@pytest.mark.usefixtures("stopped_clock")
def test_readiness_shows_the_warning(redis_client, monkeypatch):
    with Service(redis_client) as service:
        assert service.get("/readyz")["warnings"] == []
        monkeypatch.setattr(SingleServer, "replicas", lambda _self: 1)
        assert "set it to 1" in service.get("/readyz")["warnings"][0]


def test_failure_of_sentinels_is_reported_without_objects_of_python(caplog):
    url = "redis+sentinel://127.0.0.1:1,127.0.0.1:2/skye"
    store = RedisStore(SentinelTopology(parse(url), 2.0))
    with caplog.at_level(logging.WARNING), pytest.raises(Problem) as raised:
        store.ping()
    texts = [caplog.messages[-1], describe_failure(raised.value.__cause__, url)]
    for text in texts:
        assert text.count("Connection refused") == 2, text
        assert not re.search(r"[<>]|Error\(", text), text
