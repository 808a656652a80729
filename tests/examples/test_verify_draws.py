"""The script that verifies draws accepts fair games, and no others."""

import sys
from pathlib import Path

import fakeredis
import pytest

from skye_server import create_app
from skye_server.settings import Settings
from skye_server.storage.redis_store import RedisStore

sys.path.insert(0, str(Path(__file__).parents[2] / "examples"))

from verify_draws import Unfair, verify


@pytest.fixture(
    scope="module", params=[{}, {"seed": "skye"}], ids=["seed of the server", "seed of the creator"]
)
def finished(request):
    """The commitment at the start of a game of four bots, and the public record at its end."""
    app = create_app(Settings.from_environment({}), RedisStore(fakeredis.FakeRedis()))
    client = app.test_client()
    lobby = client.post("/v1/games", json={"players": [{"bot": "random"}] * 4, "options": request.param}).json
    path = f"/v1/games/{lobby['game']['id']}"
    host = {"Authorization": f"Bearer {lobby['host_token']}"}
    over = client.post(f"{path}/start", headers=host).json
    assert over["status"] == "finished"
    return lobby["game"]["fairness"]["commitment"], client.get(f"{path}/record").json, over["scoring_tiles"]


def test_finished_game_can_be_verified_from_its_record(finished):
    commitment, record, scoring_tiles = finished
    assert verify(record, commitment, [tile["scoring_tile"] for tile in scoring_tiles]) == 4 + 1 + 6 * 4 * 3


def test_seed_that_does_not_match_the_commitment_is_reported(finished):
    _, record, scoring_tiles = finished
    with pytest.raises(Unfair, match="commitment"):
        verify(record, "0" * 64, [tile["scoring_tile"] for tile in scoring_tiles])


def test_nonce_that_does_not_match_the_commitment_is_reported(finished):
    commitment, record, scoring_tiles = finished
    with pytest.raises(Unfair, match="commitment"):
        verify(record | {"nonce": "0" * 32}, commitment, [tile["scoring_tile"] for tile in scoring_tiles])


def test_scoring_tile_that_was_not_drawn_is_reported(finished):
    commitment, record, scoring_tiles = finished
    a, b, c, d = (tile["scoring_tile"] for tile in scoring_tiles)
    with pytest.raises(Unfair, match="scoring tile A"):
        verify(record, commitment, [b, a, c, d])


def test_starting_seat_that_was_not_drawn_is_reported(finished):
    commitment, record, scoring_tiles = finished
    actions = [
        {**action, "seat": (action["seat"] + 1) % 4} if action["type"] in ("buy", "pass") else action
        for action in record["actions"]
    ]
    with pytest.raises(Unfair, match="starting seat"):
        verify({**record, "actions": actions}, commitment, [tile["scoring_tile"] for tile in scoring_tiles])


def test_tile_that_was_not_drawn_is_reported(finished):
    commitment, record, scoring_tiles = finished
    first, second = (action for action in record["actions"][:2])
    swapped = [{**first, "discard": second["discard"]}, {**second, "discard": first["discard"]}]
    forged = {**record, "actions": swapped + record["actions"][2:]}
    with pytest.raises(Unfair, match="round 1"):
        verify(forged, commitment, [tile["scoring_tile"] for tile in scoring_tiles])
