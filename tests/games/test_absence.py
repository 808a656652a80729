"""Absence: seats that the server plays, and what that does to results: the cases of games among strangers.

Seats are named by their number: seat 0 is present and plays at random unless a test says otherwise.
"""

import random

import pytest

from skye_server.games.views.game import timestamp
from tests.support.playing import dice, problem_code

TURN_S = 60
HIDDEN = {"missed_deadlines": 0, "server_decisions": 0, "decisions": 0}


def begun(service, players=2, **options):
    """Return a game whose turns take a minute."""
    limits = {"turn_ms": TURN_S * 1000, "first_seat": 0}
    return service.create_game(players, options=limits | options)


def play(game, *present, until=lambda view: view["status"] != "playing", throw=None):
    """Let the present seats act, and the others miss their deadlines, until a condition holds."""
    throw = throw or random.Random(1)
    for _ in range(2000):
        view = game.view()
        if until(view):
            return view
        acting = [seat for seat in view["waiting_for"] if seat in present]
        if acting:
            game.act_legally(acting[0], throw)
        else:
            game.service.clock.advance(TURN_S)
    raise AssertionError("the condition never became true")


def at(number, phase):
    return lambda view: (view["round"], view["phase"]) == (number, phase)


def events(game, *types):
    received = game.service.get(game.path("events?limit=1000"))["events"]
    return [event for event in received if event["type"] in types]


def end_of(game, seat):
    return game.view()["players"][seat]["end"]


def places(view):
    return {place["seat"]: place["place"] for place in view["result"]["placing"]}


# The ghost.


@pytest.mark.parametrize("on_timeout", ["auto", "bot"])
def test_seat_that_never_acts_cannot_win(service, on_timeout):
    game = begun(service, on_timeout=on_timeout)
    view = play(game, 0)
    end = view["players"][1]["end"]
    assert (end["type"], end["round"], end["phase"]) == ("took_over", 1, "pricing")
    assert (end["missed_deadlines"], end["server_decisions"], end["decisions"]) == (1, 18, 18)
    assert view["result"]["winners"] == [0]
    assert places(view) == {0: 1, 1: 2}
    assert [event["seat"] for event in events(game, "timed_out")] == [1]
    bought = [event for event in events(game, "tile_bought") if event["seat"] == 1]
    assert bool(bought) is (on_timeout == "bot")


def test_seat_that_has_acted_is_taken_over_after_two_missed_deadlines_in_a_row(service):
    game = begun(service, on_timeout="auto")
    game.offer(1, 1, 1)
    play(game, 0, until=at(1, "building"))
    assert end_of(game, 1)["missed_deadlines"] == 1
    assert game.view()["players"][1]["bot"] is None
    play(game, 0, until=at(2, "pricing"))
    view = game.view()
    first, second = events(game, "timed_out")
    (taken_over,) = events(game, "bot_took_over")
    assert (taken_over["since"], taken_over["phase"]) == (second["deadline"], "building")
    assert view["players"][1]["bot"] == "greedy"
    assert view["players"][1]["takeover"]["at"] == second["deadline"] > first["deadline"]
    assert end_of(game, 1)["type"] == "took_over"


def test_own_decision_ends_a_row_of_missed_deadlines(service):
    game = begun(service)
    game.offer(1, 1, 1)
    play(game, 0, until=at(1, "building"))
    while 1 in game.view()["waiting_for"]:
        game.act_legally(1, dice(1))
    play(game, 0, until=at(2, "buying"))
    assert game.view()["players"][1]["bot"] is None
    assert end_of(game, 1)["missed_deadlines"] == 2
    assert end_of(game, 1)["type"] == "played"


# Returning.


@pytest.mark.parametrize("on_timeout", ["auto", "bot"])
def test_player_who_returns_in_the_last_building_phase_cannot_win(service, on_timeout):
    game = begun(service, on_timeout=on_timeout)
    play(game, 0, until=at(6, "building"))
    assert game.call("POST", "return", seat=1).status_code == 200 or 1 not in game.view()["waiting_for"]
    view = play(game, 0, 1)
    end = view["players"][1]["end"]
    assert end["type"] in ("absent", "took_over")
    assert 1 not in view["result"]["winners"]


def test_return_in_time_keeps_the_chance_to_win(service):
    game = begun(service, on_timeout="bot")
    play(game, 0, until=at(2, "pricing"))
    assert end_of(game, 1)["type"] == "took_over"
    assert game.call("POST", "return", seat=1).status_code == 200
    assert end_of(game, 1)["type"] == "took_over", "a return counts when a decision follows it"
    game.offer(1, 1, 1)
    assert end_of(game, 1)["type"] == "played"
    view = play(game, 0, 1)
    assert view["players"][1]["end"]["server_decisions"] == 3
    assert set(places(view).values()) <= {1, 2}


def test_return_without_a_decision_keeps_the_first_date(service):
    game = begun(service, 3, on_timeout="bot")
    play(game, 0, 2, until=at(2, "pricing"))
    first = game.view()["players"][1]["takeover"]
    game.call("POST", "return", seat=1)
    play(game, 0, 2, until=at(2, "building"))
    assert game.view()["players"][1]["takeover"] == first, "one more missed deadline is enough"
    view = play(game, 0, 2)
    end = view["players"][1]["end"]
    assert (end["type"], end["round"], end["at"], end["missed_deadlines"]) == (
        "took_over", 1, first["at"], 2,
    )  # fmt: skip


def test_placement_is_no_decision_after_a_return(service):
    game = begun(service, on_timeout="bot")
    play(game, 0, until=at(1, "buying"))
    game.call("POST", "return", seat=1)
    play(game, 0, until=lambda view: view["phase"] == "buying" and view["waiting_for"] == [1])
    game.call("PUT", "purchase", {"tile": None}, seat=1)
    assert end_of(game, 1)["type"] == "played"


# The end.


def test_leader_who_misses_only_the_very_last_decision_wins(service):
    for seed in range(20):
        game = service.create_game(2, options={"turn_ms": TURN_S * 1000}, seed=f"last {seed}")
        throw = random.Random(seed)
        play(game, 0, 1, until=at(6, "building"), throw=throw)
        play(game, 0, until=lambda view: 0 not in view["waiting_for"], throw=throw)
        if game.view()["status"] == "playing":
            service.clock.advance(TURN_S)
        view = game.view()
        assert view["status"] == "finished"
        assert [player["end"]["type"] for player in view["players"]] == ["played", "played"]
        assert view["players"][1]["end"]["missed_deadlines"] == 1
        if view["result"]["winners"] == [1]:
            return
    raise AssertionError("seat 1 never had the most points")


def test_take_over_in_the_last_round_alone_does_not_give_the_seat_up(service):
    game = begun(service)
    play(game, 0, 1, until=at(6, "pricing"))
    view = play(game, 0)
    end = view["players"][1]["end"]
    assert view["players"][1]["takeover"] is not None
    assert (end["type"], end["missed_deadlines"], end["server_decisions"]) == ("played", 2, 3)


def test_seat_whose_last_decision_exceeds_half_of_all_cannot_win(service):
    """The deciding move is the tenth of 18 decisions that the server makes; no take-over precedes round 6."""
    game, late = begun(service, on_timeout="bot"), [1, 3, 5, 7, 9, 11, 13, 15, 16, 17]
    phases = ["pricing", "buying", "building"]
    missed = [(1 + index // 3, phases[index % 3]) for index in late]
    while (view := game.view())["status"] == "playing":
        is_late = (view["round"], view["phase"]) in missed
        acting = [seat for seat in view["waiting_for"] if seat == 0 or not is_late]
        if acting:
            game.act_legally(acting[0], dice(view["round"]))
        else:
            service.clock.advance(TURN_S)
    end = view["players"][1]["end"]
    assert (end["type"], end["round"], end["phase"]) == ("absent", 6, "building")
    assert end["server_decisions"] == 10
    assert view["result"]["winners"] == [0]
    assert service.get(game.path("record"))["gave_up"] == [[1]]


# Dates.


def test_two_dropped_lines_at_once_share_the_last_place(service):
    game = begun(service, 4)
    play(game, 0, 1, 2, 3, until=at(1, "building"))
    view = play(game, 0, 1)
    ended = [view["players"][seat]["end"] for seat in (2, 3)]
    assert ended[0]["at"] == ended[1]["at"]
    assert [end["type"] for end in ended] == ["took_over", "took_over"]
    placed = places(view)
    assert (placed[2], placed[3]) == (3, 3)
    assert service.get(game.path("record"))["gave_up"] == [[2, 3]]


def test_first_date_of_an_absence_ranks_it_below_a_later_resignation(service):
    """Taken over in round 1 and resigned in round 3: the first date counts, and is before that of seat 2."""
    game = begun(service, 3)
    play(game, 0, 2, until=at(2, "pricing"))
    service.clock.advance(1)
    game.call("POST", "resign", seat=2)
    play(game, 0, until=at(3, "pricing"))
    assert game.call("POST", "resign", seat=1).status_code == 200
    view = play(game, 0)
    assert places(view) == {0: 1, 2: 2, 1: 3}
    end = view["players"][1]["end"]
    assert (end["type"], end["round"]) == ("took_over", 1)
    assert view["players"][2]["end"]["type"] == "resigned"


def test_take_overs_of_one_instant_come_before_its_moves(service):
    game = begun(service, 3)
    game.offer(0, 1, 1)
    service.clock.advance(TURN_S)
    game.view()
    kinds = [event["type"] for event in service.get(game.path("events"))["events"]]
    begin = kinds.index("timed_out")
    counts = kinds[begin : kinds.index("offer_set", begin)]
    assert [kind for kind in counts if kind != "end_changed"] == ["timed_out", "bot_took_over"] * 2


def test_date_is_the_deadline_and_not_the_time_of_the_next_request(service):
    game = begun(service)
    deadline = game.view()["deadline"]
    game.offer(0, 1, 1)
    service.clock.advance(10 * TURN_S)
    assert end_of(game, 1)["at"] == deadline
    assert events(game, "timed_out")[0]["deadline"] == deadline


# Whose a decision is.


def test_offer_that_the_player_replaces_is_the_players(service):
    game = begun(service, 3, on_timeout="bot")
    play(game, 0, until=at(2, "pricing"))
    service.clock.advance(TURN_S - 1)
    play(game, until=lambda view: view["players"][1]["offer_set"] or view["phase"] != "pricing")
    assert game.view()["phase"] == "pricing"
    before = end_of(game, 1)["server_decisions"]
    assert game.call("POST", "return", seat=1).status_code == 200
    assert game.offer(1, 1, 1).status_code == 200
    assert end_of(game, 1)["server_decisions"] == before - 1
    assert end_of(game, 1)["type"] == "played"


def test_build_that_the_server_finishes_is_the_servers(service):
    game = begun(service)
    play(game, 0, 1, until=at(1, "building"))
    game.act_legally(1)
    play(game, 0, until=at(2, "pricing"))
    assert end_of(game, 1)["server_decisions"] == 1
    assert end_of(game, 1)["missed_deadlines"] == 1


# Seats that nobody can give up.


def test_seat_that_began_as_a_bot_is_never_given_up(service):
    game = service.create_game(2, bots={1: "random"}, options={"turn_ms": 60_000})
    assert game.call("POST", "resign", seat=0).status_code == 200
    view = game.view()
    assert view["result"]["winners"] == [1]
    assert view["players"][1]["end"]["server_decisions"] == 0


def test_taken_over_seat_resigns_without_returning(service):
    game = begun(service)
    play(game, 0, until=at(2, "pricing"))
    answer = game.call("POST", "resign", seat=1)
    assert (answer.status_code, answer.json["players"][1]["takeover"]) == (200, None)
    assert problem_code(game.call("POST", "resign", seat=1)) in ("token_unknown", "not_your_seat")


# Hidden games and past versions.


def test_hidden_game_shows_no_count_of_absence(service):
    game = begun(service, 3, public_from="end")
    game.act_legally(0)
    service.clock.advance(TURN_S)
    game.view()
    (listed,) = service.get("/v1/games?status=playing")["games"]
    for players in (game.view()["players"], service.get(game.path("players"))["players"], listed["players"]):
        end = players[1]["end"]
        assert end == {
            "type": "took_over",
            "at": None,
            "bot": "greedy",
            "round": None,
            "phase": None,
            **HIDDEN,
        }
    assert game.view()["players"][1]["takeover"] is None
    assert game.view(0)["players"][1]["takeover"] is not None


@pytest.mark.parametrize("seed", range(4))
def test_game_of_every_event_has_the_ends_of_that_time(service, seed):
    throw = random.Random(seed)
    limits = {"on_timeout": throw.choice(["auto", "bot"])} | throw.choice([{}, {"budget_ms": 400_000}])
    game, seen = begun(service, 3, **limits), {}
    while (view := game.view())["status"] == "playing":
        seen[view["last_event"]] = view["players"]
        what, seat = throw.choice(["wait", "act", "act", "act", "return"]), throw.choice([0, 1, 2])
        if what == "return":
            game.call("POST", "return", seat=seat)
        elif what == "act" and seat in view["waiting_for"] and game.actions(seat):
            if view["players"][seat]["bot"] is None:
                game.act_legally(seat, throw)
        else:
            service.clock.advance(throw.choice([1, 30, 61]))
    seen[view["last_event"]] = view["players"]
    for number in throw.sample(sorted(seen), min(12, len(seen))):
        past = service.get(game.path() + f"?at_event={number}")
        assert past["players"] == seen[number]


# Forks.


def test_fork_counts_the_decisions_that_were_open_at_its_beginning(service):
    old = begun(service)
    play(old, 0, 1)
    body = {
        "record": service.get(old.path("record")),
        "stop_at": {"round": 5, "phase": "building"},
        "options": {"turn_ms": TURN_S * 1000},
    }
    created = service.call("POST", "/v1/games", body).json
    ends = [player["end"] for player in created["game"]["players"]]
    assert [(end["type"], end["decisions"]) for end in ends] == [("played", 4)] * 2
    deadline = timestamp(int((service.clock.now + TURN_S) * 1000))
    assert created["game"]["deadline"] == deadline
    service.clock.advance(TURN_S)
    view = service.get(f"/v1/games/{created['game']['id']}")
    assert [player["end"]["type"] for player in view["players"]] == ["took_over"] * 2, "nobody has acted yet"


def test_placement_alone_counts_as_having_acted(service):
    old = begun(service)
    play(old, 0, 1)
    body = {
        "record": service.get(old.path("record")),
        "stop_at": {"round": 5, "phase": "building"},
        "options": {"turn_ms": TURN_S * 1000},
    }
    game = service.begin(None, **body)
    place = next(action for action in game.actions(1) if action["type"] == "place")
    game.act(1, place)
    service.clock.advance(TURN_S)
    players = game.view()["players"]
    assert [player["end"]["type"] for player in players] == ["took_over", "played"]
    assert players[1]["end"]["server_decisions"] == 1
