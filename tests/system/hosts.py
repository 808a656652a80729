"""Hosts in network namespaces, joined by a router whose packets a test can drop or refuse.

For a process that is alone in a network namespace: `unshare --net python -m tests.system.partitions`.
"""

import contextlib
import itertools
import signal
import subprocess
from pathlib import Path

from skye_server.server.processes import spawn
from tests.support.waiting import waited_for

DROP = ("-j", "DROP")
"""Packets get no reply: calls hang."""

REFUSE = ("-p", "tcp", "-j", "REJECT", "--reject-with", "tcp-reset")
"""Packets are answered by a reset: calls fail at once."""


def run(*command):
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def _namespace(process):
    return Path(f"/proc/{process}/ns/net").readlink()


class Network:
    """The router, which reaches every host; `host()` adds one."""

    def __init__(self, folder):
        self._folder = folder
        self._processes = contextlib.ExitStack()
        self._numbers = itertools.count(1)

    def __enter__(self):
        run("ip", "link", "set", "lo", "up")
        Path("/proc/sys/net/ipv4/ip_forward").write_text("1")
        return self

    def __exit__(self, *_):
        self._processes.close()

    def host(self):
        number = next(self._numbers)
        holder = self.started(["unshare", "--net", "sleep", "infinity"])
        assert waited_for(lambda: _namespace(holder.pid) != _namespace("self"))
        host = Host(self, f"10.0.{number}.2", holder.pid)
        router = f"10.0.{number}.1"
        run("ip", "link", "add", f"v{number}", "type", "veth", "peer", "name", "e0", "netns", str(holder.pid))
        run("ip", "address", "add", f"{router}/24", "dev", f"v{number}")
        run("ip", "link", "set", f"v{number}", "up")
        run(*host.inside, "ip", "link", "set", "lo", "up")
        run(*host.inside, "ip", "address", "add", f"{host.address}/24", "dev", "e0")
        run(*host.inside, "ip", "link", "set", "e0", "up")
        run(*host.inside, "ip", "route", "add", "default", "via", router)
        return host

    def started(self, command):
        """Start a process that is killed with the network."""
        process = spawn(command, folder=self._folder, signal_at_our_death=signal.SIGKILL)
        self._processes.callback(process.wait)
        self._processes.callback(process.kill)
        return process

    def part(self, some, others, how=DROP):
        """Let no packets pass between some hosts and others."""
        for one, other in itertools.product(some, others):
            for source, target in ((one, other), (other, one)):
                run("iptables", "-A", "FORWARD", "-s", source.address, "-d", target.address, *how)

    def heal(self):
        run("iptables", "-F", "FORWARD")


class Host:
    """A host; `inside` begins a command that runs there."""

    def __init__(self, network, address, pid):
        self._network = network
        self.address = address
        self.inside = ("nsenter", f"--net=/proc/{pid}/ns/net", "--")

    def start(self, *command):
        """Start a process here that is killed with the network."""
        return self._network.started([*self.inside, *command])
