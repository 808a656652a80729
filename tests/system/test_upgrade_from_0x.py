"""The upgrade from the last version before 1.0.0, which is built from the history of the repository."""

import io
import os
import subprocess
import tarfile

import pytest

from skye_client import GameView, Skye
from tests.support.comparing import without_time
from tests.support.launcher import PATIENT, ROOT, Launched, kill_all

pytestmark = pytest.mark.slow

LAST_0X = "9cb3720c9d527a445dc16dcf0e010bd4bdc48882"
PACKAGES = ("engine", "service", "clients/python")


@pytest.fixture(scope="module")
def old(tmp_path_factory):
    """The folder of the last version before 1.0.0."""
    command = ["git", "archive", LAST_0X, *PACKAGES, "clients/typescript/src", "web"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, check=False)
    if done.returncode:
        pytest.skip("the history of the repository does not reach back to the last version before 1.0.0")
    folder = tmp_path_factory.mktemp("0.x")
    with tarfile.open(fileobj=io.BytesIO(done.stdout)) as files:
        files.extractall(folder, filter="data")
    return folder


@pytest.fixture
def serve(tmp_path):
    """A function that serves the version in a folder, and kills it at the end."""
    launched = []

    def start(folder, **settings):
        clean = {name: value for name, value in os.environ.items() if not name.startswith("SKYE_")}
        own = {"SKYE_BIND": "127.0.0.1:0", "SKYE_WORKERS": "1", "SKYE_DATA_DIR": str(tmp_path / "data")}
        path = os.pathsep.join(str(folder / package) for package in PACKAGES)
        environ = clean | PATIENT | own | {"PYTHONPATH": path} | settings
        launched.append(Launched(environ, tmp_path / f"{len(launched)}.log", cwd=tmp_path))
        return launched[-1]

    yield start
    for one in launched:
        kill_all(one.process)


def created(url):
    """Create a game of Ann against a bot; return its id and the token of her seat."""
    with Skye(url) as client:
        body = {"players": [{"name": "Ann"}, {"bot": "greedy"}], "auto_start": True}
        seat = client.seats(client.games.create(body))[0]
        return seat.game.id, seat.game.token


def play(url, game, token, decisions):
    """Make Ann's first listed action a number of times; return whether the game goes on."""
    with Skye(url) as client:
        view = GameView.open(client.game(game, token))
        for _ in range(decisions):
            if not view.until_my_turn():
                return False
            view.act(next(action for action in view.actions() if action["type"] != "take_back"))
        return True


def keeps(later, earlier):
    """Return whether a response has all that an earlier version responds; it may have more fields."""
    if isinstance(earlier, dict):
        return all(name in later and keeps(later[name], value) for name, value in earlier.items())
    if isinstance(earlier, list):
        return len(later) == len(earlier) and all(map(keeps, later, earlier))
    return later == earlier


def seen(launched, game):
    paths = ("", "/events?limit=1000", "/scores")
    return [without_time(launched.call("GET", f"/v1/games/{game}{path}")) for path in paths]


@pytest.mark.usefixtures("redis_program")
def test_stored_game_of_the_last_0x_version_is_played_on(old, serve):
    before = serve(old)
    game, token = created(before.url)
    assert play(before.url, game, token, 12)
    expected = seen(before, game)
    assert before.end() == 0
    now = serve(ROOT)
    assert keeps(seen(now, game), expected)
    assert not play(now.url, game, token, 500)
    assert now.call("GET", f"/v1/games/{game}")["status"] == "finished"


def test_rolling_upgrade_under_play_loses_nothing(old, serve, redis_server):
    before, now = (serve(folder, SKYE_REDIS_URL=redis_server.url) for folder in (old, ROOT))
    game, token = created(before.url)
    for url in (before.url, now.url) * 5:
        assert play(url, game, token, 2)
    assert keeps(seen(now, game), seen(before, game))
    assert before.end() == 0
    assert not play(now.url, game, token, 500)
    events = now.call("GET", f"/v1/games/{game}/events?limit=1000")
    assert len(events["events"]) == events["last_event"]
