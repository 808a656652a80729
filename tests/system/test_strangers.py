"""Games among strangers who leave, return and make proposals while workers and dispatchers are killed.

Their results, records, lists, histories and statistics are what `folded` computes from the event logs. With
`--log-cli-level=INFO` the test shows what has happened how often.
"""

import json
import logging
import os
import random
import signal
from collections import Counter

import pytest

from tests.support.comparing import with_fields_of
from tests.support.launcher import launching
from tests.support.sizes import sized
from tests.support.waiting import MAX_RUN_S, waited_for
from tests.system.folded import FoldedGame, statistics
from tests.system.processes import dispatchers_of, workers_of
from tests.system.raw import metric_value
from tests.system.strangers import Strangers, new_keys
from tests.system.wire import Wire, bearer

GAMES = sized(5, 40)
AT_ONCE = 5
KEYS = sized(6, 12)
SEED = "strangers"
LOG = logging.getLogger(__name__)
MAX_KILLS = 1000
BETWEEN_KILLS = (10, 60)
"""How many actions are acknowledged from one kill to the next."""

VICTIMS = (("worker", workers_of),) * 3 + (("dispatcher", dispatchers_of),)

HAPPENS = (
    "resigned", "timed_out", "out_of_time", "missed", "returned", "pauses", "pauses ended by time",
    "abort accepted", "abort refused", "abort expired", "pause accepted", "pause refused", "pause withdrawn",
)  # fmt: skip
"""What happens in many games: events, and proposals by how they ended."""

pytestmark = pytest.mark.usefixtures("redis_program")


def test_results_and_histories_of_strangers_follow_from_the_logs(tmp_path):
    keys, dice = new_keys(SEED, KEYS), random.Random(SEED)
    with launching(tmp_path) as start:
        served = start(SKYE_WORKERS="2", SKYE_DISPATCHERS="1", SKYE_LIMITS="off")
        port = int(served.url.rpartition(":")[2])
        with Strangers(port, SEED, GAMES, AT_ONCE, keys) as crowd:
            kills = kill_processes(served, crowd, dice)
        assert not crowd.wrong, crowd.wrong[0]
        assert waited_for(lambda: metric_value(served.url, 'due_entries{kind="relay"}') == 0)
        wire = Wire([port], dice)
        games = {meeting.game: folded(wire, meeting) for meeting in crowd.meetings}
        assert len(games) == GAMES
        for meeting in crowd.meetings:
            check_game(wire, meeting, games[meeting.game])
        check_list(wire, crowd.meetings, games)
        for key in keys:
            check_player(wire, key, crowd.meetings, games)
        wire.close()
    happened = sum((game.counts for game in games.values()), kills)
    happened += Counter(game.status for game in games.values())
    for name, number in happened.items():
        if isinstance(name, str):
            LOG.info("%25s %s", name, number)
    assert kills["worker kills"]
    assert sized([], [name for name in HAPPENS if not happened[name]]) == []


def kill_processes(served, crowd, dice):
    """Kill a worker or a dispatcher at random, repeatedly, while games are played; return how often."""
    kills = Counter()
    for _ in range(MAX_KILLS):
        until = crowd.action_count + dice.randint(*BETWEEN_KILLS)

        def is_time(until=until):
            return crowd.wrong or not crowd.is_playing or crowd.action_count >= until

        assert waited_for(is_time, MAX_RUN_S)
        if crowd.wrong or not crowd.is_playing:
            return kills
        kind, find = dice.choice(VICTIMS)
        assert waited_for(lambda find=find: find(served))
        os.kill(dice.choice(find(served)), signal.SIGKILL)
        kills[f"{kind} kills"] += 1
    raise AssertionError("the games do not end")


def folded(wire, meeting):
    """Return what follows from the event log of a game that is over; a reader of any of the keys reads it."""
    path = f"/v1/games/{meeting.game}/events?limit=1000"
    events = wire.read(path, meeting.keys[0])["events"]
    while page := wire.read(f"{path}&after={events[-1]['id']}", meeting.keys[0])["events"]:
        events += page
    return FoldedGame(events, meeting.body["options"].get("tie_break", "leftover_gold"))


def check_game(wire, meeting, game):
    """Compare the view and the record of a game with its log, and what its players were acknowledged."""
    path, key = f"/v1/games/{meeting.game}", meeting.keys[0]
    view, record = wire.read(path, key), wire.read(f"{path}/record", key)
    assert (view["status"], view["abort_reason"]) == (game.status, game.abort_reason)
    ends = [seat.end for seat in game.seats]
    assert with_fields_of(ends, [player["end"] for player in view["players"]]) == ends
    assert [player["bot"] for player in view["players"]] == [seat.bot for seat in game.seats]
    assert record["gave_up"] == game.gave_up
    assert with_fields_of(ends, [player["end"] for player in record["players"]]) == ends
    assert {player["bot"] for player in record["players"]} == {None}
    result = view["result"]
    assert (result is not None) is (game.status == "finished")
    if result is not None:
        assert (result["winners"], result["placing"]) == (game.winners, game.placing)
        for player, seat in zip(result["players"], game.seats, strict=True):
            points = {tile["scoring_tile"]: tile["points"] for tile in player["scoring_tiles"]}
            assert with_fields_of(seat.end, player["end"]) == seat.end
            assert (player["score"], points) == (seat.score, dict(seat.points))
            assert player["score"] == sum(points.values()) + player["scroll_points"] + seat.gold // 5
    for number, stranger in enumerate(meeting.strangers):
        for kind in ("resigned", "returned", "answered"):
            assert game.counts[kind, number] == stranger.done[kind], (meeting.game, kind, number)


def check_summary(summary, meeting, game):
    """Compare the summary of a game with its log."""
    assert (summary["name"], summary["status"]) == (meeting.body["name"], game.status)
    assert (summary["round"], summary["phase"]) == (game.round, None)
    assert with_fields_of(game.summary_players, summary["players"]) == game.summary_players


def check_list(wire, meetings, games):
    """Compare the list of public games with their logs."""
    listed = pages(wire, "/v1/games?limit=7", "games")
    public = [meeting for meeting in meetings if meeting.body["visibility"] == "public"]
    expected = {meeting.game: meeting for meeting in public if games[meeting.game].status == "finished"}
    assert sorted(summary["id"] for summary in listed) == sorted(expected)
    for summary in listed:
        check_summary(summary, expected[summary["id"]], games[summary["id"]])


def check_player(wire, key, meetings, games):
    """Compare the games, the history and the statistics of a player key with the logs."""
    seats = {meeting.game: (meeting, meeting.keys.index(key)) for meeting in meetings if key in meeting.keys}
    listed = pages(wire, "/v1/me/games?limit=7", "games", key)
    assert sorted(own["game"]["id"] for own in listed) == sorted(seats)
    for own in listed:
        meeting, seat = seats[own["game"]["id"]]
        game = games[meeting.game]
        check_summary(own["game"], meeting, game)
        has_resigned = game.seats[seat].end["type"] == "resigned"
        assert (own["seat"], own["resigned_seat"]) == ((None, seat) if has_resigned else (seat, None))
        assert own["roles"] == ["host"] * (seat == 0) + ["player"] * (not has_resigned)
        assert not own["waiting"]
    finished = {name: found for name, found in seats.items() if games[name].status == "finished"}
    history = pages(wire, "/v1/me/records?limit=7", "games", key)
    ends = [past["finished_at"] for past in history]
    assert ends == sorted(ends, reverse=True)
    assert sorted(past["game_id"] for past in history) == sorted(finished)
    for past in history:
        meeting, seat = finished[past["game_id"]]
        of_log = past_options(meeting) | games[meeting.game].past_game(seat)
        assert with_fields_of(of_log, past) == of_log
    lines = wire.ask_until_answered("GET", "/v1/me/games/records?limit=100", headers=bearer(key)).body
    exported = {line["record"]["game_id"]: line for line in map(json.loads, lines.splitlines())}
    assert sorted(exported) == sorted(finished)
    for name, line in exported.items():
        assert line["finished_at"] == games[name].finished_at
        assert line["record"]["gave_up"] == games[name].gave_up
    assert wire.read("/v1/me", key)["active_game_count"] == 0
    of_logs = statistics([(games[name], seat) for name, (_, seat) in finished.items()])
    assert with_fields_of(of_logs, wire.read("/v1/me/statistics", key)) == of_logs


def past_options(meeting):
    """Return what a history has of a game as it was created."""
    clock = {"turn_ms": None, "budget_ms": None, "increment_ms": 0}
    return {
        "game_id": meeting.game,
        "name": meeting.body["name"],
        "ruleset": "base",
        "visibility": meeting.body["visibility"],
        "clock": {name: meeting.body["options"].get(name) for name in (*clock, "on_timeout")}
        | {name: meeting.body["options"].get(name, value) for name, value in clock.items()},
    }


def pages(wire, path, name, key=None):
    """Return the entries of all pages of a list."""
    found = wire.read(path, key)
    entries = found[name]
    while found["next_cursor"]:
        found = wire.read(f"{path}&cursor={found['next_cursor']}", key)
        entries += found[name]
    return entries
