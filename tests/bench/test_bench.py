"""The benchmark runs and writes its results; the figures of these runs mean nothing."""

import json
from dataclasses import replace

import pytest

from bench import __main__ as bench
from bench import api, attacks, boardgame_io, load, page, scale, servers, streams, subjects
from bench.environments import environment_rows
from bench.ladder import ladder_rows
from bench.plan import LEAST
from bench.positions import Copies, find
from bench.rows import Row, read, row, update
from tests.support.missing_programs import NO_BOARDGAME_IO, NO_REDIS, NO_WRK

FORM = {"name", "value", "unit", "against", "ratio", "goal", "met"}


@pytest.fixture(scope="module")
def place():
    """Servers with one game that was played."""
    with subjects.place_to_measure(LEAST) as place:
        yield place or pytest.skip(NO_REDIS if load.HAS_WRK else NO_WRK)


def test_engine_is_measured_and_written_in_the_agreed_form(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("bench.engine.opponents", lambda _dice: {})
    for frameworks in ("_pettingzoo", "_openspiel"):
        monkeypatch.setattr(f"bench.environments.{frameworks}", lambda _dice: {})
    to = tmp_path / "latest.json"
    of_another_part = Row("start to first response", 0.9, "s", goal="<= 1.0", met=True)
    update(to, "scale", [of_another_part])
    update(to, "engine", [Row("old", 1.0, "us")])

    assert bench.main(["engine", "--least", "--to", str(to)]) == 0

    written = json.loads(to.read_text())
    assert all(set(each) >= FORM for each in written)
    assert {each["unit"] for each in written} >= {"decisions/s", "us", "ms"}
    printed = capsys.readouterr().out
    assert all(each["name"] in printed for each in written if each["part"] == "engine")
    absent = [each for each in read(to) if each.against and each.against.endswith(": not installed")]
    assert len(absent) == 2
    assert all(each.value is None and each.met is None for each in absent)
    assert replace(of_another_part, part="scale") in read(to)
    assert "old" not in {each.name for each in read(to)}


def test_ratio_is_the_median_of_the_ratios_within_each_round():
    made = row(
        "ours", [10.0, 30.0, 20.0], "requests/s", against=("theirs", [10.0, 20.0, 40.0]), goal=">= 1.0"
    )
    assert (made.value, made.ratio, made.met) == (20.0, 1.0, True)
    assert row("time", [2.0], "s", goal="<= 1.0").met is False


def test_requests_are_measured_beside_their_fixed_ceilings(place):
    reads = {subject.name: subject for subject in subjects.read_subjects(place)}
    actions = {subject.name: subject for subject in subjects.action_subjects(place)}
    for subject in (reads["game view, 304"], reads["create a game of four"], actions["place"]):
        rows = {each.name: each for each in api.beside_ceiling(place, subject)}
        assert rows[subject.name].against == api.CEILING
        assert rows[subject.name].goal == subject.goal
        assert {f"{subject.name}: {what}" for what in ("p50", "p99", "CPU of the API")} <= set(rows)


def test_view_with_a_known_entity_tag_is_not_modified(place):
    subject = next(each for each in subjects.read_subjects(place) if each.name == "game view, 304")
    with pytest.raises(OSError, match="304"):
        api.fetch(place.ours.base, subject.copies.requests(subject.of)[0])


def test_benchmark_stops_at_an_error_response(place):
    gone = Copies("gone", find(place.games, 1, "set_offer", last=False), 1).requests(subjects.view)
    with pytest.raises(RuntimeError, match="refused"):
        load.at_full_speed(place.ours.base, gone, 1)
    with pytest.raises(RuntimeError, match="404"):
        load.at_rate(place.ours.base, gone, 0.1, 10)


def test_client_at_a_rate_sends_as_many_as_are_due(place):
    requests = subjects.stored_copies(place, "pace", 1).requests(subjects.view)
    exchanges = load.at_rate(place.ours.base, requests, 0.5, 40)
    assert len(exchanges) == 20
    assert exchanges[-1].sent - exchanges[0].sent >= 19 / 40 - 0.1


def test_events_reach_every_stream_whatever_the_number(place):
    place = place._replace(plan=replace(LEAST, streams=(3,), paced_seconds=0.5))
    rows = {each.name: each for each in [*streams.stream_rows(place), *streams.spectator_rows(place)]}
    assert rows["3 streams open, 200 actions/s: from action to event, p50"].value > 0
    assert rows["3 spectators of one game, an event at one: CPU of the API"].goal == "<= 60"
    assert rows["3 spectators of one game: events within 250 ms of the action"].goal == ">= 0.99"
    assert rows["an idle stream of a game of its own: memory of the worker"].goal == "<= 30720"


def test_action_is_measured_beside_boardgame_io_in_memory_and_in_files(place):
    if boardgame_io.not_installed():
        pytest.skip(NO_BOARDGAME_IO)
    rows = api.boardgame_io_rows(place)
    assert [each.unit for each in rows] == ["moves/s", "us/move", "us/request"] * 2
    assert all(each.value > 0 for each in rows)


def test_missing_boardgame_io_has_no_figure(monkeypatch, tmp_path):
    monkeypatch.setattr(boardgame_io, "FOLDER", tmp_path)
    assert [each.value for each in api.boardgame_io_rows(None)] == [None]


def test_costs_and_sizes_are_those_of_games_and_requests(place):
    rows = {each.name: each for each in scale.cost_rows(place, players=(4,))}
    assert rows["game view: commands of Redis"].value == pytest.approx(1, abs=0.2)
    assert rows["game view: append-only file of Redis"].value == 0
    assert place.store.config_get("auto-aof-rewrite-percentage") == {"auto-aof-rewrite-percentage": "0"}
    assert rows["a game of 4, finished: game and log"].goal == "<= 8192"
    names = {name for names in page.COSTS.values() for name in names}
    measured_elsewhere = ("CPU of", "stored games", "idle stream")
    assert {name for name in names if not any(word in name for word in measured_elsewhere)} <= set(rows)


def test_pages_of_a_ladder_are_measured_beside_a_game_view(place):
    rows = ladder_rows(place)
    assert {each.against for each in rows} == {"game view"}
    assert [each.name.partition(", ")[2] for each in rows if each.goal] == [
        "first page: CPU with Redis",
        "page at 150: CPU with Redis",
    ]


def test_table_of_the_page_can_be_rewritten():
    written = page.PAGE.read_text(encoding="utf-8")
    rows = [Row(name, 1.0, "us") for names in page.COSTS.values() for name in names]
    again = page.filled(written, rows)
    assert again != written
    assert page.filled(again, rows) == again


def test_page_shows_only_measured_figures():
    with pytest.raises(LookupError, match="measure all parts first"):
        page.filled(page.PAGE.read_text(encoding="utf-8"), [])


def test_cpu_time_of_a_thread_that_has_ended_is_none(tmp_path):
    assert servers.thread_nanoseconds(tmp_path / "ended") == 0


@pytest.mark.full_size
def test_cost_of_expensive_requests_is_divided_by_their_price(redis_server):
    limits = {"SKYE_LIMITS": "on", "SKYE_TRUSTED_PROXIES": "1"}
    with servers.gunicorn("skye_server.wsgi:app", redis_server, **limits) as server:
        rows = attacks.price_rows(server)
    assert len(rows) == len({each.name for each in rows}) > 0
    assert all(each.value > 0 and each.goal == attacks.GOALS["price"] for each in rows)


@pytest.mark.filterwarnings("ignore")
def test_environments_are_measured_beside_the_engine():
    pytest.importorskip("pyspiel", reason="OpenSpiel is not installed: its game is not measured")
    pytest.importorskip("pettingzoo", reason="PettingZoo is not installed: its environment is not measured")
    rows = {row.name: row for row in environment_rows(LEAST)}
    for name in ("PettingZoo environment: one step", "OpenSpiel game: one step"):
        assert rows[name].value > 0
        assert rows[name].against.startswith("engine")
