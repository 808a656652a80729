"""A hostile bot as a command. Its argument names how it harms the arena or looks for secrets.

In round 1 it plays, so that it passes the check before the first game.
"""

import contextlib
import json
import os
import signal
import sys
import time
from pathlib import Path

MEGABYTE = b"x" * 2**20


def flood(_request):
    while True:
        os.write(1, MEGABYTE)


def chatter(_request):
    while True:
        os.write(2, MEGABYTE)


def early(request):
    """Reply to a decision that has not been asked for."""
    write({"id": request["id"] + 1, "move": {"type": "finish_building"}})


def deep(_request):
    write_text("[" * 60_000)


def number(_request):
    write_text('{"id": ' + "9" * 60_000 + "}")


def array(request):
    write([request["id"]])


def binary(_request):
    os.write(1, b"\xff\xfe\x00\n")


def half(_request):
    """Begin a line and never end it."""
    os.write(1, b'{"id": ')


def close(_request):
    os.close(1)


def price(request):
    """Offer more gold than there is."""
    discard, *kept = request["offer"]["tiles"]
    prices = dict.fromkeys(kept, 10**9)
    write({"id": request["id"], "move": {"type": "set_offer", "discard": discard, "prices": prices}})


def fraction(request):
    """Offer prices that are no whole numbers."""
    discard, *kept = request["offer"]["tiles"]
    write(
        {
            "id": request["id"],
            "move": {"type": "set_offer", "discard": discard, "prices": dict.fromkeys(kept, 1.5)},
        }
    )


def burn():
    begun = time.process_time()
    while time.process_time() - begun < 0.3:
        pass


def ignore(request):
    """Compute in a child whose end this process ignores, so that its time is added to no other."""
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    if os.fork() == 0:
        burn()
        os._exit(0)
    with contextlib.suppress(ChildProcessError):
        os.wait()
    search(request)


def daemon(request):
    """Compute in a process of another session, which is no child of this one, and which stays."""
    end, daemons_end = os.pipe()
    child = os.fork()
    if child == 0:
        os.setsid()
        if os.fork() != 0:
            os._exit(0)
        burn()
        os.write(daemons_end, b"x")
        time.sleep(600)
    os.waitpid(child, 0)
    os.read(end, 1)
    os.close(end)
    os.close(daemons_end)
    search(request)


def search(request):
    """Fail with a secret that the request or this process holds; otherwise play."""
    position = request["position"]
    if position.get("seed") is not None:
        sys.exit(f"found a seed: {position['seed']}")
    for seat, player in enumerate(position["players"]):
        secret = position["phase"] == "pricing" and seat != request["seat"]
        if secret and any(tile["price"] not in (None, 1) for tile in player["tiles_on_offer"]):
            sys.exit(f"found an offer: {player['tiles_on_offer']}")
    descriptors = (
        {int(path.name) for path in Path("/proc/self/fd").iterdir()} if Path("/proc").is_dir() else set()
    )
    inherited = {fd for fd in descriptors - {0, 1, 2} if is_open(fd)}
    if inherited:
        sys.exit(f"found open files: {inherited}")
    move = next(iter(request["moves"]), None)
    if request["offer"]:
        discard, *kept = request["offer"]["tiles"]
        move = {
            "type": "set_offer",
            "discard": discard,
            "prices": dict.fromkeys(kept, request["offer"]["minimum"]),
        }
    write({"id": request["id"], "move": move})


def is_open(fd):
    """Return whether a descriptor is open; the descriptor of the directory listing is closed by now."""
    try:
        os.fstat(fd)
    except OSError:
        return False
    return True


def write(reply):
    write_text(json.dumps(reply))


def write_text(text):
    os.write(1, text.encode() + b"\n")


if __name__ == "__main__":
    trick = globals()[sys.argv[1]]
    for line in sys.stdin:
        request = json.loads(line)
        (search if request["position"]["round"] == 1 else trick)(request)
