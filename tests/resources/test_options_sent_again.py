"""What a response has can be sent again: null means that an optional field is left out."""

import pytest

from tests.matchmaking.test_tickets import seek
from tests.support.playing import new_key, problem_code

OPTIONS_OF_BEGINNING = ("scoring_tiles", "first_seat", "tie_break", "open_gold")
"""The options that are fields of a position."""


def read(game):
    return game.view()["options"]


@pytest.mark.parametrize("chosen", [{}, {"turn_ms": 60_000}, {"budget_ms": 60_000, "first_seat": 1}])
def test_options_of_a_created_game_create_another(service, chosen):
    options = read(service.create_game(2, options=chosen))
    assert None in options.values()
    again = service.begin(players=[{"name": "Ann"}, {"bot": "random"}], options=options | {"seed": None})
    assert read(again) == options


def test_options_of_a_game_from_a_scenario_create_another(service):
    players = [{"name": "Ann", "bot": None}, {"name": "Bob", "bot": "random"}]
    beginning = {"scenario": "two_players", "players": players}
    options = read(service.begin(**beginning))
    of_play = {name: value for name, value in options.items() if name not in OPTIONS_OF_BEGINNING}
    again = service.begin(**beginning, options=of_play | {"scoring_tiles": None, "first_seat": None})
    assert read(again) == options
    assert [player["bot"] for player in again.view()["players"]] == [None, "random"]


def test_options_of_a_ticket_create_another(service):
    ticket = seek(service, new_key())
    assert None in ticket["options"].values()
    matched = seek(service, new_key(), options=ticket["options"])
    assert (matched["status"], matched["options"]) == ("matched", ticket["options"])


@pytest.mark.parametrize(
    "options",
    [{"hints": None}, {"clock": None}, {"budget_ms": None, "increment_ms": 1000}, {"clock": "manual"}],
)
def test_null_is_refused_where_no_response_has_it(service, options):
    answer = service.call("POST", "/v1/games", {"options": options | {"turn_ms": None}})
    assert problem_code(answer) == "invalid_body"
