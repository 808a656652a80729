"""Rulesets over HTTP: a second one, corrections by an operator, and games begun before a correction."""

import sys
from dataclasses import replace
from pathlib import Path

import pytest

from skye.rulesets import BASE, RULESETS
from skye.tiles.tile_set import TILE_SETS
from skye_server.http.framework import collaborators
from skye_server.settings import Settings, SettingsError
from tests.support.playing import Service, dice, new_key, problem_code
from tests.support.second_ruleset import SECOND, registered

sys.path.insert(0, str(Path(__file__).parents[2] / "examples"))

from verify_draws import verify

CORRECTION = "rounds 2 A B AC BD ACD ABCD\nL06 MMMW/W ES ship lighthouse"


@pytest.fixture
def second():
    with registered(SECOND):
        yield Service()


def played(service, ruleset, seed=3):
    """Return a finished game of a bot and a person."""
    game = service.create_game(2, bots={1: "greedy"}, ruleset=ruleset)
    game.play_out(dice(seed))
    return game


def test_whole_game_of_a_second_ruleset_is_played_shown_and_verified(second):
    game = played(second, "second")
    view, record = game.view(), second.get(game.path("record"))
    assert (view["ruleset"], view["round_count"], len(view["scoring_tiles"])) == ("second", 4, 3)
    assert second.get(game.path("position"))["ruleset"] == record["ruleset"] == "second"
    assert second.get(game.path("rounds"))["rounds"][0]["players"][0]["income"]["castle"] == 7

    used = {tile["slot"]: tile["scoring_tile"] for tile in view["scoring_tiles"]}
    catalogue = SECOND.tiles.landscape, list(SECOND.scoring_tiles)
    assert verify(record, view["fairness"]["commitment"], *catalogue, used) == 3 + 1 + 4 * 2 * 3
    people = [player | {"bot": None} for player in record["players"]]
    again = second.begin(record=record | {"players": people})
    assert again.view()["result"] == view["result"]
    placed = [tile for player in view["players"] for tile in player["territory"]]
    assert any(tile["tile"].startswith("T") for tile in placed)
    assert "<svg" in second.call("GET", game.path("territory/picture.svg", 0)).text


def test_game_of_a_second_ruleset_is_the_same_at_earlier_events(second):
    game = second.create_game(2, bots={1: "random"}, ruleset="second")
    seen = [game.act_legally(0) for _ in range(6)]
    past = [second.get(f"{game.path()}?at_event={view['last_event']}", game.tokens[0]) for view in seen]
    assert [view | {"now": None} for view in past] == [view | {"now": None} for view in seen]


def test_colour_of_another_ruleset_is_refused(second):
    lacking = next(color for color in BASE.colors if color not in SECOND.colors)
    game = second.create_game(1, start=False, ruleset="second", seat_count=2)
    answer = game.call("POST", "players", {"name": "Bob", "color": lacking})
    assert (problem_code(answer), answer.json["errors"][0]["pointer"]) == ("invalid_body", "/color")


def test_catalogue_shows_the_tiles_and_scoring_tiles_of_a_ruleset(second):
    tiles = second.get("/v1/tiles?ruleset=second")
    assert tiles["ruleset"] == "second"
    assert [tile["id"] for tile in tiles["tiles"]] == list(SECOND.tiles.by_id)
    assert second.get("/v1/tiles/T04?ruleset=second")["note"] == "This tile is invented."
    assert problem_code(second.call("GET", "/v1/tiles/T04")) == "tile_not_found"
    scoring = second.get("/v1/scoring-tiles?ruleset=second")["scoring_tiles"]
    assert [tile["id"] for tile in scoring] == list(SECOND.scoring_tiles)
    for picture in ("tiles/T01/picture", "tiles/pictures", "scoring-tiles/lakeside_sheep/picture"):
        assert "<svg" in second.call("GET", f"/v1/{picture}.svg?ruleset=second").text


def test_doubts_about_the_printed_game_are_notes_of_the_tiles(service):
    noted = [tile["id"] for tile in service.get("/v1/tiles")["tiles"] if tile["note"]]
    assert noted == [
        "L06",
        "L17",
        "L18",
        "L20",
        "L22",
        "L30",
        "L33",
        "L37",
        "L41",
        "L52",
        "L54",
        "L56",
        "L60",
        "L62",
        "L63",
    ]


def test_lists_show_games_of_the_ruleset_that_is_asked_for(second):
    base, other = played(second, "base"), played(second, "second")
    assert [game["id"] for game in second.get("/v1/games")["games"]] == [base.id]
    assert [game["id"] for game in second.get("/v1/games?ruleset=second")["games"]] == [other.id]
    records = second.call("GET", "/v1/records?ruleset=second").text.splitlines()
    assert len(records) == 1
    assert other.id in records[0]


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/v1/games", {"ruleset": "third"}),
        ("/v1/games", {"position": {"ruleset": "third", "players": [{}, {}]}}),
        (
            "/v1/scoring",
            {"ruleset": "third", "territories": [{"tiles": [{"tile": "castle-red", "x": 0, "y": 0}]}]},
        ),
        ("/v1/matchmaking/tickets", {"ruleset": "third", "name": "Ann", "seat_count": 2}),
    ],
)
def test_unknown_ruleset_is_refused(service, path, body):
    answer = service.call("POST", path, body, new_key() if "tickets" in path else None)
    assert problem_code(answer) == "invalid_body"
    assert "base" in answer.json["errors"][0]["detail"]


@pytest.mark.parametrize(
    "body",
    [
        {"ruleset": "second", "seat_count": 4},
        {"ruleset": "second", "options": {"scoring_tiles": ["squares", "most_gold"]}},
        {"ruleset": "second", "options": {"scoring_tiles": ["squares", "most_gold", "sheep"]}},
        {"ruleset": "second", "players": [{"name": "Ann", "color": "green"}]},
    ],
    ids=["seats", "number of scoring tiles", "scoring tile", "colour"],
)
def test_game_that_a_ruleset_does_not_have_is_refused(second, body):
    answer = second.call("POST", "/v1/games", body)
    assert problem_code(answer) == "invalid_body"
    assert "second" in answer.json["errors"][0]["detail"]


@pytest.fixture
def corrected():
    ruleset = BASE.corrected(CORRECTION, "corrections")
    with registered(ruleset):
        yield Service(ruleset_file=ruleset), ruleset


def test_server_with_corrections_plays_by_them_and_says_so(corrected):
    service, ruleset = corrected
    game = played(service, ruleset.id)
    new = service.create_game(2)
    assert new.view()["ruleset"] == ruleset.id == f"base+{ruleset.data.hash}"
    assert service.get("/v1/tiles")["ruleset"] == ruleset.id
    assert service.get("/v1/tiles/L06")["edges"]["west"] == "water"
    assert service.get("/v1/tiles/L06?ruleset=base")["edges"]["north"] == "water"
    assert game.id in [listed["id"] for listed in service.get("/v1/games")["games"]]
    key = new_key()
    body = {"name": "Ann", "seat_count": 2}
    ticket = service.call("POST", "/v1/matchmaking/tickets", body, key)
    assert ticket.json["ruleset"] == ruleset.id


def test_stored_game_goes_on_with_the_tiles_with_which_it_began(monkeypatch):
    service = Service()
    game = service.create_game(2, bots={1: "random"})
    views = [game.act_legally(0) for _ in range(4)]
    before = views[-1]
    later = replace(BASE.corrected(CORRECTION, "a later version"), id="base")
    monkeypatch.setitem(RULESETS, "base", later)
    monkeypatch.setitem(TILE_SETS, "base", later.tiles)
    began_with = f"base+{BASE.data.hash}"
    try:
        game.service = Service(service.redis)
        changed = {"ruleset": began_with, "now": None}
        assert game.view(0) | {"now": None} == before | changed
        for view in views:
            path = f"{game.path()}?at_event={view['last_event']}"
            assert game.service.get(path, game.tokens[0]) | {"now": None} == view | changed
        assert game.play_out(dice(1))["ruleset"] == began_with
        assert game.service.get(game.path("record"))["ruleset"] == began_with
        assert game.service.create_game(2).view()["ruleset"] == "base"
        assert RULESETS[began_with].data.text == BASE.data.text
    finally:
        RULESETS.pop(began_with, None)
        TILE_SETS.pop(began_with, None)


def test_data_of_a_ruleset_that_the_server_does_not_know_are_not_read(service):
    service.create_game(2)  # stores the data of `base`
    known = collaborators(service.app).games.store.rulesets
    assert known.find("base", BASE.data.hash) is BASE
    assert known.find("other", BASE.data.hash) is None


def test_damaged_file_of_corrections_names_its_line(tmp_path):
    path = tmp_path / "corrections.txt"
    path.write_text("# a comment\nL06 MMXW/W ES\n")
    with pytest.raises(SettingsError, match=r"corrections\.txt, line 2: 'MMXW/W'"):
        Settings.from_environment({"SKYE_RULESET_FILE": str(path)})
    with pytest.raises(SettingsError, match="cannot be read"):
        Settings.from_environment({"SKYE_RULESET_FILE": str(tmp_path / "missing.txt")})
