"""The command `demo` against a running server."""

import ast
import contextlib
import http.server
import os
import re
import socket
import subprocess
import sys
import threading

import pytest

from tests.support.launcher import ROOT
from tests.support.ports import free_port
from tests.support.sizes import sampled
from tests.support.threads import running
from tests.support.waiting import MAX_RUN_S, MAX_WAIT_S


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


def test_demo_plays_a_whole_game_of_four(live):
    played = demo("--url", live.url)
    assert (played.returncode, played.stderr) == (0, "")
    assert [f"Round {number} of 6" in played.stdout for number in range(1, 8)] == [True] * 6 + [False]
    for phase, times in {"income": 6, "prices": 6, "buy": 24, "build": 24, "score": 6}.items():
        assert len(re.findall(rf"^  {phase} ", played.stdout, re.MULTILINE)) == times
    assert re.search(r"(wins|share the win) with \d+ points\.\n$", played.stdout)
    assert "\x1b" not in played.stdout


@pytest.mark.slow
def test_demo_ends_with_the_territories_and_points_of_the_server(live):
    shown = demo("--url", live.url, "--quiet").stdout
    assert "Round 1" not in shown
    game = re.search(r"/v1/games/(\w+)", shown)[1]
    players = live.call("GET", f"/v1/games/{game}")["players"]
    for player in players:
        assert f"{player['name']}, {player['color']}, {len(player['territory'])} tiles" in shown
    (totals,) = re.findall(r"^total +(.*)$", shown, re.MULTILINE)
    assert [int(total) for total in totals.split()] == [player["score"] for player in players]
    rows = [row.split()[-4:] for row in re.findall(r"^(?:round|final) .*", shown, re.MULTILINE)]
    for seat, player in enumerate(players):
        assert sum(int(row[seat]) for row in rows) == player["score"]


@pytest.mark.slow
def test_demo_with_the_same_seed_prints_the_same_game(live):
    first, second = (
        demo("--url", live.url, "--seed", "skye", "--players", "2").stdout.splitlines() for _ in range(2)
    )
    assert first[1:] == second[1:]
    assert first[0] != second[0]  # it is another game


@pytest.mark.slow
@pytest.mark.parametrize(("players", "rounds"), sampled([(5, 5), (2, 6), (3, 6)], 3))
def test_demo_seats_the_number_of_players_of_the_option(live, players, rounds):
    shown = demo("--url", live.url, "--players", str(players)).stdout
    assert f"Round {rounds} of {rounds}" in shown
    assert len(re.findall(r", \w+, \d+ tiles", shown)) == players


@pytest.mark.slow
def test_demo_without_url_plays_at_the_address_of_the_settings(live):
    address = live.url.removeprefix("http://")
    assert demo("--players", "2", "--quiet", SKYE_BIND=address).returncode == 0


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


@pytest.mark.slow
def test_demo_in_a_terminal_is_colored_unless_no_color_is_set(live):
    assert b"\x1b[" in in_a_terminal(live, TERM="xterm-256color")
    assert b"\x1b[" not in in_a_terminal(live, NO_COLOR="1", TERM="xterm-256color")


def test_demo_without_a_server_reports_it_in_one_line():
    port = free_port()
    played = demo(SKYE_BIND=f"127.0.0.1:{port}")
    assert played.returncode == 1
    assert played.stdout == ""
    assert played.stderr.startswith(f"Error: No server responds at http://127.0.0.1:{port} (")
    assert played.stderr.endswith("Start one with: make serve\n")
    assert played.stderr.count("\n") == 1


def test_demo_ends_with_the_problem_that_the_server_reports(live):
    played = demo("--url", live.url, "--seed", "s" * 65)
    assert played.returncode == 1
    assert "The server reported a problem:" in played.stderr
    assert '"status": 422' in played.stderr
    assert '"code": "invalid_body"' in played.stderr
    assert "Traceback" not in played.stderr


class _Teapot(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(b"<html>tea</html>")

    def log_message(self, *_):
        pass


def test_demo_ends_at_a_response_that_is_no_json():
    with http.server.HTTPServer(("127.0.0.1", 0), _Teapot) as server:
        server.timeout = MAX_WAIT_S
        with running(server.handle_request):
            played = demo("--url", f"http://127.0.0.1:{server.server_port}")
    assert played.returncode == 1
    assert played.stderr.startswith("Error: No valid response: POST /v1/games: ")


def test_demo_ends_when_the_server_disconnects():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        listener.settimeout(MAX_WAIT_S)
        with running(lambda: listener.accept()[0].close()):  # noqa: PLW0108 - it waits
            played = demo("--url", f"http://127.0.0.1:{listener.getsockname()[1]}")
    assert played.returncode == 1
    assert played.stderr.startswith("Error: No valid response: POST /v1/games: ")


@pytest.mark.parametrize("url", ["ftp://here", "127.0.0.1:8000", "http://here:port"])
def test_demo_reports_an_invalid_url(url):
    played = demo("--url", url)
    assert played.returncode == 1
    assert played.stderr.startswith(f"Error: {url} is not a URL such as http://127.0.0.1:8000.")


def test_demo_imports_no_rules():
    """The demo plays listed actions, with the client package."""
    imported = set()
    for module in ("cli/demo", "cli/terminal"):
        for node in ast.walk(ast.parse((ROOT / "service" / "skye_server" / f"{module}.py").read_bytes())):
            if isinstance(node, ast.Import):
                imported |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                imported.add(node.module)
    ours = {"skye_server.settings", "skye_server.cli.terminal"}
    assert {name.partition(".")[0] for name in imported - ours} <= sys.stdlib_module_names | {
        "click",
        "rich",
        "skye_client",
    }
