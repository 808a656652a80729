"""A half-open connection, tested in a separate network namespace.

    unshare --net python -m tests.system.half_open_client FOLDER

starts the API, opens a stream and an idle connection, lets none of the client's packets through any more, and
prints how many of the two the API still holds in the end, when both should have been given up: 0.
"""

import sys
from pathlib import Path

from tests.deploy.servers import SHORT_INTERVALS, Instance
from tests.support.launcher import call
from tests.support.waiting import waited_for
from tests.system.hosts import run
from tests.system.raw import connect, get, read_response


def held(port):
    """Return the number of connections of the API."""
    lines = Path("/proc/net/tcp").read_text().splitlines()[1:]
    return sum(line.split()[1].endswith(f":{port:04X}") and line.split()[3] == "01" for line in lines)


def main():
    run("ip", "link", "set", "lo", "up")
    arguments = {"SKYE_WORKERS": "1", "GUNICORN_CMD_ARGS": "--keep-alive 3600"}
    api = Instance(Path(sys.argv[1]) / "api.sock", "memory://", SHORT_INTERVALS, **arguments)
    try:
        api.start()
        game = call(api.url, "POST", "/v1/games", {})["game"]["id"]
        with connect(api.url) as follower, connect(api.url) as idle:
            follower.sendall(get(f"/v1/games/{game}/events/stream"))
            follower.recv(12)
            idle.sendall(get("/v1/tiles/L01"))
            read_response(idle)
            port = follower.getpeername()[1]
            assert held(port) == 2
            for gone in (follower, idle):
                theirs = str(gone.getsockname()[1])
                run("iptables", "-A", "OUTPUT", "-p", "tcp", "--sport", theirs, "-j", "DROP")
            call(api.url, "POST", f"/v1/games/{game}/players", {"name": "Ann"})
            waited_for(lambda: not held(port))
            sys.stdout.write(f"{held(port)}\n")
    finally:
        api.kill()
    return 0


if __name__ == "__main__":
    sys.exit(main())
