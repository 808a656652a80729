"""The script that verifies draws accepts fair games, and no others."""

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parents[2] / "examples"))

from verify_draws import Unfair, Unsupported, verify

from skye import BASE
from tests.support.playing import Service

CATALOGUE = BASE.tiles.landscape, list(BASE.scoring_tiles)


@pytest.fixture(
    scope="module", params=[{}, {"seed": "skye"}], ids=["seed of the server", "seed of the creator"]
)
def finished(request):
    """The public record of a game of four bots, the commitment at its start, and its scoring tiles."""
    service = Service()
    body = {"players": [{"bot": "random"}] * 4, "options": request.param}
    lobby = service.call("POST", "/v1/games", body).json
    path = f"/v1/games/{lobby['game']['id']}"
    over = service.call("POST", f"{path}/start", token=lobby["host_token"]).json
    assert over["status"] == "finished"
    used = {tile["slot"]: tile["scoring_tile"] for tile in over["scoring_tiles"]}
    return service.get(f"{path}/record"), lobby["game"]["fairness"]["commitment"], *CATALOGUE, used


def test_finished_game_can_be_verified_from_its_record(finished):
    assert verify(*finished) == 4 + 1 + 6 * 4 * 3


def another_start(record):
    """Return a record in which every buyer sits one seat further."""
    return record | {
        "actions": [
            action | {"seat": (action["seat"] + 1) % 4} if action["type"] in ("buy", "pass") else action
            for action in record["actions"]
        ]
    }


def another_draw(record):
    """Return a record in which the first two seats have discarded each other's tiles."""
    first, second, *rest = record["actions"]
    swapped = [first | {"discard": second["discard"]}, second | {"discard": first["discard"]}]
    return record | {"actions": swapped + rest}


@pytest.mark.parametrize(
    ("forge", "reason"),
    [
        (lambda record, _, *tiles: (record, "0" * 64, *tiles), "commitment"),
        (lambda record, own, *tiles: (record | {"nonce": "0" * 32}, own, *tiles), "commitment"),
        (
            lambda record, own, tiles, all_scoring, used: (
                record,
                own,
                tiles,
                all_scoring,
                used | {"A": used["B"], "B": used["A"]},
            ),
            "scoring tile A",
        ),
        (lambda record, own, *tiles: (another_start(record), own, *tiles), "starting seat"),
        (lambda record, own, *tiles: (another_draw(record), own, *tiles), "round 1"),
    ],
    ids=["seed", "nonce", "scoring tile", "starting seat", "tile"],
)
def test_draws_that_do_not_follow_from_the_commitment_are_reported(finished, forge, reason):
    with pytest.raises(Unfair, match=reason):
        verify(*forge(*finished))


def test_game_from_a_position_is_not_called_unfair():
    service = Service()
    body = {"players": [{"bot": "random"}] * 2, "position": {"round": 6, "players": [{}, {}]}}
    game = service.call("POST", "/v1/games", body).json["game"]
    assert game["status"] == "finished"
    record = service.get(f"/v1/games/{game['id']}/record")
    with pytest.raises(Unsupported, match="position"):
        verify(record, game["fairness"]["commitment"], *CATALOGUE, {})
