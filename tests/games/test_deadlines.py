"""Deadlines: the service acts for seats that miss theirs, at the next request of any client."""

import threading
from itertools import islice

import pytest

from skye_server.games.views.game import timestamp
from skye_server.http.framework import collaborators
from tests.support.comparing import without_time
from tests.support.endpoints import ENDPOINTS
from tests.support.playing import Service, problem_code
from tests.support.threads import at_once

TURN_S = 60


@pytest.fixture
def game(service):
    """A game for three whose turns take a minute."""
    return service.create_game(3, options={"turn_ms": TURN_S * 1000, "first_seat": 0})


def due(game, seconds=TURN_S):
    """Return the deadline that begins now."""
    return timestamp(int((game.service.clock.now + seconds) * 1000))


def received(game, *types):
    """Return the events of some types, each as its type and seat."""
    events = game.service.get(game.path("events"))["events"]
    return [(event["type"], event["seat"]) for event in events if event["type"] in types]


# When.


def test_game_without_turn_ms_has_no_deadline(service):
    game = service.create_game(2)
    assert game.view()["deadline"] is None
    version = game.view()["version"]
    service.clock.advance(10**8)
    assert game.view()["version"] == version


def test_deadline_is_null_in_the_lobby_and_at_the_end(service):
    options = {"turn_ms": 1000}
    game = service.create_game(2, start=False, options=options)
    service.clock.advance(100)
    assert (game.view()["status"], game.view()["deadline"]) == ("lobby", None)
    over = service.create_game(2, bots={0: "random", 1: "random"}, options=options)
    assert (over.view()["status"], over.view()["deadline"]) == ("finished", None)


def test_deadline_is_set_for_a_phase_or_for_a_turn_to_buy(game):
    clock = game.service.clock
    assert game.view()["deadline"] == (first := due(game))
    clock.advance(10)
    game.offer(0, 1, 1)
    game.offer(0, 1, 2)
    game.offer(1, 1, 1)
    assert game.view()["deadline"] == first
    game.offer(2, 1, 1)
    assert game.view()["deadline"] == due(game)
    for buyer in (0, 1, 2):
        clock.advance(10)
        assert game.call("PUT", "purchase", {"tile": None}, seat=buyer).json["deadline"] == due(game)
    building = due(game)
    clock.advance(10)
    assert game.act_legally(0)["deadline"] == building


def test_nothing_is_decided_before_the_deadline(game):
    game.offer(0, 1, 1)
    before = game.view()
    game.service.clock.advance(TURN_S - 0.001)
    assert without_time(game.view()) == without_time(before)
    assert game.offer(1, 1, 1).status_code == 200
    game.service.clock.advance(0.001)
    assert game.view()["phase"] == "buying"


# What: auto.


def test_missed_deadline_of_pricing_sets_prices(game):
    game.play_to("pricing", 2)
    game.offer(1, 2, 3, discard=2)
    game.service.clock.advance(TURN_S)
    view = game.view()
    assert (view["phase"], view["waiting_for"], view["deadline"]) == ("buying", [1], due(game))
    prices = [[tile["price"] for tile in player["tiles_on_offer"]] for player in view["players"]]
    assert prices[1] == [2, 3]
    assert all(len(of_seat) == 2 and min(of_seat) >= 1 for of_seat in prices)
    assert received(game, "timed_out") == [("timed_out", 0), ("timed_out", 2)]
    assert all(player["bot"] is None for player in view["players"])


def test_missed_deadline_of_buying_passes(game):
    game.play_to("buying")
    for buyer in (0, 1):
        game.service.clock.advance(TURN_S)
        view = game.view()
        assert (view["phase"], view["waiting_for"], view["deadline"]) == ("buying", [buyer + 1], due(game))
    assert received(game, "timed_out", "purchase_passed") == [
        ("timed_out", 0),
        ("purchase_passed", 0),
        ("timed_out", 1),
        ("purchase_passed", 1),
    ]


def test_missed_deadline_of_building_builds(game):
    hand = set(game.play_to("building")["players"][1]["tiles_to_build"])
    game.play_until(lambda view: view["players"][0]["building_finished"])
    game.service.clock.advance(TURN_S)
    view = game.view()
    assert (view["round"], view["phase"], view["deadline"]) == (2, "pricing", due(game))
    report = game.service.get(game.path("rounds/1"))["players"][1]
    placed = {placement["tile"] for placement in report["placements"]}
    assert placed | set(report["tiles_returned"]) == hand
    assert received(game, "timed_out") == [("timed_out", 1), ("timed_out", 2)]


def test_each_touch_decides_one_phase_and_the_next_deadline_counts_from_it(game):
    game.service.clock.advance(TURN_S * 50)
    assert (game.view()["phase"], game.view()["deadline"]) == ("buying", due(game))
    assert len(received(game, "timed_out")) == 3


def test_game_with_only_missed_deadlines_comes_to_its_end(game):
    for _ in range(100):
        game.service.clock.advance(TURN_S)
        if game.view()["status"] == "finished":
            break
    assert game.view()["result"]["winners"] == []
    assert game.view()["deadline"] is None
    events = game.service.get(game.path("events"))["events"]
    assert [event["id"] for event in events] == list(range(1, len(events) + 1))


# What: bot.


def test_bot_replaces_the_player_for_the_rest_of_the_game(service):
    game = service.create_game(3, options={"turn_ms": 1000, "on_timeout": "bot"})
    game.offer(0, 1, 1)
    game.offer(2, 1, 1)
    service.clock.advance(1)
    view = game.view()
    assert [player["bot"] for player in view["players"]] == [None, "greedy", None]
    assert received(game, "bot_took_over", "timed_out") == [("timed_out", 1), ("bot_took_over", 1)]
    assert [action["type"] for action in game.actions(1)] == ["return"]
    assert game.view(1)["you"]["seat"] == 1
    assert game.view(1)["players"][1]["gold"] is not None
    assert problem_code(game.call("PUT", "purchase", {"tile": None}, seat=1)) == "seat_played_by_bot"
    view = game.play_until(lambda view: view["round"] == 2)
    assert [player["bot"] for player in view["players"]] == [None, "greedy", None]


@pytest.mark.parametrize("options", [{}, {"budget_ms": 1_000_000}])
def test_bots_of_seats_that_can_be_taken_back_take_their_time_while_nobody_plays(service, options):
    game = service.create_game(2, options={"turn_ms": 1000, "on_timeout": "bot", **options})
    game.offer(0, 1, 1)
    service.clock.advance(1)
    assert game.view()["phase"] in ("buying", "building")
    for _ in range(2):
        service.clock.advance(1)
        game.view()
    waits = 0
    while game.view()["status"] == "playing":
        version = game.view()["version"]
        service.clock.advance(0.5)
        assert game.view()["version"] == version
        service.clock.advance(0.5)
        waits += 1
    assert waits > 12
    assert received(game, "bot_took_over") == [("bot_took_over", 1), ("bot_took_over", 0)]
    assert [player["end"]["missed_deadlines"] for player in game.view()["players"]] == [2, 1]


def test_bots_have_a_short_time_again_when_a_player_comes_back(service):
    game = service.create_game(2, options={"turn_ms": 240_000, "first_seat": 1})
    service.clock.advance(240)
    assert (game.view()["waiting_for"], game.view()["deadline"]) == ([1], due(game, 240))
    assert game.call("POST", "return", seat=0).status_code == 200
    assert game.view()["deadline"] == due(game, 10)


# Who comes by.


@pytest.mark.parametrize(
    "endpoint",
    [one for one in ENDPOINTS if one.of_game and not one.writes and one.stage not in {"invited", "webhook"}],
    ids=lambda endpoint: endpoint.name,
)
def test_any_request_for_a_game_applies_a_missed_deadline(endpoint, game):
    version = game.view()["version"]
    game.service.clock.advance(TURN_S)
    body = {"placements": []} if endpoint.body else None
    assert endpoint.send(game, body=body).status_code == 200
    game.service.clock.advance(-TURN_S)
    assert (game.view()["phase"], game.view()["version"]) == ("buying", version + 4)


def test_action_after_the_deadline_is_refused(game):
    game.play_to("pricing", 2)
    action = game.actions(0)[0]
    game.service.clock.advance(TURN_S)
    assert problem_code(game.send(0, action)) == "wrong_phase"
    assert game.view()["phase"] == "buying"


def test_list_of_games_applies_no_deadline(game):
    before = game.service.stored()
    game.service.clock.advance(TURN_S)
    assert game.service.get("/v1/games")["games"][0]["phase"] == "pricing"
    assert game.service.stored() == before


def test_simultaneous_requests_apply_a_deadline_once(game):
    game.service.clock.advance(TURN_S)
    clients = [Service(game.service.redis) for _ in range(6)]
    for client in clients:
        client.clock.now = game.service.clock.now
    versions = at_once(lambda client: client.get(game.path())["version"], clients)
    assert versions == [game.view()["version"]] * 6
    assert received(game, "timed_out") == [("timed_out", seat) for seat in range(3)]


def test_long_poll_applies_a_missed_deadline(service):
    game = service.create_game(2, options={"turn_ms": 1000})
    after = game.view()["last_event"]
    begun = threading.Timer(0.05, service.clock.advance, [1])
    begun.start()
    received = service.get(game.path("events") + f"?after={after}&wait_ms=60000")["events"]
    begun.join()
    assert (received[0]["type"], received[0]["id"]) == ("timed_out", after + 1)


def test_open_stream_decides_a_missed_deadline(service):
    game = service.create_game(2, options={"turn_ms": 1000})
    after = game.view()["last_event"]
    path = game.path("events/stream") + f"?after={after}"
    stream = service.call("GET", path).iter_encoded()
    assert b"event: stream" in next(stream)
    begun = threading.Timer(0.05, service.clock.advance, [1])
    begun.start()
    received = next(message for message in islice(stream, 50) if not message.startswith(b":"))
    assert b'"type":"timed_out"' in received
    begun.join()


def test_followers_read_a_game_after_its_missed_deadline_is_applied(service):
    game = service.create_game(2, options={"turn_ms": 60_000})
    before = game.view()["version"]
    service.clock.advance(61)
    current, changes = collaborators(service.app).games.changes_after(game.id, 0)
    assert before < current.version == changes[-1].version == game.view()["version"]
