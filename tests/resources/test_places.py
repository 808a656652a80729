"""The places of tiles, and what they would add, over HTTP."""

import pytest

from tests.support.playing import dice, problem_code


@pytest.fixture
def game(service):
    game = service.create_game(
        2, options={"scoring_tiles": ["sheep", "squares", "most_gold", "connected_tiles"]}
    )
    game.play_to("building", 3, dice(5))
    return game


def places(game, *tiles, seat=0, **more):
    return game.call("GET", "places?" + "&".join(f"tile={tile}" for tile in tiles), seat=seat, **more)


def test_places_of_a_tile_in_hand_are_its_legal_placements(game):
    listed = [action["body"] for action in game.actions(0) if action["type"] == "place"]
    hand = game.view()["players"][0]["tiles_to_build"]
    found = places(game, *hand).json["places"]
    assert [{name: place[name] for name in ("tile", "x", "y", "rotation")} for place in found] == listed


def test_places_add_what_what_if_adds(game):
    found = places(game, game.view()["bag"]["tiles"][0]).json
    for place in found["places"]:
        body = {"placements": [{name: place[name] for name in ("tile", "x", "y", "rotation")}]}
        tried = game.call("POST", "what-if", body, seat=0).json
        for gain, slot in zip(place["gains"], tried["scoring_tiles"], strict=True):
            assert (gain["slot"], gain["scoring_tile"]) == (slot["slot"], slot["scoring_tile"])
            assert gain["points"] == (None if slot["before"] is None else slot["after"] - slot["before"])


def test_places_are_public_and_the_same_for_everybody(game):
    tile = game.view()["bag"]["tiles"][0]
    as_seat, as_other, as_spectator = (places(game, tile, token=token) for token in (*game.tokens, None))
    assert as_seat.json == as_other.json == as_spectator.json
    again = places(game, tile, headers={"If-None-Match": as_seat.headers["ETag"]})
    assert again.status_code == 304


@pytest.mark.parametrize("phase", ["pricing", "buying"])
def test_places_are_listed_in_any_phase(service, phase):
    game = service.create_game(2)
    game.play_to(phase, 2, dice(3))
    drawn = [tile["tile"] for tile in game.view()["players"][1]["tiles_on_offer"]]
    tiles = {place["tile"] for place in places(game, *drawn).json["places"]}
    assert tiles
    assert tiles <= set(drawn)


def test_places_of_a_built_tile_are_refused(game):
    built = next(
        placed["tile"]
        for player in game.view()["players"]
        for placed in player["territory"]
        if placed["tile"].startswith("L")
    )
    assert problem_code(places(game, built)) == "tile_not_yours"


def test_places_before_the_start_are_refused(service):
    assert problem_code(places(service.create_game(2, start=False), "L35")) == "game_not_started"


@pytest.mark.parametrize("number", [0, 9])
def test_places_of_no_or_too_many_tiles_are_refused(game, number):
    answer = places(game, *game.view()["bag"]["tiles"][:number])
    assert problem_code(answer) == "invalid_parameter"
    assert answer.json["errors"][0]["name"] == "tile"
