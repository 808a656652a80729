"""Names that people are to read: what cannot be read is refused, what can is shown as it is."""

import xml.etree.ElementTree as ET

import pytest

from tests.support.playing import refusal

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
    "nothing to be seen": "\u200b\u200d\ufeff",
    "too long": "a" * 61,
    "too long in other letters": "ü" * 61,
}
READABLE = [
    "O'Brien <b>&amp;\"",
    "Zoë",
    "山田",
    "שלום",
    "e\u0301",
    "🏰",
    "👩\u200d🌾",
    "क\u094d\u200cष",
    "]]>",
    "${7*7}",
    "a" * 40,
]


@pytest.mark.parametrize("kind", HIDDEN)
@pytest.mark.usefixtures("unchanged")
def test_a_name_that_cannot_be_read_is_refused(kind, games):
    game, name = games["lobby"], HIDDEN[kind]
    for path, body, pointer in (
        ("/v1/games", {"name": name}, "/name"),
        ("/v1/games", {"players": [{"name": name}]}, "/players/0/name"),
        (game.path("players"), {"name": name}, "/name"),
    ):
        answer = game.service.call("POST", path, body)
        assert refusal(answer, kind) == "invalid_body"
        assert [error["pointer"] for error in answer.json["errors"]] == [pointer]


@pytest.mark.parametrize("name", READABLE)
def test_a_name_that_can_be_read_is_shown_as_it_is(name, service):
    game = service.table(1, name=name, start=False)
    assert game.call("POST", "players", {"name": name}).status_code == 201
    view = game.view()
    assert view["name"] == view["players"][1]["name"] == name
    picture = ET.fromstring(game.call("GET", "territory.svg", seat=1, token=game.host).data)
    assert picture.find("{*}title").text == name
