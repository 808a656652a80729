"""Views with the legal actions of the caller's seat: one round trip for each decision."""

from tests.support.playing import dice

WITH_ACTIONS = "?include=actions"


def test_view_includes_the_actions_of_the_callers_seat(service):
    game = service.create_game(2)
    for seat, token in ((0, game.tokens[0]), (1, game.tokens[1])):
        view = game.service.call("GET", game.path() + WITH_ACTIONS, token=token).json
        assert view.pop("actions") == game.actions(seat)
        assert view == game.view(seat)


def test_view_of_host_or_spectator_includes_no_actions(service):
    game = service.create_game(2)
    for token in (game.host, None):
        assert game.service.call("GET", game.path() + WITH_ACTIONS, token=token).json["actions"] == []


def test_decision_takes_one_request_in_each_phase(service):
    game, rolls = service.create_game(2), dice(3)
    views = [game.service.call("GET", game.path() + WITH_ACTIONS, token=token).json for token in game.tokens]
    while views[0]["round"] == 1:
        seat = views[0]["waiting_for"][0]
        before = game.actions(seat)
        view = game.service.call("GET", game.path() + WITH_ACTIONS, token=game.tokens[seat]).json
        assert view["actions"] == before
        action = rolls.choice([one for one in before if one["type"] != "take_back"])
        answer = service.call(
            action["method"], action["href"] + WITH_ACTIONS, action["body"], game.tokens[seat]
        )
        assert answer.status_code == 200, answer.text
        assert answer.json["actions"] == game.actions(seat)
        views = [answer.json]


def test_replayed_response_includes_the_same_actions(service):
    game = service.create_game(2)
    action = game.actions(0)[0]
    sent = {"headers": {"Idempotency-Key": "k-0123456789abcdefghijk"}}
    path = action["href"] + WITH_ACTIONS
    first, again = (
        service.call(action["method"], path, action["body"], game.tokens[0], **sent) for _ in range(2)
    )
    assert first.json == again.json
