"""Names: invisible and confusable ones are refused, others are shown unchanged."""

import xml.etree.ElementTree as ET

import pytest

from tests.support.playing import client_error_code

HIDDEN = {
    "a lone control": "a\x07b",
    "a line end": "a\nb",
    "a null": "a\x00b",
    "a delete": "a\x7fb",
    "a next line": "a\x85b",
    "a line separator": "a\u2028b",
    "an override": "abc\u202edef",
    "an embedding": "abc\u202adef",
    "an isolate": "abc\u2066def",
    "a mark of byte order": "\ufeffAnn",
    "a space without width": "An\u200bn",
    "a soft hyphen": "An\u00adn",
    "a joiner of words": "An\u2060n",
    "no character": "a\ufffeb",
    "nor this": "a\uffffb",
    "for private use": "a\ue000b",
    "nothing but blanks": " \u00a0\u3000 ",
    "a Hangul filler": "Ann\u3164",
    "a Hangul choseong filler": "Ann\u115f",
    "a halfwidth Hangul filler": "Ann\uffa0",
    "a blank braille pattern": "Ann\u2800",
    "a blank note": "Ann\U0001d159",
    "a blank hieroglyph": "Ann\U00013441",
    "a blank of a script for Khitan": "Ann\U00016fe4",
    "a non-character beyond the first plane": "Ann\U0001fffe",
    "an Arabic letter mark": "Ann\u061c",
    "a left-to-right mark": "Ann\u200e",
    "a deprecated format character": "Ann\u206a",
    "a variation selector": "Ann\ufe0f",
    "a combining grapheme joiner": "Ann\u034f",
    "a Mongolian vowel separator": "Ann\u180e",
    "a tag": "Ann\U000e0041",
    "a supplementary variation selector": "Ann\U000e0100",
    "a musical format control": "Ann\U0001d173",
    "nothing to be seen": "\u200b\u200d\ufeff",
    "too long": "a" * 61,
    "too long in other letters": "ü" * 61,
}
READABLE = [
    "O'Brien <b>&amp;\"", "Zoë", "山田", "שלום", "e\u0301", "🏰", "👩\u200d🌾", "क\u094d\u200cष", "]]>",
    "${7*7}", "a" * 40,
]  # fmt: skip


@pytest.mark.parametrize("kind", HIDDEN)
@pytest.mark.usefixtures("unchanged")
def test_name_that_cannot_be_read_is_refused(kind, games):
    game, name = games["lobby"], HIDDEN[kind]
    for path, body, pointer in (
        ("/v1/games", {"name": name}, "/name"),
        ("/v1/games", {"players": [{"name": name}]}, "/players/0/name"),
        (game.path("players"), {"name": name}, "/name"),
    ):
        answer = game.service.call("POST", path, body)
        assert client_error_code(answer, kind) == "invalid_body"
        assert [error["pointer"] for error in answer.json["errors"]] == [pointer]


@pytest.mark.parametrize("name", READABLE)
def test_name_that_can_be_read_is_shown_as_it_is(name, service):
    game = service.create_game(1, name=name, start=False)
    assert game.call("POST", "players", {"name": name}).status_code == 201
    view = game.view()
    assert view["name"] == view["players"][1]["name"] == name
    picture = ET.fromstring(game.call("GET", "territory/picture.svg", seat=1, token=game.host).data)
    assert picture.find("{*}title").text == name


@pytest.mark.parametrize("name", ["ANN", "\uff21nn", " Ann ", "An\u200dn", "ann"])
def test_name_that_looks_like_another_of_the_game_is_refused(name, service):
    game = service.create_game(2, start=False)
    assert client_error_code(game.call("POST", "players", {"name": name})) == "name_taken"
    body = {"players": [{"name": "Ann"}, {"name": name}]}
    assert client_error_code(service.call("POST", "/v1/games", body)) == "name_taken"
    assert game.call("POST", "players", {"name": "Anna"}).status_code == 201


def test_bot_without_a_name_gets_a_free_one(service):
    players = [{"name": "Ann"}, {"bot": "greedy"}, {"bot": "random"}, {"bot": "greedy"}]
    game = service.begin(players=players)
    assert game.call("DELETE", seat=0).status_code == 200
    game.call("POST", "players", {"bot": "greedy"}, token=game.host)
    names = [player["name"] for player in game.view()["players"]]
    assert names == ["Greedy 3", "Greedy", "Random", "Greedy 2"]


def test_record_of_players_with_equal_names_starts_a_game(service):
    """Games had such players before names had to differ."""
    game = service.create_game(2)
    game.play_out()
    record = game.call("GET", "record").json
    for player in record["players"]:
        player["name"] = "Ann"
    assert service.call("POST", "/v1/games", {"record": record}).status_code == 201
