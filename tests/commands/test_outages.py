"""Time in which no worker could act is added to the times of games, once, before anybody can be late."""

from datetime import UTC, datetime

import pytest

from skye_client import fold
from skye_server.error_codes import Problem
from skye_server.games.views.game import timestamp
from skye_server.store.outages import KEY, RECONNECT_MS
from tests.support.comparing import without_time
from tests.support.dispatching import dispatch, entries, games_of, handlers_of
from tests.support.outages import Processes, signs_of
from tests.support.playing import new_key

HOUR_S = 3_600
RECONNECT_S = RECONNECT_MS // 1000
BUDGET = {"budget_ms": 6_000, "increment_ms": 1_000, "first_seat": 0}


@pytest.fixture
def processes(monkeypatch):
    return Processes(monkeypatch)


@pytest.fixture
def service(processes):
    """A worker that gives signs of life."""
    return processes.worker


def types(game):
    return [event["type"] for event in game.service.get(game.path("events?limit=1000"))["events"]]


def added(game):
    """Return the events about added time."""
    events = game.service.get(game.path("events?limit=1000"))["events"]
    return [event for event in events if event["type"] == "time_added"]


def in_seconds(processes, time):
    """Return in how many seconds a time of a view comes."""
    return datetime.fromisoformat(time).timestamp() - processes.clock.now


def left(processes, game, seat=0):
    """Return how many seconds a seat has until its deadline."""
    return in_seconds(processes, game.view()["players"][seat]["deadline"])


def is_unharmed(game):
    """Return whether no seat has missed anything."""
    view = game.view()
    missed = [player["end"]["missed_deadlines"] for player in view["players"]]
    return view["status"] == "playing" and not any(missed) and "timed_out" not in types(game)


# What is added.


def test_server_that_stops_for_13_s_ends_no_game_with_6_s_budgets(processes, service):
    game = service.create_game(2, options=BUDGET)
    processes.play(2)
    processes.stop(13)
    assert is_unharmed(game)
    assert left(processes, game) == 4 + RECONNECT_S
    (event,) = added(game)
    assert event["added_ms"] == 13_000 + RECONNECT_MS
    assert [clock["remaining_ms"] for clock in event["clocks"]] == [4_000, 4_000]
    game.act_legally(0)
    assert game.view()["players"][0]["clock"]["remaining_ms"] == 5_000


def test_outage_of_five_minutes_costs_no_turn_in_any_game(processes, service):
    games = [service.create_game(2, options={"turn_ms": turn_ms}) for turn_ms in (10_000, 60_000, 600_000)]
    processes.play(4)
    processes.stop(300)
    dispatch(service)
    for game, turn_s in zip(games, (10, 60, 600), strict=True):
        assert is_unharmed(game)
        assert left(processes, game) == turn_s - 4 + RECONNECT_S
        assert len(added(game)) == 1
    processes.play(7 + RECONNECT_S)
    assert [is_unharmed(game) for game in games] == [False, True, True]


def test_time_that_was_set_within_an_outage_moves_by_the_part_after_it(processes, service):
    processes.pass_time(10)
    game = service.create_game(2, options={"turn_ms": 60_000})
    processes.stop(30)
    assert left(processes, game) == 60 + RECONNECT_S
    assert added(game)[0]["added_ms"] == 30_000 + RECONNECT_MS


def test_proposal_and_pause_get_the_time_of_an_outage(processes, service):
    game = service.create_game(3, options={"turn_ms": 60_000, "max_pause_ms": 100_000})
    assert game.call("POST", "pause", token=game.tokens[0]).status_code == 200
    processes.play(4)
    processes.stop(700)
    expires_at = in_seconds(processes, game.view()["proposal"]["expires_at"])
    assert expires_at == 600 - 4 + RECONNECT_S
    for seat in (1, 2):
        game.call("POST", "proposal", {"accept": True}, seat=seat)
    processes.play(10)
    processes.stop(500)
    view = game.view()
    assert in_seconds(processes, view["pause"]["until"]) == 100 - 10 + RECONNECT_S
    assert view["deadline"] is None
    assert [event["paused_until"] for event in added(game)] == [None, view["pause"]["until"]]


def test_manual_clock_does_not_move(processes, service):
    game = service.create_game(2, options={"turn_ms": 60_000, "clock": "manual"})
    before = game.view()
    processes.stop(HOUR_S)
    assert game.view() == before


def test_game_without_times_does_not_change(processes, service):
    game, lobby = service.create_game(2), service.create_game(2, start=False)
    versions = [each.view()["version"] for each in (game, lobby)]
    processes.stop(HOUR_S)
    assert [each.view()["version"] for each in (game, lobby)] == versions
    game.act_legally(0)
    lobby.call("POST", "start", token=lobby.host)
    assert added(game) == added(lobby) == []


@pytest.mark.parametrize("step_s", [HOUR_S, -HOUR_S])
def test_step_of_the_clock_of_the_store_moves_all_times(processes, service, step_s):
    games = [service.create_game(2, options=options) for options in (BUDGET, {"turn_ms": 60_000})]
    processes.play(2)
    processes.stop(step_s)
    for game, left_s in zip(games, (4, 58), strict=True):
        assert is_unharmed(game)
        assert left(processes, game) == left_s + RECONNECT_S
        assert added(game)[0]["added_ms"] == 1000 * (step_s + RECONNECT_S)
        game.act_legally(0)
    assert games[0].view()["players"][0]["clock"]["remaining_ms"] == 5_000


def test_time_that_was_set_after_a_step_back_stays(processes, service):
    lobby = service.create_game(2, start=False, options={"turn_ms": 60_000})
    processes.pass_time(-HOUR_S)
    game = service.create_game(2, options={"turn_ms": 60_000})
    processes.stop(1)
    assert left(processes, game) == 59
    processes.play(90)
    lobby.call("POST", "start", token=lobby.host)
    later = service.create_game(2, options={"turn_ms": 60_000})
    assert left(processes, lobby) == left(processes, later) == 60
    assert added(game) == added(lobby) == added(later) == []


# Once.


def test_no_time_moves_twice(processes, service):
    others = [processes.beside() for _ in range(2)]
    game = service.create_game(2, options={"turn_ms": 60_000})
    processes.stop(300)
    for process in (*others, service, *others):
        assert process.get(game.path())["deadline"] == game.view()["deadline"]
        dispatch(process)
    assert left(processes, game) == 60 + RECONNECT_S
    assert len(added(game)) == 1


def test_outage_whose_sign_is_lost_adds_only_what_is_new(processes, service):
    games = [service.create_game(2, options=options) for options in (BUDGET, {"turn_ms": 60_000})]
    sign = service.redis.hget(KEY, "sign")
    processes.stop(13)
    ends = [left(processes, game) for game in games]
    service.redis.hset(KEY, "sign", sign)  # as after a failover, which has lost the last second
    processes.stop(20)
    assert [left(processes, game) for game in games] == ends
    assert [[event["added_ms"] for event in added(game)] for game in games] == [[18_000, 20_000]] * 2


def test_time_is_added_to_the_game_as_it_is_stored(processes, service):
    other = processes.beside()
    game = service.create_game(2, options={"turn_ms": 60_000})
    version = other.get(game.path())["version"]
    processes.stop(13)
    game.act_legally(0)
    assert len(added(game)) == 1
    assert other.get(game.path())["version"] == game.view()["version"] == version + 2


def test_new_game_has_seen_all_outages(processes, service):
    processes.stop(13)
    game = service.create_game(2, options={"turn_ms": 60_000})
    assert games_of(service).stored.read(game.id).outage == signs_of(service).uptime.last > 0


def test_outages_that_a_game_has_missed_are_added_as_one_change(processes, service):
    games = [service.create_game(2, options=options) for options in (BUDGET, {"turn_ms": 60_000})]
    processes.play(4)
    for _ in range(3):
        processes.stop(13)
        processes.play(RECONNECT_S)  # which still belongs to the outage
    for game, left_s in zip(games, (2, 56), strict=True):
        game.view()
        assert [event["added_ms"] for event in added(game)] == [3 * 18_000]
        assert left(processes, game) == left_s


# Who is late.


def test_nobody_is_late_before_a_later_sign(processes, service):
    game = service.create_game(2, options={"turn_ms": 3_000})
    processes.play(2)
    processes.pass_time(1.5)
    assert is_unharmed(game)
    dispatch(service)
    assert is_unharmed(game)
    processes.sign()
    assert not is_unharmed(game)


def test_dispatcher_without_a_worker_finds_nobody_late(processes, service):
    dispatcher = processes.beside()
    game = service.create_game(2, options={"turn_ms": 60_000})
    version = game.view()["version"]
    processes.pass_time(300)
    processes.read()
    attend = handlers_of(dispatcher)["game"].handle
    now_ms = 1000 * processes.clock.now
    assert now_ms < attend(game.id) <= now_ms + 5_000
    assert games_of(dispatcher).stored.read(game.id).version == version
    processes.sign()
    due_ms = attend(game.id)
    assert due_ms == 1000 * (processes.clock.now + 60 + RECONNECT_S)
    assert entries(service, "game") == {game.id: due_ms}


def test_process_that_has_read_nothing_yet_finds_nobody_late(processes, service, monkeypatch):
    game = service.create_game(2, options={"turn_ms": 3_000})
    signs_of(service).start(gives_signs=True)  # as after a restart
    monkeypatch.setattr(signs_of(service), "look", lambda: None)
    processes.pass_time(13)
    assert is_unharmed(game)


def test_sign_of_another_worker_is_read_when_a_deadline_has_passed(processes, service):
    other = processes.beside()
    game = service.create_game(2, options={"turn_ms": 3_000})
    processes.pass_time(4)
    assert signs_of(service).sign()
    assert other.get(game.path())["version"] > 1


def test_stream_looks_again_soon_after_a_deadline_without_a_later_sign(processes, service):
    game = service.create_game(2, options={"turn_ms": 3_000})
    games, stored = games_of(service), games_of(service).stored
    assert games.wait_ms(stored.read(game.id)) == 3_000
    processes.pass_time(4)
    assert games.wait_ms(stored.read(game.id)) == 250
    processes.pass_time(60)
    assert games.wait_ms(stored.read(game.id)) == 5_000
    assert games.wait_ms(stored.read(service.create_game(2).id)) is None


# Decisions during an outage.


def test_decision_is_charged_no_time_of_an_outage_that_is_not_over(processes, service):
    game = service.create_game(2, options=BUDGET)
    processes.play(2)
    processes.pass_time(13)
    view = game.act_legally(0)
    assert view["players"][0]["clock"]["remaining_ms"] == 4_000 + 1_000
    assert types(game)[-3:] == ["time_added", "offer_set", "turn_changed"]
    processes.stop(7)
    assert left(processes, game, 1) == 4 + RECONNECT_S
    assert [event["added_ms"] for event in added(game)] == [13_000, 7_000 + RECONNECT_MS]


def test_refused_command_adds_no_time_during_an_outage(processes, service):
    game = service.create_game(2, options=BUDGET)
    processes.pass_time(13)
    version = game.view()["version"]
    assert game.call("PUT", "purchase", {"tile": None}, seat=0).status_code == 409
    assert game.call("PUT", "purchase", {"tile": None}, seat=0, token=game.tokens[1]).status_code == 403
    assert game.view()["version"] == version
    headers = {"If-Match": f'"{version}"'}
    assert game.send(0, game.actions(0)[0], headers=headers).status_code == 200


def test_decision_goes_on_while_the_signs_cannot_be_read(processes, service, monkeypatch):
    def fails():
        raise Problem("store_unavailable")

    game = service.create_game(2, options=BUDGET)
    processes.pass_time(13)
    monkeypatch.setattr(games_of(service).store.outages, "read", fails)
    assert game.act_legally(0)["players"][0]["clock"]["remaining_ms"] == 7_000


# What others get.


def test_deadline_is_reported_as_near_again_after_an_outage(processes, service):
    key = new_key()
    game = service.create_game(2, key=key, options={"first_seat": 0, "turn_ms": 100_000})

    def received():
        events = service.get("/v1/me/events", key)["events"]
        return [(event["type"], event.get("deadline")) for event in events]

    processes.play(80)
    dispatch(service)
    first = ("deadline_near", timestamp(int(1000 * (processes.clock.now + 20))))
    assert received()[-1] == first
    processes.stop(300)
    dispatch(service)
    assert left(processes, game) == 20 + RECONNECT_S
    assert received()[-1] == ("deadline_near", game.view()["deadline"])
    assert [kind for kind, _ in received()] == ["seat_taken", "your_turn", "deadline_near", "deadline_near"]
    turn = service.get("/v1/me/games", key)["games"][0]
    assert game.view()["deadline"] in str(turn)


def test_day_after_a_take_over_gets_the_time_of_an_outage(processes, service):
    game = service.create_game(2, options={"turn_ms": 60_000})
    processes.play(60)
    (first, _) = [player["takeover"]["counts_as_absent_at"] for player in game.view()["players"]]
    processes.stop(300)
    takeover = game.view()["players"][0]["takeover"]
    assert in_seconds(processes, takeover["counts_as_absent_at"]) == 86_400 + RECONNECT_S
    assert in_seconds(processes, first) == 86_400 - 300
    assert in_seconds(processes, takeover["at"]) == -300


def in_round_2_without_seat_2(processes, service):
    """Return a game with 16 minutes for each decision, whose seat 2 was taken over in round 1."""
    game = service.create_game(3, options={"turn_ms": 960_000})
    while game.view()["round"] == 1:
        acting = [seat for seat in game.view()["waiting_for"] if seat != 2]
        if acting:
            game.act_legally(acting[0])
        else:
            processes.play(left(processes, game, 2))
    assert [left(processes, game, seat) for seat in range(3)] == [960, 960, 40]
    return game


def test_deadlines_of_all_seats_get_the_time_of_an_outage(processes, service):
    game = in_round_2_without_seat_2(processes, service)
    processes.play(10)
    processes.stop(300)
    assert [left(processes, game, seat) for seat in range(3)] == [950 + RECONNECT_S] * 2 + [30 + RECONNECT_S]
    (event,) = added(game)
    assert event["deadlines"] == [player["deadline"] for player in game.view()["players"]]


def test_player_who_returns_after_an_outage_has_the_time_that_was_left(processes, service):
    game = in_round_2_without_seat_2(processes, service)
    processes.play(10)
    processes.stop(300)
    game.call("POST", "return", seat=2)
    assert [left(processes, game, seat) for seat in range(3)] == [950 + RECONNECT_S] * 3


def test_views_of_the_log_have_the_time_that_was_added(processes, service):
    for options, waits_s in ((BUDGET, 0), ({"turn_ms": 60_000}, 0), ({"turn_ms": 60_000}, 61)):
        game = service.create_game(2, options=options)
        processes.play(waits_s)
        before = game.view()
        if not waits_s:
            assert game.call("POST", "abort", token=game.tokens[0]).status_code == 200
        processes.stop(13)
        view = game.view()
        events = service.get(game.path(f"events?after={before['last_event']}"))["events"]
        for event in events:
            fold(before, event)
        assert without_time(before) == without_time(view)
        past = service.get(f"{game.path()}?at_event={view['last_event']}")
        assert without_time(past) == without_time(view)


def test_times_of_a_restored_game_get_the_time_since_the_backup(processes, service):
    game = service.create_game(2, options={"turn_ms": 60_000})
    saved = {key: service.redis.dump(key) for key in service.redis.scan_iter()}
    processes.play(2)
    game.act_legally(0)
    processes.stop(HOUR_S)
    service.redis.flushall()
    for key, value in saved.items():
        service.redis.restore(key, 0, value)
    processes.sign()
    assert is_unharmed(game)
    assert left(processes, game) == 60 + RECONNECT_S


def test_lab_clock_that_is_ahead_counts_for_outages_too(monkeypatch):
    processes = Processes(monkeypatch, lab=True)
    service = processes.worker
    service.call("POST", "/v1/lab/clock", {"advance_ms": 7_000})
    game = service.create_game(2, options={"turn_ms": 60_000})
    processes.play(2)
    processes.stop(300)
    assert datetime.fromisoformat(game.view()["deadline"]) == datetime.fromtimestamp(
        processes.clock.now + 7 + 58 + RECONNECT_S, UTC
    )
    service.call("POST", "/v1/lab/clock", {"advance_ms": 64_000})
    assert not is_unharmed(game)
