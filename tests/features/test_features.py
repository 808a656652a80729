"""A server without one of the features that it can do without: as if their folders were deleted."""

import json
import subprocess
import sys

import pytest

from skye_server.features import FEATURES

PROGRAM = """
import json, sys
from skye_server import features

removed = sys.argv[1].rpartition(".")[0]


class Deleted:
    def find_spec(self, name, path=None, target=None):
        if name == removed or name.startswith(removed + "."):
            raise ModuleNotFoundError(name)


sys.meta_path.insert(0, Deleted())
features.FEATURES = tuple(each for each in features.FEATURES if each != sys.argv[1])
features.entry_points = lambda **_: ()  # plug-ins may depend on each feature

from skye_server import create_app
from skye_server.dispatch.process import dispatcher
from skye_server.http.framework import collaborators
from skye_server.relay.relay import rebuild
from skye_server.settings import Settings

app = create_app(Settings(redis_url="memory://"))
client, games = app.test_client(), collaborators(app).games
players = {"players": [{"bot": "random"}, {"bot": "random"}], "auto_start": True}
created = client.post("/v1/games", json=players)
dispatcher(games).run_due()
paths = "/v1", "/docs", "/docs/errors", "/openapi.json", "/metrics"
print(json.dumps({
    "created": created.status_code,
    "rebuilt": rebuild(games.store),
    "statuses": {path: client.get(path).status_code for path in paths},
    "imported": [name for name in sys.modules if name.startswith(removed)],
}))
"""


@pytest.mark.full
@pytest.mark.parametrize("feature", FEATURES)
def test_server_works_without_a_feature(feature):
    command = [sys.executable, "-c", PROGRAM, feature]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["created"] == 201
    assert found["rebuilt"]
    assert set(found["statuses"].values()) == {200}
    assert found["imported"] == []
