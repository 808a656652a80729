"""Events and records: listed from any number on, and replayed."""

import pytest

from skye_server.store.codec import decode_game
from skye_server.store.shards import key_of
from tests.support.other_rules import change_draws
from tests.support.playing import KEY, Service, dice, problem_code


@pytest.fixture(scope="module")
def over():
    """A game that is over."""
    game = Service().create_game(3)
    game.play_out(dice(11))
    return game


# Events.


def test_events_are_listed_from_any_number_on(over):
    everything = over.service.get(over.path("events"))["events"]
    assert [event["id"] for event in everything] == list(range(1, len(everything) + 1))
    for after, limit in ((0, 1), (5, 3), (len(everything) - 1, 9), (len(everything), 9)):
        received = over.service.get(over.path("events") + f"?after={after}&limit={limit}")
        assert received["events"] == everything[after : after + limit]
        assert received["last_event"] == len(everything)


# Records.


def without_names(game):
    """Return the game that is stored, without what belongs to the table."""
    return decode_game(game.service.redis.get(key_of(game.id, "game"))).state


def forked(game, **body):
    """Return a new game from another's record."""
    record = game.service.get(game.path("record"))
    return game.service.begin(record=record, **body)


def test_record_of_a_game_in_play_hides_secret_offers(service):
    game = service.create_game(2)
    game.offer(0, 1, 2)
    (seen,) = service.get(game.path("record"))["actions"]
    assert (seen["seat"], seen["type"], seen["discard"], seen["prices"]) == (0, "set_offer", None, None)
    (own,) = service.get(game.path("record"), game.tokens[0])["actions"]
    assert sum(own["prices"].values()) == 3


def test_replay_of_a_record_gives_the_same_game(over):
    again = forked(over)
    assert without_names(again) == without_names(over)
    assert again.view()["result"] == over.view()["result"]
    records = [game.service.get(game.path("record")) for game in (again, over)]
    assert records[0]["actions"] == records[1]["actions"]
    assert records[0]["options"] == records[1]["options"]


def shown(game):
    """Return everything that the API shows of the course of a game; its views at every fourth event."""
    service, path, events = game.service, game.path(), game.service.get(game.path("events"))["events"]
    now = {name: service.get(game.path(name)) for name in ("record", "position", "rounds", "scores")}
    past = [service.get(f"{path}?at_event={event['id']}") | {"now": None} for event in events[::4]]
    return now | {"events": events, "past": past, "export": service.call("GET", "/v1/records").text}


def test_stored_game_and_its_forks_keep_their_draws_when_seeds_draw_others(monkeypatch):
    game = Service().create_game(2, bots={0: "random", 1: "random"})
    before, state = shown(game), without_names(game)
    record = before["record"]
    players = [player | {"bot": None} for player in record["players"]]
    change_draws(monkeypatch)

    game.service = Service(game.service.redis)  # a process that has kept nothing
    assert shown(game) == before
    assert without_names(forked(game)) == state
    placed = max(number for number, action in enumerate(record["actions"], 1) if action["type"] == "place")
    fork = game.service.begin(record=record | {"players": players}, stop_at=placed)
    assert fork.service.get(fork.path("record"))["draws"] == record["draws"]
    seat = record["actions"][placed - 1]["seat"]
    hand = fork.view()["players"][seat]["tiles_to_build"]
    fork.act(seat, next(action for action in fork.actions(seat) if action["type"] == "take_back"))
    tile = record["actions"][placed - 1]["tile"]
    assert fork.view()["players"][seat]["tiles_to_build"] == [*hand, tile]
    again = game.service.create_game(2)
    assert again.service.get(again.path("record"))["draws"]["tiles"] != record["draws"]["tiles"][:6]


def test_record_of_a_game_in_play_has_only_the_draws_so_far(service):
    game = service.create_game(3)
    first = service.get(game.path("record"))["draws"]
    seen = game.view()
    assert first["scoring_tiles"] == [tile["scoring_tile"] for tile in seen["scoring_tiles"]]
    assert first["starting_seat"] == seen["starting_seat"]
    assert first["tiles"] == [tile["tile"] for player in seen["players"] for tile in player["tiles_on_offer"]]


@pytest.mark.parametrize("change", [{"tiles": []}, {"starting_seat": 2}, {"scoring_tiles": ["sheep"] * 4}])
def test_record_with_draws_that_cannot_have_been_made_is_refused(over, change):
    record = over.service.get(over.path("record"))
    record["players"] = record["players"][:2]
    record["draws"] |= change
    answer = over.service.call("POST", "/v1/games", {"record": record, "stop_at": 0})
    assert problem_code(answer) == "invalid_record"


def test_record_can_be_replayed_in_part_and_continued(over):
    record = over.service.get(over.path("record"))
    begun = forked(over, stop_at=0)
    assert (begun.view()["round"], begun.view()["phase"]) == (1, "pricing")
    middle = forked(over, stop_at=30)
    actions = over.service.get(middle.path("record"), middle.tokens[0])["actions"]
    taken = [action["type"] for action in actions]
    assert taken == [action["type"] for action in record["actions"][:30]]
    assert middle.view()["status"] == "playing"
    assert middle.play_out(dice(1))["status"] == "finished"
    assert forked(over, stop_at=len(record["actions"])).view()["status"] == "finished"


@pytest.mark.parametrize("path", ["/v1/games", "/v1/batches"])
def test_stop_at_after_the_end_of_the_record_is_refused(over, path):
    record = over.service.get(over.path("record"))
    actions = len(record["actions"])
    shorter = record | {"actions": [action for action in record["actions"] if action["round"] < 6]}
    for body, range_ in (
        ({"record": record, "stop_at": actions + 1}, f"from 0 to {actions}"),
        ({"record": shorter, "stop_at": {"round": 6, "phase": "buying"}}, "ends in round 6, phase pricing"),
    ):
        sent, pointer = (
            (body, "/stop_at") if path == "/v1/games" else ({"games": [{}, body]}, "/games/1/stop_at")
        )
        answer = over.service.call("POST", path, sent, headers=KEY)
        assert problem_code(answer) == "invalid_body"
        assert [error["pointer"] for error in answer.json["errors"]] == [pointer]
        assert range_ in answer.json["errors"][0]["detail"]


def test_record_that_breaks_a_rule_is_refused_at_the_action(over):
    record = over.service.get(over.path("record"))
    building = next(number for number, action in enumerate(record["actions"]) if action["type"] == "place")
    record["actions"][building] = {"round": 1, "phase": "building", "seat": 0, "type": "pass"}
    answer = over.service.call("POST", "/v1/games", {"record": record})
    assert problem_code(answer) == "invalid_record"
    assert answer.json["params"] == {"action": building + 1, "reason": "wrong_phase"}
    assert over.service.call("POST", "/v1/games", {"record": record, "stop_at": building}).status_code == 201


def test_game_in_which_a_bot_took_over_can_be_played_again(service):
    game = service.create_game(3)
    game.play_to("building", 2, dice(2))
    game.call("POST", "resign", seat=1)
    game.play_out(dice(2))
    assert without_names(forked(game)) == without_names(game)
