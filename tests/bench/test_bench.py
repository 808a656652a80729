"""The benchmark runs and writes its results; the figures of these runs mean nothing."""

import json
from dataclasses import replace

import pytest

from bench import __main__ as bench
from bench import (
    api,
    boardgame_io,
    client,
    compared,
    costs,
    estimate,
    page,
    servers,
    spectators,
    streams,
    subjects,
    worst_requests,
)
from bench.environments import environment_rows
from bench.plan import LEAST
from bench.positions import Copies, find
from bench.rows import Row, read, row, write
from tests.support.missing_programs import NO_BOARDGAME_IO, NO_REDIS
from tests.support.sizes import sized

FORM = {"name", "value", "unit", "against", "ratio", "goal", "met"}


@pytest.fixture(scope="module")
def place():
    """Servers with one game that was played."""
    with subjects.place_to_measure(LEAST) as place:
        yield place or pytest.skip(NO_REDIS)


def test_engine_is_measured_and_written_in_the_agreed_form(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("bench.engine.opponents", lambda _dice: {})
    for frameworks in ("_pettingzoo", "_openspiel"):
        monkeypatch.setattr(f"bench.environments.{frameworks}", lambda _dice: {})
    to = tmp_path / "latest.json"
    of_another_part = Row("start to first answer", 0.9, "s", goal="<= 1.0", met=True, part="scale")
    write([of_another_part, Row("old", 1.0, "us", part="engine")], to)

    assert bench.main(["engine", "--least", "--to", str(to)]) == 0

    written = json.loads(to.read_text())
    assert all(set(each) >= FORM for each in written)
    assert {each["unit"] for each in written} >= {"decisions/s", "games/s", "us", "bytes"}
    printed = capsys.readouterr().out
    assert all(each["name"] in printed for each in written if each["part"] == "engine")
    absent = [each for each in read(to) if each.against and each.against.endswith(": not installed")]
    assert len(absent) == 3
    assert all(each.value is None and each.met is None for each in absent)
    assert of_another_part in read(to)
    assert "old" not in {each.name for each in read(to)}


def test_ratio_is_the_median_of_the_ratios_within_each_round():
    made = row(
        "ours", [10.0, 30.0, 20.0], "requests/s", against=("theirs", [10.0, 20.0, 40.0]), goal=">= 1.0"
    )
    assert (made.value, made.ratio, made.met) == (20.0, 1.0, True)
    assert row("time", [2.0], "s", goal="<= 1.0").met is False


def test_requests_are_measured_beside_what_makes_the_same_calls(place):
    reads = {subject.name: subject for subject in subjects.read_subjects(place)}
    actions = {subject.name: subject for subject in subjects.action_subjects(place)}
    assert {"set prices", "buy", "pass", "place", "take back", "finish building"} <= set(actions)
    for subject in (reads["game view"], reads["game view, 304"], actions["place"]):
        rows = {each.name: each for each in api.beside_ceilings(place, subject)}
        assert rows[subject.name].against == api.CEILING
        assert rows[subject.name].goal == subject.goal
        assert {f"{subject.name}: {what}" for what in ("p50", "p99", "CPU of the API")} <= set(rows)


def test_view_with_a_known_entity_tag_is_not_modified(place):
    subject = next(each for each in subjects.read_subjects(place) if each.name == "game view, 304")
    exchanges = client.drive(place.ours.base, subject.copies.requests(subject.of), 0.1)
    assert {each.head[:12] for each in exchanges} == {b"HTTP/1.1 304"}


def test_last_round_is_compared_with_the_first(place):
    place = place._replace(plan=replace(LEAST, runs=1, paced_seconds=0.1))
    rows = {each.name: each for each in [*compared.round_rows(place), *compared.pace_rows(place)]}
    assert rows["place, round 6: time"].against == "place, round 1"
    assert rows["game view, 70% load evenly: p99"].goal == "<= 5"


def test_server_is_compared_with_one_without_the_code_of_hunts(place):
    rows = compared.hunt_rows(place)
    assert all(each.name.startswith(("game view, bug hunts off", "set prices")) for each in rows)
    assert all(each.against.endswith("without the code of bug hunts") and each.ratio > 0 for each in rows)


def test_decision_of_one_request_is_compared_with_two(place):
    rows = {each.name: each for each in compared.decision_rows(place)}
    one = rows["a decision with `include=actions`, one request"]
    assert (one.unit, one.against) == ("decisions/s", "a decision, two requests")
    assert one.ratio > 0
    assert rows["a decision, two requests: CPU of the API"].value > 0


def test_action_with_keys_and_a_deadline_is_compared_with_one_without(place):
    rows = {each.name: each for each in compared.key_rows(place)}
    timed = rows["set prices, with player keys and a deadline: time"]
    assert (timed.against, timed.goal) == ("set prices, without player keys and deadline", "<= 1.1")
    assert timed.ratio > 0


def test_benchmark_stops_at_an_error_response(place):
    copies = Copies("gone", find(place.games, 1, "set_offer", last=False), 1)  # never stored
    with pytest.raises(RuntimeError, match="404"):
        client.drive(place.ours.base, copies.requests(subjects.view), 0.05)


def test_paced_client_sends_as_many_as_are_due(place):
    requests = subjects.hot(place, "pace", 1, "set_offer").requests(subjects.view)
    exchanges = client.drive(place.ours.base, requests, 0.5, rate=40)
    assert len(exchanges) == 20
    assert all(each.due <= each.sent < each.ended for each in exchanges)


def test_events_reach_every_stream_whatever_the_number(place):
    place = place._replace(plan=replace(LEAST, runs=1, streams=(3,)))
    rows = {each.name: each.value for each in streams.stream_rows(place)}
    assert rows["3 streams open, 200 actions/s: from action to event, p50"] > 0


def test_spectators_of_one_game_all_get_its_events(place):
    place = place._replace(plan=replace(LEAST, runs=1, streams=(3,), paced_seconds=0.5))
    rows = {each.name: each for each in spectators.spectator_rows(place)}
    assert rows["3 spectators of one game, an event at one: CPU of the API"].goal == "<= 60"
    assert rows["3 spectators of one game: events within 250 ms of the action"].goal == ">= 0.99"
    assert rows["an idle stream of a game of its own: memory of the worker"].goal == "<= 30720"


def test_moves_of_boardgame_io_are_measured_in_memory_and_in_files():
    if not (boardgame_io.FOLDER / "node_modules").is_dir():
        pytest.skip(NO_BOARDGAME_IO)
    rows = boardgame_io.boardgame_io_rows(replace(LEAST, runs=1, seconds=0.5))
    assert [each.unit for each in rows] == ["moves/s", "us/move"] * 2
    assert all(each.value > 0 for each in rows)


def test_missing_boardgame_io_has_no_figure(monkeypatch, tmp_path):
    monkeypatch.setattr(boardgame_io, "FOLDER", tmp_path)
    assert [each.value for each in boardgame_io.boardgame_io_rows(LEAST)] == [None]


def test_costs_and_sizes_are_those_of_games_and_requests(place):
    rows = {each.name: each for each in [*costs.cost_rows(place), *costs.size_rows(place, players=(2,))]}
    assert rows["game view: commands of Redis"].value == pytest.approx(1, abs=0.2)
    assert rows["game view: append-only file of Redis"].value == 0
    assert place.store.config_get("auto-aof-rewrite-percentage") == {"auto-aof-rewrite-percentage": "0"}
    assert rows["a game of 2, finished: table and log"].goal == "<= 8192"
    measured_elsewhere = ("CPU of", "stored games")
    wanted = {
        name for name in estimate.NAMES.values() if not any(word in name for word in measured_elsewhere)
    }
    assert {name.replace("of 4", "of 2") for name in wanted} <= set(rows)


@pytest.mark.parametrize("path", page.PAGES, ids=lambda path: path.stem)
def test_tables_of_the_pages_can_be_rewritten(path):
    written = path.read_text(encoding="utf-8")
    assert page.names(written)
    rows = [Row(name, 1.0, "us") for name in estimate.NAMES.values()]
    again = page.filled(written, rows)
    assert page.names(again) == page.names(written)
    assert page.filled(again, rows) == again


def test_cpu_time_of_a_thread_that_has_ended_is_none(tmp_path):
    assert servers.thread_nanoseconds(tmp_path / "ended") == 0


def test_page_names_only_measured_figures():
    with pytest.raises(LookupError, match="measure all parts first"):
        page.filled("<!-- measured -->\n<!-- end -->\n", [])


def test_cost_of_the_worst_requests_is_divided_by_their_price(redis_server, monkeypatch):
    monkeypatch.setattr(worst_requests, "TIMES", sized(2, worst_requests.TIMES))
    limits = {"SKYE_LIMITS": "on", "SKYE_TRUSTED_PROXIES": "1"}
    with servers.gunicorn("skye_server.wsgi:app", redis_server, **limits) as server:
        rows = worst_requests.worst_request_rows(server)
    assert len(rows) > 10
    assert all(each.value > 0 and each.goal == worst_requests.GOAL for each in rows)


@pytest.mark.filterwarnings("ignore")
def test_environments_are_measured_beside_the_engine():
    pytest.importorskip("pyspiel", reason="OpenSpiel is not installed: its game is not measured")
    pytest.importorskip("pettingzoo", reason="PettingZoo is not installed: its environment is not measured")
    rows = {row.name: row for row in environment_rows(LEAST)}
    for name in ("PettingZoo environment: one step", "OpenSpiel game: one step"):
        assert rows[name].value > 0
        assert rows[name].against.startswith("engine")
