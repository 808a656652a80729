"""The bot host plays many games over one stream, through restarts of the server and of its own."""

import subprocess
import sys

import pytest

from tests.examples.conftest import EXAMPLES, ROOT, call
from tests.support.launcher import launching
from tests.support.ports import free_port
from tests.support.waiting import MAX_RUN_S, waited_for

GAMES = 20


@pytest.fixture
def hosting(tmp_path):
    """A function that starts the bot host on a server; the host is killed at the end."""
    program, started = EXAMPLES / "python" / "bot_host.py", []
    command = ["env", f"PYTHONPATH={ROOT / 'clients' / 'python'}", sys.executable, str(program)]
    options = ["--key", str(tmp_path / "key"), "--games", str(GAMES), "--until-over"]

    def start(url):
        started.append(
            subprocess.Popen([*command, "--api", url, *options], stdout=subprocess.PIPE, text=True)
        )
        return started[-1]

    yield start
    for process in started:
        process.kill()
        process.wait()
        process.stdout.close()


def own_games(url, tmp_path):
    """Return the games of the host's key."""
    key = (tmp_path / "key").read_text()
    return call(url, "GET", "/v1/me/games?limit=100", token=key)["games"]


def rounds_played(url, tmp_path):
    """Return how many rounds have begun in all games of the key."""
    return sum(own["game"]["round"] for own in own_games(url, tmp_path))


def test_bot_host_plays_all_games_through_restarts(hosting, tmp_path):
    bind = f"127.0.0.1:{free_port()}"
    with launching(tmp_path) as start:
        server = start(SKYE_BIND=bind, SKYE_DISPATCHERS="1")
        url = server.url
        host = hosting(url)
        assert host.stdout.readline() == "playing\n"
        assert waited_for(lambda: rounds_played(url, tmp_path) > GAMES)
        server.end()
        url = start(SKYE_BIND=bind, SKYE_DISPATCHERS="1").url
        again = rounds_played(url, tmp_path)
        assert waited_for(lambda: rounds_played(url, tmp_path) > again)
        assert host.poll() is None
        host.kill()
        host = hosting(url)
        host.communicate(timeout=MAX_RUN_S)
        assert host.returncode == 0
        statuses = [own["game"]["status"] for own in own_games(url, tmp_path)]
    assert statuses == ["finished"] * GAMES
