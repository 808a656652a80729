"""Data folders that older servers wrote: the embedded server of today serves their games."""

import json
import shutil
from pathlib import Path

import pytest

from tests.support.comparing import without_time
from tests.support.launcher import launching

pytestmark = pytest.mark.slow

WRITTEN = sorted(path for path in (Path(__file__).parent / "data_folders").iterdir() if path.is_dir())
"""Data folders of older servers: each has a game in play and one in the lobby that expire in ten years."""


@pytest.mark.usefixtures("redis_program")
@pytest.mark.parametrize("folder", WRITTEN, ids=lambda folder: folder.name)
def test_data_folder_of_an_older_server_is_taken_over(tmp_path, folder):
    playing, lobby = json.loads((folder / "games.json").read_text()).values()
    shutil.copytree(folder, tmp_path / "data")
    with launching(tmp_path) as launch:
        first = launch()
        game = first.call("GET", f"/v1/games/{playing['id']}")
        assert (game["status"], game["version"]) == ("playing", playing["version"])
        events = first.call("GET", f"/v1/games/{playing['id']}/events?limit=1000")
        assert events["last_event"] == len(events["events"]) == playing["last_event"]
        first.call("POST", f"/v1/games/{lobby['id']}/players", {"name": "Bob"})
        assert first.end() == 0
        again = launch()  # on what the first has written
        assert without_time(again.call("GET", f"/v1/games/{playing['id']}")) == without_time(game)
        names = [player["name"] for player in again.call("GET", f"/v1/games/{lobby['id']}")["players"]]
        assert names == ["Ann", "Bob"]
