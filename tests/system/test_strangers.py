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
from contextlib import closing

import pytest

from tests.support.comparing import with_fields_of
from tests.support.launcher import launching
from tests.support.sizes import sized
from tests.support.waiting import MAX_RUN_S, waited_for
from tests.system.folded import FoldedGame, ms_of, statistics
from tests.system.processes import dispatchers_of, workers_of
from tests.system.raw import metric_value
from tests.system.strangers import DAYS, LIVE, Strangers, new_keys
from tests.system.wire import Wire, bearer

GAMES = {"live": sized(2, 16), "days": sized(3, 24)}
"""How many games of each pace."""

MORE_GAMES = sized((), (8,) * 10)
"""How many games are played in addition, as long as something of `HAPPENS` has not happened."""

AT_ONCE = sized(5, 8)
KEYS = sized(6, 12)
SEED = "strangers"
LOG = logging.getLogger(__name__)
MAX_KILLS = 1000
BETWEEN_KILLS = (10, 60)
"""How many actions are acknowledged from one kill to the next."""

VICTIMS = (("worker", workers_of),) * 3 + (("dispatcher", dispatchers_of),)

PACES = {"live": LIVE, "days": DAYS}
HAPPENS = {
    "live": ("resigned", "timed_out", "out_of_time", "missed", "returned", "pauses", "took_over", "abused"),
    "days": (
        "resigned", "timed_out", "missed", "returned", "taken over again", "replaced the server's", "pauses",
        "pauses ended by time", "take-overs requested", "took_over", "absent", "abort expired", "abused",
    ),
}  # fmt: skip
"""What happens sooner or later in games of each pace: events, and how seats and proposals ended."""

LONG_S = str(365 * 86_400)
LASTING = {"SKYE_LAB": "on"} | {
    f"SKYE_{name}_S": LONG_S
    for name in (
        "IDEMPOTENCY_TTL", "HISTORY_TTL", "GAME_TTL_LOBBY", "GAME_TTL_PLAYING", "GAME_TTL_FINISHED",
        "GAME_TTL_ABORTED",
    )
}  # fmt: skip
"""The settings of a server whose clock jumps by months."""

pytestmark = pytest.mark.usefixtures("redis_program")


@pytest.mark.parametrize("pace", PACES)
def test_results_and_histories_of_strangers_follow_from_the_logs(pace, tmp_path):
    seed = f"{SEED}/{pace}"
    keys, dice = new_keys(seed, KEYS), random.Random(seed)
    settings = LASTING if PACES[pace].jumps else {}
    meetings, games, happened, missing = [], {}, Counter(), HAPPENS[pace]
    with launching(tmp_path) as start:
        served = start(SKYE_WORKERS="2", SKYE_DISPATCHERS="1", SKYE_LIMITS="off", **settings)
        port = int(served.url.rpartition(":")[2])
        with closing(Wire([port], dice)) as wire:
            for part, size in enumerate((GAMES[pace], *MORE_GAMES)):
                with Strangers(port, f"{seed}/{part}", PACES[pace], size, AT_ONCE, keys) as crowd:
                    happened += kill_processes(served, crowd, dice)
                assert not crowd.wrong, crowd.wrong[0]
                assert waited_for(lambda: metric_value(served.url, 'due_entries{kind="relay"}') == 0)
                new = {meeting.game: folded(wire, meeting) for meeting in crowd.meetings}
                assert len(new) == size
                happened += happenings(crowd.meetings, new)
                meetings, games = meetings + crowd.meetings, games | new
                if not (missing := [name for name in HAPPENS[pace] if not happened[name]]):
                    break
            for meeting in meetings:
                check_game(wire, meeting, games[meeting.game])
            check_list(wire, meetings, games)
            for key in keys:
                check_player(wire, key, meetings, games)
    for name, number in happened.items():
        LOG.info("%30s %s", name, number)
    assert happened["worker kills"]
    assert sized([], missing) == []


def happenings(meetings, games):
    """Return what has happened in games how often, by names."""
    happened = Counter()
    for meeting in meetings:
        game = games[meeting.game]
        happened += Counter({name: number for name, number in game.counts.items() if isinstance(name, str)})
        happened += Counter(end["type"] for end in game.ends)
        happened["abused"] += sum(stranger.done["abused"] for stranger in meeting.strangers)
        happened[game.status] += 1
        happened["aborted without the absent"] += bool(game.absent)
        happened["shared last places"] += sum(len(group) > 1 for group in game.gave_up)
    return happened


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
    return FoldedGame(events)


def check_game(wire, meeting, game):
    """Compare the view and the record of a game with its log, and what its players were acknowledged."""
    path, key = f"/v1/games/{meeting.game}", meeting.keys[0]
    view, record = wire.read(path, key), wire.read(f"{path}/record", key)
    assert (view["status"], view["abort_reason"]) == (game.status, game.abort_reason)
    assert [player["end"] for player in view["players"]] == game.ends
    assert [player["bot"] for player in view["players"]] == [game.bot_of(seat) for seat in game.seats]
    check_takeovers(view, game)
    assert record["gave_up"] == game.gave_up
    assert [player["end"] for player in record["players"]] == game.ends
    assert {player["bot"] for player in record["players"]} == {None}
    result = view["result"]
    assert (result is not None) is (game.status == "finished")
    if result is not None:
        assert (result["winners"], result["placing"]) == (game.winners, game.placing)
        for player, seat in zip(result["players"], game.seats, strict=True):
            points = {tile["scoring_tile"]: tile["points"] for tile in player["scoring_tiles"]}
            assert player["end"] == seat.end(game.rounds)
            assert (player["score"], points) == (seat.score, dict(seat.points))
            assert player["score"] == sum(points.values()) + player["scroll_points"] + seat.gold // 5
    for number, stranger in enumerate(meeting.strangers):
        for kind in ("resigned", "returned", "answered"):
            assert game.counts[kind, number] == stranger.done[kind], (meeting.game, kind, number)


def check_takeovers(view, game):
    """Compare what a view says of seats that their players may take back with its log."""
    for player, seat in zip(view["players"], game.seats, strict=True):
        shown, taken = player["takeover"], seat.takeover
        assert (shown is None) is (taken is None)
        if shown is not None:
            found = (shown["bot"], shown["at"], shown["round"], shown["phase"])
            assert found == (taken.bot, taken.at, taken.round, taken.phase)
            assert ms_of(shown["counts_as_absent_at"]) == taken.absent_ms


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
        left = game.seats[seat].left
        has_resigned = left is not None and left.kind == "resigned"
        assert (own["seat"], own["resigned_seat"]) == ((None, seat) if has_resigned else (seat, None))
        assert own["roles"] == ["host"] * (seat == 0) + ["player"] * (not has_resigned)
        assert not own["waiting"]
    past_games = {name: found for name, found in seats.items() if games[name].is_past}
    finished = {name for name in past_games if games[name].status == "finished"}
    history = pages(wire, "/v1/me/records?limit=7", "games", key)
    ends = [past["finished_at"] for past in history]
    assert ends == sorted(ends, reverse=True)
    assert sorted(past["game_id"] for past in history) == sorted(past_games)
    for past in history:
        meeting, seat = past_games[past["game_id"]]
        of_log = past_options(meeting) | games[meeting.game].past_game(seat)
        assert with_fields_of(of_log, past) == of_log
    lines = wire.ask_until_answered("GET", "/v1/me/games/records?limit=100", headers=bearer(key)).body
    exported = {line["record"]["game_id"]: line for line in map(json.loads, lines.splitlines())}
    assert sorted(exported) == sorted(finished)
    for name, line in exported.items():
        assert line["finished_at"] == games[name].finished_at
        assert line["record"]["gave_up"] == games[name].gave_up
    assert wire.read("/v1/me", key)["active_game_count"] == 0
    of_logs = statistics([(games[name], seat) for name, (_, seat) in past_games.items()])
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
