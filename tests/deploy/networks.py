"""Who counts as one client of nginx and of the packet filter, by IPv4 and IPv6; writes the statuses as JSON.

For a process that is alone in a network namespace: `unshare --net python -m tests.deploy.networks yes`. The
instance is a server that answers each request with the beginning of a response, and never ends it.
"""

import itertools
import json
import socket
import subprocess
import sys
import threading
from contextlib import ExitStack
from pathlib import Path

from skye_server.server.processes import stop
from tests.deploy.conftest import short_folder
from tests.deploy.servers import Nginx, nginx_program
from tests.support.launcher import ROOT
from tests.support.waiting import MAX_WAIT_S

HERE = "2001:db8:1:2::1"
SAME = [f"2001:db8:1:2::{number}" for number in range(1, 6)]
LINE_FEEDS = ["2001:db8:a0a:a0a::a", "2001:db8:a0a:a0a::b", "2001:db8:a0a:a0a:a0a::", "2001:db8:a0a:a0a:a::"]
LIMIT = 3


class WideNginx(Nginx):
    """nginx that listens at all addresses, of IPv4 and of IPv6."""

    host = "[::]"


def run(*command):
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


def serve(path):
    """Begin a response to each request at a Unix socket."""
    held, listener = [], socket.socket(socket.AF_UNIX)
    listener.bind(str(path))
    listener.listen(100)

    def accept():
        while True:
            connection, _ = listener.accept()
            held.append(connection)
            connection.recv(65536)
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n:\n\n")

    threading.Thread(target=accept, daemon=True).start()


def opened(stack, source, target, head=""):
    """Begin to follow a game from an address; return the status."""
    family = socket.AF_INET6 if ":" in source else socket.AF_INET
    connection = stack.enter_context(socket.socket(family))
    connection.settimeout(MAX_WAIT_S)
    connection.bind((source, 0))
    connection.connect(target)
    path = "/v1/games/000000000000/events/stream"
    connection.sendall(f"GET {path} HTTP/1.1\r\nHost: localhost\r\n{head}\r\n".encode())
    return int(connection.recv(12)[-3:])


def through_nginx(folder, stack):
    """Yield what was asked, and the statuses."""
    serve(folder / "api-a.sock")
    replaced = [("limit_conn per_address 1000", f"limit_conn per_address {LIMIT}")]
    nginx = WideNginx(nginx_program(), folder, replaced)
    stack.callback(stop, nginx.process, MAX_WAIT_S)
    wide, loopback = (HERE, nginx.port), ("127.0.0.1", nginx.port)
    yield "a /64", [opened(stack, source, wide) for source in SAME]
    yield "another /64", [opened(stack, "2001:db8:1:3::1", wide)]
    yield "line feeds", [opened(stack, source, wide) for source in LINE_FEEDS]
    yield "mapped", [opened(stack, "127.0.0.2", loopback) for _ in range(LIMIT + 1)]
    yield "another mapped", [opened(stack, "127.0.0.3", loopback)]
    of_agents = {
        "a /64 of agents": [f"2001:0db8:0009:0001:0000:0000:0000:000{number}" for number in range(LIMIT + 1)],
        "another of agents": ["2001:0db8:0009:0002:0000:0000:0000:0001"],
        "an agent": ["192.0.2.1"] * (LIMIT + 1),
        "another agent": ["192.0.2.2"],
    }
    for what, addresses in of_agents.items():
        heads = [f"X-Forwarded-For: {address}\r\n" for address in addresses]
        yield what, [opened(stack, "127.0.0.1", ("127.0.0.1", nginx.agents_port), head) for head in heads]


def connects(stack, source, target):
    """Return whether a connection from an address is let through."""
    connection = stack.enter_context(socket.socket(socket.AF_INET6 if ":" in source else socket.AF_INET))
    connection.settimeout(1)
    connection.bind((source, 0))
    try:
        connection.connect(target)
    except OSError:
        return False
    return True


def through_nftables(folder, stack):
    """Yield who connected with the rules of `deploy/nftables`, and whether they were let through."""
    rules = (ROOT / "deploy" / "nftables" / "skye.nft").read_text()
    (folder / "skye.nft").write_text(rules.replace("over 200", f"over {LIMIT}"))
    for _ in range(2):  # it may be loaded again
        run("nft", "-f", folder / "skye.nft")
    listener = stack.enter_context(
        socket.create_server(("::", 8080), family=socket.AF_INET6, dualstack_ipv6=True)
    )
    assert listener
    yield "nft: a /64", [connects(stack, source, (HERE, 8080)) for source in SAME]
    yield "nft: another /64", [connects(stack, "2001:db8:1:3::1", (HERE, 8080))]
    yield "nft: IPv4", [connects(stack, "127.0.0.2", ("127.0.0.1", 8080)) for _ in range(LIMIT + 1)]
    yield "nft: another IPv4", [connects(stack, "127.0.0.3", ("127.0.0.1", 8080))]


def main(has_nftables):
    run("ip", "link", "set", "lo", "up")
    for address in (*SAME, *LINE_FEEDS, "2001:db8:1:3::1"):
        run("ip", "address", "add", f"{address}/128", "dev", "lo", "nodad")
    found = {}
    with short_folder() as folder, ExitStack() as stack:
        found |= dict(through_nginx(Path(folder), stack))
        if has_nftables == "yes":
            found |= dict(through_nftables(Path(folder), stack))
    sys.stdout.write(json.dumps(found))


if __name__ == "__main__":
    main(*itertools.islice(sys.argv, 1, None))
