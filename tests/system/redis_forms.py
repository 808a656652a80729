"""Redis in its other forms, behind Sentinels and as a cluster, of servers to kill or suspend.

Nothing but the server's own program is needed: it is its own Sentinel, and the cluster is joined by commands.
The servers are on loopback, or each is on a host of its own, which `new_host` returns.
"""

import contextlib
import signal
from urllib.parse import quote

import redis
from redis.crc import key_slot

from skye_server.server.processes import spawn
from tests.support.ports import free_port
from tests.support.programs import finished, run
from tests.support.waiting import MAX_WAIT_S, waited_for

PASSWORD = "it's a secret/@:?"
SERVICE = "skye"

FAILOVER_MS, NO_FAILOVER_MS = 2000, 600_000
"""How long a master may be silent before it is replaced; the second where slowness must not cause that."""

# A master that comes back empty before anybody has missed it makes its replicas empty, too.
KEPT = ("--save", "", "--appendonly", "yes", "--repl-diskless-sync-delay", "0", "--logfile", "redis.log")


class Loopback:
    """The host of servers that share one."""

    address = "127.0.0.1"
    inside = ()


class Server:
    """One server of the program, in a folder of its own."""

    def __init__(self, program, folder, *arguments, sentinel=False, host=Loopback):
        self.host, self.port = host, free_port()
        self._command = [program, *arguments]
        self._sentinel = sentinel
        self._folder = folder / str(self.port)
        self._folder.mkdir()
        self._is_suspended = False
        self.process = None

    def start(self):
        """Start it, and wait until it answers."""
        command = list(self._command)
        if self._sentinel:  # which writes what it finds into the file it is started with
            config = self._folder / "sentinel.conf"
            if not config.exists():
                config.write_text("".join(f"{line}\n" for line in self._command[1:]))
            command = [self._command[0], config, "--sentinel", "--logfile", "redis.log"]
        command += ["--port", str(self.port), "--bind", self.host.address]
        self._is_suspended = False
        self.process = spawn(
            [*self.host.inside, *command], folder=self._folder, signal_at_our_death=signal.SIGKILL
        )
        assert waited_for(self.answers), (self._folder / "redis.log").read_text()

    def kill(self):
        self.process.kill()
        self.process.wait()

    def suspend(self):
        self.process.send_signal(signal.SIGSTOP)
        self._is_suspended = True

    def resume(self):
        self.process.send_signal(signal.SIGCONT)
        self._is_suspended = False

    def answers(self):
        with contextlib.suppress(redis.RedisError):
            return self.info("server")["process_id"] == self.process.pid
        return False

    def ask(self, *command):
        """Return the reply to a command.

        :raises redis.RedisError: At once if the server is suspended: others may only be slow.
        """
        if self._is_suspended:
            raise redis.TimeoutError("the server is suspended")
        patience = {"socket_timeout": MAX_WAIT_S, "retry": None}
        with redis.Redis(self.host.address, self.port, password=PASSWORD, **patience) as client:
            return client.execute_command(*command)

    def info(self, section="replication"):
        """Return the output of INFO."""
        return self.ask("INFO", section)

    def is_master_of(self, replicas):
        """Return whether it is a master with a number of up-to-date replicas."""
        state = self.info()
        online = [state[f"slave{number}"]["state"] for number in range(state["connected_slaves"])]
        return state["role"] == "master" and online == ["online"] * replicas

    def is_replica(self):
        """Return whether it is an up-to-date replica."""
        state = self.info()
        return state["role"] == "slave" and state["master_link_status"] == "up"


class _Form:
    """Servers that are started together, and ended together."""

    def __init__(self, new_host):
        self.new_host = new_host or (lambda: Loopback)
        self._running = contextlib.ExitStack()

    def run(self, server):
        server.start()
        self._running.callback(server.kill)

    def __enter__(self):
        with contextlib.ExitStack() as unless_started:
            unless_started.callback(self._running.close)
            self.start()
            unless_started.pop_all()
        return self

    def __exit__(self, *_):
        self._running.close()

    def wait_until_whole(self):
        assert waited_for(self.is_whole)


class Sentinels(_Form):
    """A master, its replicas, and three Sentinels that monitor them."""

    def __init__(self, program, folder, failover_ms=FAILOVER_MS, *, replicas=3, new_host=None):
        super().__init__(new_host)
        self._replicas = replicas
        known = ("--requirepass", PASSWORD, "--masterauth", PASSWORD)
        self.servers = [
            Server(program, folder, *KEPT, *known, host=self.new_host()) for _ in range(1 + replicas)
        ]
        first = self.servers[0]
        watched = [
            f"sentinel monitor {SERVICE} {first.host.address} {first.port} 2",
            f'sentinel auth-pass {SERVICE} "{PASSWORD}"',
            f"sentinel down-after-milliseconds {SERVICE} {failover_ms}",
            f"sentinel failover-timeout {SERVICE} 5000",
            f'requirepass "{PASSWORD}"',
        ]
        self.sentinels = [
            Server(program, folder, *watched, sentinel=True, host=self.new_host()) for _ in range(3)
        ]
        # A client of the Sentinels meets first one that is gone and one that does not respond.
        self._gone = Server(program, folder)
        self._unresponsive = Server(program, folder, f'requirepass "{PASSWORD}"', sentinel=True)

    @property
    def url(self):
        asked = (self._gone, self._unresponsive, *self.sentinels)
        word = quoted(PASSWORD)
        return f"redis+sentinel://:{word}@{addresses(asked)}/{SERVICE}?sentinel_password={word}"

    def start(self):
        for server in self.servers:
            self.run(server)
        for replica in self.servers[1:]:
            replica.ask("REPLICAOF", self.servers[0].host.address, str(self.servers[0].port))
        assert waited_for(lambda: self.servers[0].is_master_of(self._replicas))
        for sentinel in (self._unresponsive, *self.sentinels):
            self.run(sentinel)
        self._unresponsive.suspend()
        self.wait_until_whole()

    def master(self, _key=None):
        """Return the server that the Sentinels call the master."""
        port = self.sentinels[-1].ask("SENTINEL GET-MASTER-ADDR-BY-NAME", SERVICE)[1]
        return next(server for server in self.servers if server.port == int(port))

    def is_whole(self):
        """Return whether every server can take over, and every Sentinel knows all the others.

        To them all the last failover must be over: who leads one in the middle of which the new master fails
        turns the replicas to the old one again, and they forget what it does not have.
        """
        with contextlib.suppress(redis.RedisError, KeyError):
            for sentinel in self.sentinels:
                state = sentinel.ask("SENTINEL MASTER", SERVICE)
                if (state["num-slaves"], state["num-other-sentinels"]) != (self._replicas, 2):
                    return False
                if state["flags"] != "master":
                    return False
            return self.master().is_master_of(self._replicas)
        return False


class Cluster(_Form):
    """Three masters, each with the same number of replicas."""

    def __init__(self, program, folder, *options, replicas=1, failover_ms=FAILOVER_MS, new_host=None):
        super().__init__(new_host)
        self._replicas = replicas
        own = ("--cluster-enabled", "yes", "--cluster-node-timeout", str(failover_ms))
        own += ("--requirepass", PASSWORD, "--masterauth", PASSWORD)
        own += ("--cluster-migration-barrier", str(replicas + 1), *options)
        self.servers = [
            Server(program, folder, *KEPT, *own, host=self.new_host()) for _ in range(3 * (1 + replicas))
        ]

    @property
    def url(self):
        return f"redis+cluster://:{quoted(PASSWORD)}@{addresses(self.servers[:4])}"

    def start(self):
        for server in self.servers:
            self.run(server)
        first, masters, replicas = self.servers[0], self.servers[:3], self.servers[3:]
        bounds = [0, 5461, 10923, 16384]
        for number, master in enumerate(masters):
            master.ask("CLUSTER SET-CONFIG-EPOCH", number + 1)
            master.ask("CLUSTER ADDSLOTS", *range(bounds[number], bounds[number + 1]))
        for server in self.servers[1:]:
            server.ask("CLUSTER MEET", first.host.address, first.port)
        assert waited_for(
            lambda: all(len(server.ask("CLUSTER NODES")) == len(self.servers) for server in self.servers)
        )
        for number, replica in enumerate(replicas):
            replica.ask("CLUSTER REPLICATE", masters[number % 3].ask("CLUSTER MYID").decode())
        self.wait_until_whole()

    def master(self, key):
        """Return the server that holds a key, as most of the servers see it."""
        slot, votes = key_slot(key.encode()), []
        for server in self.servers:
            with contextlib.suppress(redis.RedisError):
                for start, end, (_, port, *_), *_ in server.ask("CLUSTER SLOTS"):
                    votes += [port] * (start <= slot <= end)
        port = max(votes, key=votes.count)
        return next(server for server in self.servers if server.port == port)

    def is_whole(self):
        """Return whether every slot is served, and every master has all its replicas, up to date."""
        with contextlib.suppress(redis.RedisError, KeyError):
            if any(server.ask("CLUSTER INFO")["cluster_state"] != "ok" for server in self.servers):
                return False
            masters = [server for server in self.servers if server.info()["role"] == "master"]
            others = [server for server in self.servers if server not in masters]
            return len(masters) == 3 and all(
                [
                    *(server.is_master_of(self._replicas) for server in masters),
                    *(server.is_replica() for server in others),
                ]
            )
        return False


def addresses(servers):
    """Return the addresses of servers as a URL has them."""
    return ",".join(f"{server.host.address}:{server.port}" for server in servers)


def quoted(part):
    """Return a part of a URL as it is written there."""
    return quote(str(part), safe="")


def supports_tls(program):
    """Return whether a server program was built with TLS.

    Redis without TLS refuses the setting; Valkey without TLS accepts it and fails when it starts.
    """
    tried = finished(program, "--port", "0", "--tls-port", "1")
    return "Failed to configure TLS" in tried.stdout + tried.stderr  # there is no certificate


def certificate(openssl, folder):
    """Create a self-signed certificate for 127.0.0.1; return the paths of the key and the certificate."""
    key, made = folder / "server.key", folder / "server.crt"
    command = [openssl, "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1", "-subj", "/CN=skye"]
    command += ["-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", made]
    run(*command)
    return key, made
