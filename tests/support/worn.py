"""Games in which so much was done and undone that they have had enough."""

from service.matches.transitions import MAX_CHANGES
from tests.support.playing import Game


def worn(service, phase):
    """Begin a game for two in which seat 0 dithers in this phase until nothing more can be undone."""
    record = service.get(service.table(2, bots={0: "random", 1: "random"}).path("record"))
    actions, dithers = record["actions"], {"pricing": "set_offer", "building": "place"}[phase]
    first = next(n for n, action in enumerate(actions) if (action["seat"], action["type"]) == (0, dithers))
    again = [{"seat": 0, "type": "take_back"}] if phase == "building" else []
    dithering = [*again, actions[first]] * (MAX_CHANGES // (1 + len(again)))
    record["actions"] = [*actions[: first + 1], *dithering, *actions[first + 1 :]]
    record["players"] = [player | {"bot": None} for player in record["players"]]
    answer = service.call("POST", "/v1/games", {"record": record, "until": first + 1 + len(dithering)})
    assert answer.status_code == 201, answer.text
    return Game(service, answer.json)
