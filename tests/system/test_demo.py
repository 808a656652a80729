"""The command `demo` against a running server."""

import contextlib
import os
import re
import subprocess
import sys
import threading

from tests.support.launcher import ROOT
from tests.support.waiting import MAX_RUN_S


def demo(*options, stdout=subprocess.PIPE, **environ):
    """Run the demo to its end."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("SKYE_", "NO_COLOR"))}
    command = [sys.executable, "-m", "skye_server.cli", "demo", *options]
    return subprocess.run(
        command,
        cwd=ROOT,
        env=clean | environ,
        stdout=stdout,
        stderr=subprocess.PIPE,
        text=True,
        timeout=MAX_RUN_S,
        check=False,
    )


def test_demo_plays_a_whole_game_of_four_and_shows_its_end(live):
    played = demo("--url", live.url)
    assert (played.returncode, played.stderr) == (0, "")
    shown = played.stdout
    assert [f"Round {number} of 6" in shown for number in range(1, 8)] == [True] * 6 + [False]
    for phase, times in {"income": 6, "prices": 6, "buy": 24, "build": 24, "score": 6}.items():
        assert len(re.findall(rf"^  {phase} ", shown, re.MULTILINE)) == times
    assert re.search(r"(wins|share the win) with \d+ points\.\n$", shown)
    assert "\x1b" not in shown
    game = re.search(r"/v1/games/(\w+)", shown)[1]
    players = live.call("GET", f"/v1/games/{game}")["players"]
    for player in players:
        assert f"{player['name']}, {player['color']}, {len(player['territory'])} tiles" in shown
    (totals,) = re.findall(r"^total +(.*)$", shown, re.MULTILINE)
    assert [int(total) for total in totals.split()] == [player["score"] for player in players]
    rows = [row.split()[-4:] for row in re.findall(r"^(?:round|final) .*", shown, re.MULTILINE)]
    for seat, player in enumerate(players):
        assert sum(int(row[seat]) for row in rows) == player["score"]


def test_demo_with_options_plays_at_the_address_of_the_settings(live):
    options = ("--players", "5", "--quiet", "--seed", "skye")
    played = [demo(*options, SKYE_BIND=live.url.removeprefix("http://")).stdout for _ in range(2)]
    first, second = (shown.splitlines() for shown in played)
    assert first[1:] == second[1:]  # the same seed, the same game
    assert first[0] != second[0]  # it is another game
    assert "Round 1" not in played[0]
    assert len(re.findall(r", \w+, \d+ tiles", played[0])) == 5


def in_a_terminal(live, **environ):
    ours, theirs = os.openpty()
    read = []

    def listen():
        with contextlib.suppress(OSError):  # raised when the terminal is closed
            while data := os.read(ours, 65536):
                read.append(data)

    listener = threading.Thread(target=listen)
    listener.start()
    try:
        played = demo("--url", live.url, "--players", "2", stdout=theirs, **environ)
    finally:
        os.close(theirs)
        listener.join()
        os.close(ours)
    assert played.returncode == 0
    return b"".join(read)


def test_demo_in_a_terminal_is_colored_unless_no_color_is_set(live):
    assert b"\x1b[" in in_a_terminal(live, TERM="xterm-256color")
    assert b"\x1b[" not in in_a_terminal(live, NO_COLOR="1", TERM="xterm-256color")
