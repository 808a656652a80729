"""Nobody waits twice: deadlines of seats that are taken over, what the others may do, and the way back."""

import pytest

from tests.support.playing import dice, new_key
from tests.system.folded import ms_of

MINUTE_S = 60
HOUR_S = 3600
DAY_S = 86_400


@pytest.fixture
def begin(service):
    """Create a game with a time for each decision in seconds."""

    def begin(turn_s, players=3, **options):
        limits = {} if turn_s is None else {"turn_ms": turn_s * 1000}
        return service.create_game(players, options={"first_seat": 0, **limits, **options})

    return begin


def play(game, *seats, until):
    """Let seats act whenever they must, and time pass up to the next deadline when only others must."""
    for _ in range(500):
        view = game.view()
        if view["status"] != "playing" or until(view):
            return view
        acting = [seat for seat in view["waiting_for"] if seat in seats]
        if acting:
            game.act_legally(acting[0], dice(view["round"]))
        else:
            game.service.clock.advance(left_s(game))
    raise AssertionError("the condition never became true")


def at(number, phase):
    return lambda view: (view["round"], view["phase"]) == (number, phase)


def left_s(game, seat=None):
    """Return the seconds up to the deadline of the game, or of a seat."""
    view = game.view()
    deadline = view["deadline"] if seat is None else view["players"][seat]["deadline"]
    return None if deadline is None else (ms_of(deadline) - round(game.service.clock.now * 1000)) / 1000


def events(game, kind):
    return [
        each for each in game.service.get(game.path("events?limit=1000"))["events"] if each["type"] == kind
    ]


# Deadlines of their own.


@pytest.mark.parametrize(
    ("turn_s", "short_s"), [(5, 5), (MINUTE_S, 10), (HOUR_S, HOUR_S / 24), (DAY_S, HOUR_S)]
)
def test_seat_away_has_little_time_while_somebody_is_present(begin, turn_s, short_s):
    game = begin(turn_s)
    play(game, 0, 1, until=at(2, "pricing"))
    assert game.view()["players"][2]["takeover"] is not None
    assert [left_s(game, seat) for seat in range(3)] == [turn_s, turn_s, short_s]
    assert left_s(game) == short_s
    (turn,) = events(game, "turn_changed")[-1:]
    assert turn["deadlines"] == [player["deadline"] for player in game.view()["players"]]
    game.service.clock.advance(short_s - 0.001)
    assert not game.view()["players"][2]["offer_set"]
    game.service.clock.advance(0.001)
    view = game.view()
    assert view["players"][2]["offer_set"] or view["phase"] == "buying"
    late = [event["seat"] for event in events(game, "timed_out")]
    assert late.count(2) == 1, "a seat that is taken over misses no more deadlines"


def test_seats_away_have_their_time_while_nobody_is_present(begin):
    game = begin(HOUR_S, 2)
    game.service.clock.advance(HOUR_S)
    assert [left_s(game), game.view()["phase"]] == [HOUR_S, "buying"]
    assert all(player["takeover"] for player in game.view()["players"])


def test_seats_away_have_little_time_again_when_a_player_returns(begin):
    game = begin(HOUR_S, 3)
    game.service.clock.advance(HOUR_S)
    play(game, until=at(1, "building"))
    game.call("POST", "return", seat=0)
    assert [left_s(game, seat) for seat in range(3)] == [HOUR_S, HOUR_S / 24, HOUR_S / 24]


# Coming back.


@pytest.mark.parametrize(("waited_s", "expected_s"), [(600, 3000), (3595, 10)])
def test_return_leaves_the_time_that_is_left_at_least_ten_seconds(begin, waited_s, expected_s):
    game = begin(HOUR_S, 2)
    game.service.clock.advance(HOUR_S)
    play(game, until=lambda view: view["waiting_for"] == [1])
    game.service.clock.advance(waited_s)
    view = game.call("POST", "return", seat=1).json
    assert view["players"][1]["takeover"] is None
    assert left_s(game, 1) == expected_s


def test_budget_stands_while_the_seat_is_away(begin):
    game = begin(HOUR_S, 2, budget_ms=10 * HOUR_S * 1000)
    play(game, 0, until=at(2, "pricing"))
    clock = game.view()["players"][1]["clock"]
    assert (clock["runs_out_at"], clock["remaining_ms"]) == (None, 9 * HOUR_S * 1000)
    play(game, 0, until=at(3, "pricing"))
    assert game.view()["players"][1]["clock"] == clock
    game.call("POST", "return", seat=1)
    assert game.view()["players"][1]["clock"]["runs_out_at"] is not None


def test_return_in_a_pause_leaves_the_time_that_was_left(begin):
    game = begin(HOUR_S)
    play(game, 0, 1, until=at(2, "pricing"))
    game.service.clock.advance(100)
    game.call("POST", "pause", token=game.tokens[0])
    game.call("POST", "proposal", {"accept": True}, seat=1)
    (paused,) = events(game, "game_paused")
    assert paused["left_ms"] == [3_500_000, 3_500_000, 50_000]
    game.service.clock.advance(1000)
    assert game.call("POST", "return", seat=2).json["players"][2]["deadline"] is None
    game.call("POST", "resume", token=game.tokens[0])
    assert [left_s(game, seat) for seat in range(3)] == [3500, 3500, 3500]


def test_short_time_that_was_left_goes_on_after_a_pause(begin):
    game = begin(HOUR_S)
    play(game, 0, 1, until=at(2, "pricing"))
    game.service.clock.advance(100)
    game.call("POST", "pause", token=game.tokens[0])
    game.call("POST", "proposal", {"accept": True}, seat=1)
    game.service.clock.advance(1000)
    game.call("POST", "resume", token=game.tokens[0])
    assert [left_s(game, seat) for seat in range(3)] == [3500, 3500, 50]


# Who profits?


@pytest.mark.parametrize("turn_s", [5, 10, MINUTE_S, HOUR_S])
def test_player_who_returns_at_the_last_moment_gains_ten_seconds_at_most(begin, turn_s):
    game = begin(turn_s)
    play(game, 0, 1, until=at(2, "pricing"))
    began_s, short_s = game.service.clock.now, left_s(game, 2)
    for seat in (0, 1):
        game.offer(seat, 1, 1)
    game.service.clock.advance(short_s - 0.001)
    game.call("POST", "return", seat=2)
    game.service.clock.advance(left_s(game, 2))
    view = game.view()
    assert (view["phase"], view["players"][2]["takeover"] is not None) == ("buying", True)
    waited_s = game.service.clock.now - began_s
    assert waited_s <= max(turn_s, short_s + min(10, turn_s))
    assert view["players"][2]["end"]["server_decisions"] == 4, "it has gained no decision either"


def test_seat_away_delays_no_decision_by_more_than_its_short_time(begin):
    game, waits = begin(HOUR_S), []
    play(game, 0, 1, until=at(2, "pricing"))
    while (view := game.view())["status"] == "playing":
        acting = [seat for seat in view["waiting_for"] if seat != 2]
        if acting:
            game.act_legally(acting[0], dice(1))
        else:
            waits.append(left_s(game))
            game.service.clock.advance(waits[-1])
    assert max(waits) == HOUR_S / 24
    assert len(waits) == 3 * 5


def test_who_comes_and_goes_changes_no_time_of_those_who_are_present(begin):
    game = begin(HOUR_S, budget_ms=10 * HOUR_S * 1000)
    play(game, 0, 1, until=at(2, "pricing"))
    game.service.clock.advance(100)
    before = [(player["deadline"], player["clock"]) for player in game.view()["players"]][:2]
    game.call("POST", "return", seat=2)
    assert [(player["deadline"], player["clock"]) for player in game.view()["players"]][:2] == before
    assert [left_s(game, seat) for seat in range(3)] == [HOUR_S - 100] * 3
    game.call("POST", "resign", seat=2)
    assert [(player["deadline"], player["clock"]) for player in game.view()["players"]][:2] == before


def test_budget_of_a_player_stands_while_a_seat_away_is_waited_for(begin):
    game = begin(HOUR_S, 2, budget_ms=10 * HOUR_S * 1000)
    play(game, 0, until=lambda view: (view["round"], view["waiting_for"]) == (2, [1]))
    clock = game.view()["players"][0]["clock"]
    game.service.clock.advance(left_s(game))
    assert clock["runs_out_at"] is None
    assert game.view()["players"][0]["clock"]["remaining_ms"] == clock["remaining_ms"]


def test_person_who_is_left_alone_by_a_resignation_meets_short_times_only(begin):
    game = begin(HOUR_S)
    play(game, 0, 1, until=at(2, "pricing"))
    game.call("POST", "resign", seat=1)
    assert [left_s(game, seat) for seat in range(3)] == [HOUR_S, None, HOUR_S / 24]


# What the others agree on without them.


def test_pause_needs_no_agreement_of_a_seat_away(begin):
    game = begin(HOUR_S)
    play(game, 0, 1, until=at(2, "pricing"))
    game.call("POST", "pause", token=game.tokens[0])
    answer = game.call("POST", "proposal", {"accept": True}, seat=1)
    assert answer.json["pause"] is not None


def test_abort_needs_who_is_away_for_less_than_a_day(begin):
    game = begin(HOUR_S)
    play(game, 0, 1, until=at(4, "pricing"))
    assert propose(game) == "playing"


def test_abort_needs_who_is_away_until_a_later_round_has_ended(begin):
    game = begin(3 * DAY_S)
    game.offer(0, 1, 1)
    game.offer(1, 1, 1)
    game.service.clock.advance(3 * DAY_S)
    play(game, 0, 1, until=at(1, "building"))
    play(game, until=lambda view: view["players"][2]["building_finished"])
    game.service.clock.advance(2 * DAY_S)
    assert (game.view()["round"], game.view()["waiting_for"]) == (1, [0, 1])
    assert propose(game) == "playing"
    play(game, 0, 1, until=at(2, "building"))
    assert propose(game) == "playing"
    play(game, 0, 1, until=at(3, "pricing"))
    assert game.view()["status"] == "aborted", "both have agreed to the open proposal"


def propose(game):
    """Let seat 0 propose again to abort the game and seat 1 agree; return the status."""
    if game.view()["proposal"]:
        game.call("POST", "proposal", {"accept": False}, seat=0)
    game.call("POST", "abort", token=game.tokens[0])
    return game.call("POST", "proposal", {"accept": True}, seat=1).json["status"]


def test_game_without_the_absent_says_who_they_were(begin):
    game = begin(DAY_S)
    play(game, 0, 1, until=at(3, "pricing"))
    game.service.clock.advance(DAY_S - 1)
    assert propose(game) == "aborted"
    (aborted,) = events(game, "game_aborted")
    assert aborted["absent"] == [2]


def test_player_who_is_left_alone_aborts_alone(begin):
    game = begin(DAY_S)
    play(game, 1, until=at(3, "pricing"))
    game.service.clock.advance(DAY_S - 1)
    view = game.call("POST", "abort", token=game.tokens[1]).json
    assert (view["status"], view["abort_reason"]) == ("aborted", "others_absent")
    assert events(game, "game_aborted")[0]["absent"] == [0, 2]


def test_leader_whose_line_dropped_loses_no_game_by_an_abort(begin):
    game = begin(MINUTE_S, 2)
    play(game, 0, until=at(5, "pricing"))
    view = game.call("POST", "abort", token=game.tokens[0]).json
    assert (view["status"], view["proposal"]["kind"]) == ("playing", "abort")


# Games without a clock.


@pytest.fixture
def slow(service):
    """A game of two people without a clock, in which one has set prices and the other has not for a day."""
    key, other = new_key(), new_key()
    game = service.begin(key, seat_count=2, auto_start=True, visibility="public", players=[{"name": "Ann"}])
    service.call("POST", game.path("players"), {"name": "Bob"}, other)
    game.tokens = [key, other]
    game.offer(0, 1, 1)
    service.clock.advance(DAY_S)
    return game


def request(game, by, seat):
    return game.call("POST", f"players/{seat}/takeover", token=game.tokens[by])


def test_request_gives_a_slow_player_a_day(slow):
    (offered,) = [each for each in slow.agreements(0) if each["type"] == "request_takeover"]
    assert (offered["method"], offered["href"]) == ("POST", slow.path("takeover", 1))
    assert slow.send(0, offered).status_code == 200
    (requested,) = events(slow, "takeover_requested")
    assert (requested["seat"], requested["by"]) == (1, 0)
    assert left_s(slow, 1) == DAY_S
    assert slow.view()["players"][1]["deadline"] == requested["deadline"]
    own = slow.service.get("/v1/me/events", slow.tokens[1])["events"]
    assert "deadline_near" in [each["type"] for each in own]
    assert "deadline_near" not in [
        each["type"] for each in slow.service.get("/v1/me/events", slow.tokens[0])["events"]
    ]


def test_requested_seat_is_taken_over_a_day_later_and_has_an_hour(slow):
    request(slow, 0, 1)
    slow.service.clock.advance(DAY_S)
    play(slow, 0, until=lambda view: view["phase"] == "buying" and view["waiting_for"] == [1])
    assert slow.view()["players"][1]["takeover"] is not None
    assert left_s(slow, 1) == HOUR_S
    view = play(slow, 0, until=lambda view: view["status"] == "finished")
    assert view["result"]["winners"] == [0]


def test_decision_answers_a_request_and_placing_does_not(slow):
    request(slow, 0, 1)
    slow.offer(1, 1, 1)
    view = slow.view()
    assert [player["deadline"] for player in view["players"]] == [None, None]
    play(slow, 0, 1, until=lambda view: view["phase"] == "building")
    while 0 in slow.view()["waiting_for"]:
        slow.act_legally(0, dice(1))
    slow.service.clock.advance(DAY_S)
    request(slow, 0, 1)
    slow.act_legally(1, dice(1))
    assert left_s(slow, 1) == DAY_S


def test_request_is_refused_where_nobody_is_slow(slow, begin):
    assert request(slow, 1, 0).status_code == 409, "the game does not wait for the seat"
    assert request(slow, 1, 1).status_code in (403, 409), "nor may one ask about the own seat"
    assert request(slow, 0, 1).status_code == 200
    clocked = begin(3 * DAY_S)
    clocked.offer(0, 1, 1)
    clocked.service.clock.advance(2 * DAY_S)
    assert clocked.call("POST", "players/1/takeover", token=clocked.tokens[0]).status_code == 409
    new = begin(None)
    new.offer(0, 1, 1)
    new.service.clock.advance(DAY_S - 1)
    assert new.call("POST", "players/1/takeover", token=new.tokens[0]).status_code == 409
    new.service.clock.advance(1)
    assert new.call("POST", "players/1/takeover", token=new.tokens[2]).status_code == 409
    assert new.call("POST", "players/1/takeover", token=new.tokens[0]).status_code == 200
