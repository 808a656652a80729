"""A server without one of the features that it can do without: as if their folders were deleted."""

import json
import subprocess
import sys

import pytest

from skye_server.features import FEATURES

PROGRAM = """
import json, sys
from skye_server import features

removed = tuple(each.rpartition(".")[0] for each in sys.argv[1:])


def is_of_one(name):
    return any(name == each or name.startswith(each + ".") for each in removed)


class Deleted:
    def find_spec(self, name, path=None, target=None):
        if is_of_one(name):
            raise ModuleNotFoundError(name)


sys.meta_path.insert(0, Deleted())
features.FEATURES = tuple(each for each in features.FEATURES if each not in sys.argv[1:])
features.entry_points = lambda **_: ()  # plug-ins may depend on each feature

from skye_server import create_app
from skye_server.dispatch.process import dispatcher
from skye_server.http.framework import collaborators
from skye_server.relay.relay import rebuild
from skye_server.settings import Settings

app = create_app(Settings(redis_url="memory://"))
client, games = app.test_client(), collaborators(app).games
players = {"players": [{"name": "Ann"}, {"bot": "random"}], "auto_start": True}
created = client.post("/v1/games", json=players)
tokens = created.json["host_token"], "skye_key_" + 22 * "A"
host, key = ({"Authorization": f"Bearer {token}"} for token in tokens)
dispatcher(games).run_due()
paths = "/v1", "/docs", "/docs/errors", "/openapi.json", "/metrics"
print(json.dumps({
    "created": created.status_code,
    "rebuilt": rebuild(games.store),
    "statuses": {path: client.get(path).status_code for path in paths},
    "replaced": [
        client.put("/v1/me/key", json={"key": "skye_key_" + 22 * "B"}, headers=key).status_code,
        client.post(f"/v1/games/{created.json['game']['id']}/host-token", headers=host).status_code,
        client.post("/v1/games", json={"players": [{"bot_url": "https://bot.invalid/"}]}).status_code,
    ],
    "imported": [name for name in sys.modules if is_of_one(name)],
}))
"""


@pytest.mark.full
@pytest.mark.parametrize("missing", [*((feature,) for feature in FEATURES), FEATURES])
def test_server_works_without_features(missing):
    command = [sys.executable, "-c", PROGRAM, *missing]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["created"] == 201
    assert found["rebuilt"]
    assert set(found["statuses"].values()) == {200}
    assert found["replaced"] == [200, 201, 422]
    assert found["imported"] == []
