"""GET of the lists of seats and rounds, and of what can be written at a seat."""

from tests.support.comparing import with_fields_of
from tests.support.playing import problem_code


def get(game, rest, seat, viewer=None):
    """Return what a viewer, or a spectator, is shown at a seat."""
    return game.service.get(game.path(rest, seat), None if viewer is None else game.tokens[viewer])


def test_seats_are_what_the_view_shows_of_them(service):
    game = service.create_game(2)
    game.offer(0, 1, 2)
    for viewer, token in ((None, None), *enumerate(game.tokens)):
        view = game.view(viewer)
        shown = {name: view[name] for name in ("version", "players")}
        assert with_fields_of(shown, service.get(game.path("players"), token)) == shown
        for seat in (0, 1):
            of_seat = view["players"][seat] | {"version": view["version"]}
            assert with_fields_of(of_seat, get(game, "", seat, viewer)) == of_seat


def test_list_of_seats_in_a_lobby_leaves_out_empty_ones(service):
    game = service.create_game(3, start=False)
    assert game.call("DELETE", seat=1).status_code == 200
    assert [player["seat"] for player in service.get(game.path("players"))["players"]] == [0, 2]


def test_lists_of_a_private_game_are_hidden_from_others(service):
    game = service.create_game(2, visibility="private")
    for rest in ("players", "rounds"):
        assert game.call("GET", rest, token=game.tokens[0]).status_code == 200
        assert problem_code(game.call("GET", rest)) == "game_not_found"


def test_list_of_rounds_in_a_lobby_is_empty(service):
    game = service.create_game(2, start=False)
    assert service.get(game.path("rounds"))["rounds"] == []


def test_list_of_rounds_hides_an_offer_from_others(service):
    game = service.create_game(2)
    game.offer(0, 1, 2)
    for viewer, prices in ((None, None), (1, None), (0, [1, 2])):
        token = None if viewer is None else game.tokens[viewer]
        (report,) = service.get(game.path("rounds"), token)["rounds"]
        offer = report["players"][0]["offer"]
        assert (offer and sorted(offer["prices"].values())) == prices


def test_offer_is_shown_to_its_seat_and_hidden_from_others(service):
    game = service.create_game(2)
    unset = get(game, "offer", 0, 0)
    assert (unset["discard"], unset["prices"]) == (None, None)
    game.offer(0, 1, 2)
    own = get(game, "offer", 0, 0)
    assert own["discard"] is not None
    assert sorted(own["prices"].values()) == [1, 2]
    for viewer in (None, 1):
        hidden = get(game, "offer", 0, viewer)
        assert (hidden["discard"], hidden["prices"]) == (None, None)


def test_offer_after_the_reveal_has_the_prices_for_everybody(service):
    game = service.create_game(2)
    game.offer(0, 1, 2)
    game.offer(1, 1, 1)
    shown = get(game, "offer", 0)
    assert shown["discard"] is None
    assert sorted(shown["prices"].values()) == [1, 2]


def test_offer_in_the_lobby_is_not_set(service):
    shown = get(service.create_game(2, start=False), "offer", 0)
    assert (shown["discard"], shown["prices"]) == (None, None)


def test_placements_are_those_of_this_round(service):
    game = service.create_game(2)
    assert get(game, "placements", 0)["placements"] == []
    game.play_to("building")
    action = next(action for action in game.actions(0) if action["type"] == "place")
    game.act(0, action)
    body = {"rotation": 0} | action["body"]
    assert get(game, "placements", 0)["placements"] == [body | {"number": 1}]
    assert game.call("DELETE", "placements/1", seat=0).status_code == 200
    assert get(game, "placements", 0)["placements"] == []


def test_placements_in_the_lobby_are_none(service):
    assert get(service.create_game(2, start=False), "placements", 0)["placements"] == []
