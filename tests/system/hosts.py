"""Hosts in network namespaces, joined by a router whose packets a test can drop or refuse.

For a process that is alone in a network namespace: `unshare --net python -m tests.system.partitions`.
"""

import contextlib
import itertools
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from skye_server.server.processes import spawn
from tests.support import programs
from tests.support.launcher import ROOT
from tests.support.missing_programs import NO_NETWORK
from tests.support.waiting import waited_for

DROP = ("-j", "DROP")
"""Packets get no reply: calls hang."""

REFUSE = ("-p", "tcp", "-j", "REJECT", "--reject-with", "tcp-reset")
"""Packets are answered by a reset: calls fail at once."""


def printed_by(module, *arguments):
    """Run a module alone in a network namespace; return its output, or skip the test without namespaces."""
    alone = ["unshare", "--net", *([] if os.geteuid() == 0 else ["--map-root-user"])]
    missing = [program for program in ("unshare", "nsenter", "iptables", "ip") if not shutil.which(program)]
    if missing or programs.finished(*alone, "true").returncode:
        pytest.skip(NO_NETWORK)
    return programs.run(*alone, sys.executable, "-m", module, *arguments, cwd=ROOT)


def run(*command):
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def _namespace(process):
    return Path(f"/proc/{process}/ns/net").readlink()


class Host(NamedTuple):
    """A host; `inside` begins a command that runs there."""

    address: str
    inside: tuple[str, ...]


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
        holder = spawn(
            ["unshare", "--net", "sleep", "infinity"], folder=self._folder, signal_at_our_death=signal.SIGKILL
        )
        self._processes.callback(holder.wait)
        self._processes.callback(holder.kill)
        assert waited_for(lambda: _namespace(holder.pid) != _namespace("self"))
        host = Host(f"10.0.{number}.2", ("nsenter", f"--net=/proc/{holder.pid}/ns/net", "--"))
        router = f"10.0.{number}.1"
        run("ip", "link", "add", f"v{number}", "type", "veth", "peer", "name", "e0", "netns", str(holder.pid))
        run("ip", "address", "add", f"{router}/24", "dev", f"v{number}")
        run("ip", "link", "set", f"v{number}", "up")
        run(*host.inside, "ip", "link", "set", "lo", "up")
        run(*host.inside, "ip", "address", "add", f"{host.address}/24", "dev", "e0")
        run(*host.inside, "ip", "link", "set", "e0", "up")
        run(*host.inside, "ip", "route", "add", "default", "via", router)
        return host

    def part(self, some, others, how=DROP):
        """Let no packets pass between some hosts and others."""
        for one, other in itertools.product(some, others):
            for source, target in ((one, other), (other, one)):
                run("iptables", "-A", "FORWARD", "-s", source.address, "-d", target.address, *how)

    def heal(self):
        run("iptables", "-F", "FORWARD")
