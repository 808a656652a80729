"""The arena: pairing, resuming, statistics, and bots in processes of their own, good and bad."""

import contextlib
import json
import os
import re
import shutil
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path
from random import Random
from types import SimpleNamespace

import pytest

from skye import Action, Options, Record, game_from_position, new_game, position_from_text, replay
from skye.bots.registry import BOTS
from skye.views import move_from
from skye_gym.arena import match
from skye_gym.arena.bot_errors import explained
from skye_gym.arena.bot_process import BotFailed, BotProcess, Budget
from skye_gym.arena.command import main
from skye_gym.arena.entrants import decider_for, entrant_from
from skye_gym.arena.json_lines import json_line, opened_alone, read_json_lines
from skye_gym.arena.league import League
from skye_gym.arena.match import play_match
from skye_gym.arena.process_cpu import CAN_MEASURE
from skye_gym.arena.ratings import standings, wilson
from skye_gym.arena.turn import Turn, chosen_move, function_named
from skye_gym.encoding import EncodedGame
from tests.support.waiting import waited_for

FOLDER = Path(__file__).parent
ROOT = FOLDER.parents[1]
PYTHONPATH = f"{ROOT / 'engine'}:{ROOT / 'gym'}:{FOLDER}"
HOSTILE = FOLDER / "hostile_command.py"
AMPLE_S = 120
"""A budget in seconds that no bot exceeds which replies, however busy the machine is."""

EXAMPLE = FOLDER.parent / "examples/arena/bot.mjs"


@pytest.fixture
def play(tmp_path, monkeypatch):
    """Play a league of one worker and return its header and its results."""
    monkeypatch.setenv("PYTHONPATH", PYTHONPATH)

    def league(*bots, games=2, **options):
        out = tmp_path / "league.jsonl"
        options = {"seed": "league", "budget": AMPLE_S} | options
        arguments = [f"--{name}={value}" for name, value in options.items() if value is not None]
        status = main([*bots, f"--games={games}", "--workers=1", f"--out={out}", *arguments])
        assert status == 0
        header, *results = map(json.loads, out.read_text().splitlines())
        return header, results

    league.out = tmp_path / "league.jsonl"
    return league


def test_group_has_every_set_of_bots_in_every_rotation_on_one_seed():
    entrants = tuple(map(entrant_from, ["random", "greedy", "third=cat"]))
    league = League(entrants, 2, 12, "s")
    line_ups = [[entrant.name for entrant in league.line_up(game)[0]] for game in range(6)]
    assert sorted(map(tuple, line_ups)) == sorted(
        (one, other)
        for one in ["random", "greedy", "third"]
        for other in ["random", "greedy", "third"]
        if one != other
    )
    assert {league.line_up(game)[1] for game in range(6)} == {"s/0"}
    assert league.line_up(6)[1] == "s/1"


def test_last_bot_takes_the_seats_that_are_left():
    league = League(tuple(map(entrant_from, ["random", "greedy"])), 4, 4, "s")
    assert [[entrant.name for entrant in league.line_up(game)[0]].index("random") for game in range(4)] == [
        0,
        3,
        2,
        1,
    ]


def test_bot_that_is_named_twice_takes_two_seats(tmp_path, capsys):
    out = tmp_path / "league.jsonl"
    bots = ["greedy", "random", "random", "other=greedy"]
    assert main([*bots, "--players=4", "--games=4", "--seed=s", "--workers=1", f"--out={out}"]) == 0
    _, *results = map(json.loads, out.read_text().splitlines())
    assert [result["bots"].index("greedy") for result in results] == [0, 3, 2, 1]
    assert all(result["bots"].count("random") == 2 for result in results)
    assert "| random | 8 |" in capsys.readouterr().out


def test_bot_that_takes_the_seats_that_are_left_is_named(play, capsys):
    play("greedy", games=1)
    assert "skye-arena: 1 bot for 2 seats: 'greedy' also takes the other seat\n" in capsys.readouterr().err
    play.out.unlink()
    play("random", "greedy", games=1)
    assert "seats" not in capsys.readouterr().err


def test_order_and_number_of_bots_tell_leagues_apart():
    headers = [
        json_line(League(tuple(map(entrant_from, bots)), 4, 4, "s").header())
        for bots in (["greedy", "random"], ["random", "greedy"], ["greedy", "greedy", "random"])
    ]
    assert len(set(headers)) == 3


def test_help_says_how_seats_are_filled(capsys):
    with pytest.raises(SystemExit):
        main(["--help"])
    assert "the last bot takes the seats" in capsys.readouterr().out


def test_expert_with_a_time_budget_plays_a_league(play):
    _, results = play("random", "quick=expert@1/1", games=2)
    assert [result["failures"] for result in results] == [{}, {}]


@pytest.mark.parametrize(
    "argument", ["unknown", "", "=", "name=", "expert@0", "expert@1/0", "expert@1/", f"expert@1/{10**9}"]
)
def test_entrant_that_names_no_bot_is_refused(argument):
    with pytest.raises(ValueError, match="neither"):
        entrant_from(argument)


def test_record_of_each_game_replays_to_its_scores(play):
    _, results = play("random", "arena_bots:sound", players=3, games=3)
    for result in results:
        assert result["failures"] == {}
        record = result["record"]
        actions = [
            Action(a["seat"], move_from(a["type"], {k: v for k, v in a.items() if k not in ("seat", "type")}))
            for a in record["actions"]
        ]
        colors = tuple(player["color"] for player in record["players"])
        end = replay(Record(colors, record["options"]["seed"], Options(), tuple(actions)))[-1].game
        assert [player.score for player in end.players] == result["scores"]
        assert list(end.winners) == result["winners"]


@pytest.mark.parametrize(
    ("bot", "failure"),
    [
        ("arena_bots:crash", "ended"),
        ("arena_bots:cheat", "illegal"),
        ("arena_bots:endless", "took a placement back"),
    ],
)
def test_bot_that_fails_loses_its_games_and_the_league_goes_on(play, bot, failure):
    _, results = play("random", bot)
    assert_lost(results, failure)


@pytest.mark.parametrize("bot", ["arena_bots:hang", "arena_bots:flood"])
def test_bot_that_exceeds_its_budget_loses_its_games(play, bot):
    _, results = play("random", bot, budget=0.5, startup=AMPLE_S)
    assert_lost(results, "budget")


def test_what_a_bot_prints_and_raises_is_shown_beside_the_table(play, capfd):
    _, results = play("random", "mine=arena_bots:faulty", workers=2)
    assert_lost(results, "raised LookupError: my strategy (")
    shown = capfd.readouterr()
    lines = [line for line in shown.err.splitlines() if line.startswith("[mine] ")]
    assert "[mine] my debugging of round 2" in lines
    assert '[mine]     raise LookupError("my strategy")' in lines
    assert "[mine] LookupError: my strategy" in lines
    assert "skye_gym" not in "".join(lines)
    assert "[mine]" not in shown.out


@pytest.mark.parametrize("trick", ["chatter", "half"])
def test_output_of_a_bot_is_shown_in_lines_up_to_a_limit(trick, capfd):
    bot = BotProcess([sys.executable, str(HOSTILE), trick], Budget(0.2, AMPLE_S), "mine")
    game = new_game(2, seed="s").game
    with closing(bot), contextlib.suppress(BotFailed):
        bot.decide(game, 0, Random(1))  # starts the process, and has its time
        bot.decide(game._replace(round=2), 0, Random(1))
    shown = capfd.readouterr().err
    assert len(shown) < 200_000
    assert ("[mine] ... and more, which is left out" in shown) == (trick == "chatter")


@pytest.mark.parametrize(
    ("source", "reason", "line"),
    [
        ("import nothing_there", "No module named 'nothing_there'", "import nothing_there"),
        ("def bot(:", "SyntaxError", "def bot(:"),
        ("bot = 1\njson.foo", "name 'json' is not defined", "json.foo"),
        ("def bot(turn):\n    return int('x')", "invalid literal for int()", "return int('x')"),
        ("def bot(turn):\n    return None", "returned no action", ""),
        ("def bot(game, seat, rng):\n    return None", "returned no move: None", ""),
    ],
)
def test_error_of_a_bot_is_explained_by_its_own_lines(tmp_path, monkeypatch, capsys, source, reason, line):
    (tmp_path / "faulty_bot.py").write_text(source)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "faulty_bot", raising=False)
    with pytest.raises((ImportError, SyntaxError, NameError, ValueError)) as raised:
        chosen_move(function_named("faulty_bot:bot"), Turn(new_game(2, seed="s").game, 0, Random(1), 1000))
    own = raised.value.with_traceback(raised.value.__traceback__.tb_next)  # without the frame of the test
    assert reason in explained(own)
    shown = capsys.readouterr().err
    assert line in shown
    assert bool(shown) == bool(line)
    assert "skye_gym" not in shown
    assert "importlib" not in shown


def assert_lost(results, failure):
    """Assert that the bot beside `random` lost both games for this failure."""
    assert len(results) == 2
    for result in results:
        seat = 1 - result["bots"].index("random")
        assert failure in result["failures"][str(seat)]
        assert len(result["failures"][str(seat)]) < 1000
        assert result["winners"] == [1 - seat]


@pytest.mark.parametrize(
    ("bot", "failure"),
    [
        ("arena_bots:missing", "has no attribute 'missing'"),
        ("no_such_module:bot", "No module named 'no_such_module'"),
        ("absent=/no/such/program", "cannot be started"),
        ("noise=yes", "sent no move"),
        ("deaf=sleep 600", "exceeded its budget"),
    ],
)
def test_league_with_a_bot_that_cannot_play_is_refused(play, bot, failure, capsys):
    arguments = ["random", bot, "sound=arena_bots:sound", "--games=2", f"--out={play.out}"]
    assert main([*arguments, "--budget=0.1", f"--startup={1 if 'deaf' in bot else AMPLE_S}"]) == 2
    error = capsys.readouterr().err
    assert failure in error
    assert bot.split("=")[0] in error
    assert not play.out.exists()


@pytest.mark.parametrize(
    ("argument", "reason"),
    [
        ("--games=0", "0 is not above 0"),
        ("--workers=0", "0 is not above 0"),
        ("--budget=-1", "-1 is not above 0"),
        ("--budget=0", "0 is not above 0"),
        ("--startup=nan", "nan is not above 0"),
        ("--budget=inf", "inf is above 86400"),
        ("--startup=1e300", "1e300 is above 86400"),
        ("--games=2.5", "invalid int value: '2.5'"),
    ],
)
def test_number_out_of_range_is_refused(argument, reason, capsys):
    with pytest.raises(SystemExit, match="2"):
        main(["random", "greedy", argument])
    assert reason in capsys.readouterr().err


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="no /proc to list processes")
def test_workers_and_bots_end_when_the_arena_is_killed(tmp_path):
    bots = ["hang=arena_bots:hang", "sound=arena_bots:sound"]
    arguments = ["--workers=2", "--budget=600", f"--out={tmp_path / 'league.jsonl'}"]
    command = [sys.executable, "-m", "skye_gym.arena.command", *bots, *arguments]
    arena = subprocess.Popen(command, env=os.environ | {"PYTHONPATH": PYTHONPATH}, stderr=subprocess.DEVNULL)
    try:
        assert waited_for(lambda: len(descendants(arena.pid)) >= 2 * 3)  # two workers with two bots each
        processes = descendants(arena.pid)
    finally:
        arena.kill()
        arena.wait()
    assert waited_for(lambda: not any(map(runs, processes)))


def runs(process):
    """Return whether a process has not ended; nobody may have waited for it yet."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


def descendants(process):
    """Return the ids of the children of a process, and of theirs."""
    try:
        children = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    except FileNotFoundError:
        return []
    return [each for child in children for each in (child, *descendants(child))]


@pytest.mark.skipif(not CAN_MEASURE, reason="no /proc to list processes")
def test_processes_of_a_bot_in_other_sessions_end_with_it():
    game, others = new_game(2, seed="s").game, descendants(os.getpid())
    with closing(BotProcess([sys.executable, str(HOSTILE), "daemon"], Budget(AMPLE_S))) as bot:
        bot.decide(game, 0, Random(1))
        bot.decide(game._replace(round=2), 0, Random(1))
        processes = set(descendants(os.getpid())).difference(others)
        assert len(processes) == 3  # the supervisor, the bot and its daemon
    assert not any(map(runs, processes))


@pytest.mark.parametrize("hostile", ["spy", "guess", "peek"])
def test_hostile_bot_in_its_own_process_finds_no_secret(play, hostile):
    _, results = play("greedy", f"arena_bots:{hostile}", seed=None)
    assert [result["failures"] for result in results] == [{}, {}]


@pytest.mark.parametrize(
    ("trick", "failure"),
    [
        ("flood", "sent more than 65536 bytes"),
        ("early", "replied to decision"),
        ("deep", "sent no move"),
        ("number", "sent no move"),
        ("array", "sent no move"),
        ("binary", "sent no move"),
        ("close", "ended"),
        ("price", "illegal"),
    ],
)
def test_hostile_command_loses_its_games_and_the_league_goes_on(play, trick, failure):
    _, results = play("random", f"hostile={sys.executable} {HOSTILE} {trick}")
    assert_lost(results, failure)


@pytest.mark.parametrize("trick", ["chatter", "half"])
def test_hostile_command_that_never_replies_loses_its_games(play, trick):
    command = f"hostile={sys.executable} {HOSTILE} {trick}"
    _, results = play("random", command, budget=0.5, startup=AMPLE_S)
    assert_lost(results, "budget")


def test_hostile_command_finds_no_secret_in_what_it_is_sent(play):
    _, results = play("greedy", f"hostile={sys.executable} {HOSTILE} search", games=4, seed=None)
    assert [result["failures"] for result in results] == [{}] * 4


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
def test_example_in_javascript_plays_whole_games(play):
    _, results = play("random", f"javascript=node {EXAMPLE}", games=4)
    assert [result["failures"] for result in results] == [{}] * 4


def test_interrupted_league_resumes_where_it_stopped(play):
    _, whole = play("random", "greedy", games=6)
    lines = play.out.read_text().splitlines(keepends=True)
    play.out.write_text("".join(lines[:4]) + lines[4][:40])
    _, resumed = play("random", "greedy", games=6)
    without_times = [
        [{k: v for k, v in result.items() if k != "decisions_ms"} for result in results]
        for results in (whole, resumed)
    ]
    assert without_times[0] == without_times[1]
    assert play.out.read_text().startswith("".join(lines[:4]))


def test_league_whose_header_was_written_in_part_begins_again(play):
    header, _ = play("random", "greedy")
    line, *_ = play.out.read_bytes().splitlines(keepends=True)
    for length in (1, len(line) // 2, len(line) - 1):
        play.out.write_bytes(line[:length])
        again, results = play("random", "greedy")
        assert again == header
        assert len(results) == 2


def test_header_in_part_is_dropped_whatever_the_new_seed(tmp_path):
    out, entrants = tmp_path / "league.jsonl", (entrant_from("random"), entrant_from("greedy"))
    old, new = (League(entrants, 2, 2, seed).header() for seed in ("old", "new"))
    line = json_line(old).encode().rstrip()
    for length in range(len(line)):
        out.write_bytes(line[:length])
        assert read_json_lines(out, new, "league") == []
        assert out.read_bytes() == b""


def test_league_without_a_seed_gets_a_random_one_and_keeps_it(play):
    first, _ = play("random", "greedy", games=2, seed=None)
    again, results = play("random", "greedy", games=4, seed=None)
    assert again == first
    assert len(results) == 4
    assert len(first["seed"]) == 32


def test_file_of_another_league_is_refused_with_what_differs(play, capsys):
    play("random", "greedy")
    league = ["--seed=league", f"--budget={AMPLE_S}", f"--out={play.out}"]
    differing = {
        "--seed (there league, here other)": ["random", "greedy", *league, "--seed=other"],
        "--players (there 2, here 3)": ["random", "greedy", *league, "--players=3"],
        "the bots (there random,greedy, here random)": ["random", *league],
    }
    for difference, arguments in differing.items():
        assert main(arguments) == 2
        assert f"another league, which differs in {difference}: name another" in capsys.readouterr().err


@pytest.mark.parametrize(
    "content", [b'{"key": 1}\n{"half', b"[1]\n", b"no JSON\nat all", b"one line", b"\n", b"\xff"]
)
def test_file_that_is_no_league_is_refused_and_stays_as_it_is(tmp_path, capsys, content):
    out = tmp_path / "notes"
    out.write_bytes(content)
    assert main(["random", "greedy", f"--out={out}"]) == 2
    assert "belongs to another league" in capsys.readouterr().err
    assert out.read_bytes() == content


def test_file_of_results_that_cannot_be_opened_is_named(tmp_path, capsys):
    assert main(["random", "greedy", f"--out={tmp_path}"]) == 2
    assert str(tmp_path) in capsys.readouterr().err


@pytest.mark.parametrize("records", ["league.jsonl", "x/../league.jsonl", "other.jsonl", "none/x", "."])
def test_records_that_cannot_be_written_are_refused_before_any_game(play, tmp_path, capsys, records):
    play("random", "greedy", games=2)
    (tmp_path / "x").mkdir()
    shutil.copy(play.out, tmp_path / "other.jsonl")
    content = play.out.read_bytes()
    arguments = ["--seed=league", f"--budget={AMPLE_S}", f"--out={play.out}"]
    assert main(["random", "greedy", "--games=4", *arguments, f"--records={tmp_path / records}"]) == 2
    assert ("--records" if "jsonl" in records else str(tmp_path)) in capsys.readouterr().err
    assert [play.out.read_bytes(), (tmp_path / "other.jsonl").read_bytes()] == [content, content]


def test_records_of_results_that_no_file_keeps_are_refused(tmp_path, capsys):
    records = tmp_path / "records.ndjson"
    assert main(["random", "greedy", f"--out={os.devnull}", f"--records={records}"]) == 2
    assert "name a file with --out" in capsys.readouterr().err
    assert not records.exists()


def test_table_shows_wins_ratings_and_failures(play, capsys):
    play("random", "greedy", games=4)
    printed = capsys.readouterr().out
    assert "| greedy | 4 | 100.0% | 51.0% - 100.0% |" in printed


def test_table_shows_commonest_reason_of_failures(play, capsys):
    play("random", "arena_bots:cheat", games=4)
    printed = capsys.readouterr().out
    assert "| 4: made an illegal move: " in printed


def test_failure_with_a_lone_surrogate_can_be_printed():
    def decide(*_):
        raise BotFailed("\ud800")

    bot = SimpleNamespace(clock=time.perf_counter, starting=False, decide=decide)
    failures = play_match(["bot", "bot"], [bot, bot], "surrogate")["failures"]
    assert failures["0"] == "\ufffd"


def test_table_shows_a_price_that_is_no_integer_whole(play, capsys):
    play("random", f"hostile={sys.executable} {HOSTILE} fraction")
    assert re.search(
        r"made an illegal move: the price of L\d\d is an integer, not 1\.5 \|", capsys.readouterr().out
    )


def test_numbers_without_a_fraction_are_integers_whatever_their_form(play):
    _, results = play("random", "arena_bots:floats")
    assert [result["failures"] for result in results] == [{}, {}]
    assert ".0" not in json.dumps([result["record"]["actions"] for result in results])


def test_start_of_a_process_is_no_decision_time(play):
    _, results = play("random", "arena_bots:sound", games=2)
    starts = {
        (game, bot): len(times)
        for game, result in enumerate(results)
        for bot, times in zip(result["bots"], result["starts_ms"], strict=True)
    }
    assert starts == {
        (0, "random"): 0,
        (0, "arena_bots:sound"): 1,
        (1, "random"): 0,
        (1, "arena_bots:sound"): 0,
    }


def test_records_of_a_league_become_columns(play, tmp_path):
    pytest.importorskip("pyarrow", reason="pyarrow is not installed: columns are not tested")
    from skye_gym.arena import columns  # noqa: PLC0415 - it needs pyarrow

    records = tmp_path / "records.ndjson"
    _, results = play("random", "greedy", games=2, records=records)
    table = columns.read_columns(records, lambda game, seat: [game.players[seat].gold])
    assert table.num_rows == sum(len(result["record"]["actions"]) for result in results)
    for row in table.to_pylist():
        game, seat = game_from_position(position_from_text(row["position"])), row["seat"]
        assert (game.round, str(game.phase), len(game.players)) == (
            row["round"],
            row["phase"],
            row["players"],
        )
        assert row["features"] == [game.players[seat].gold]
        result = results[row["game"]]
        assert row["bot"] == result["bots"][seat]
        assert row["margin"] == result["scores"][seat] - result["scores"][1 - seat]
        assert row["won"] == (seat in result["winners"]) / len(result["winners"])
        encoded = EncodedGame(game)
        if encoded.seat == seat:
            for action in row["actions"]:
                assert action in encoded.legal_actions()
                encoded, _ = encoded.play(action)
    assert columns.write_parquet(records, tmp_path / "decisions.parquet") == table.num_rows
    with pytest.raises(ValueError, match="name another file"):
        columns.write_parquet(records, records)
    assert columns.read_columns(records).num_rows == table.num_rows


def test_columns_of_a_failed_bot_are_left_out_and_the_others_win(play, tmp_path):
    pytest.importorskip("pyarrow", reason="pyarrow is not installed: columns are not tested")
    from skye_gym.arena import columns  # noqa: PLC0415 - it needs pyarrow

    records = tmp_path / "records.ndjson"
    play("random", "arena_bots:cheat", records=records)  # `greedy` beats `random` in its place
    rows = columns.read_columns(records).to_pylist()
    assert {(row["game"], row["bot"], row["won"]) for row in rows} == {(0, "random", 1.0), (1, "random", 1.0)}


def test_wilson_interval_of_known_counts():
    assert [round(value, 4) for value in wilson(10, 20)] == [0.5, 0.2993, 0.7007]
    assert wilson(0, 10).low == 0.0
    assert wilson(10, 10).high == 1.0


def result(game, winner):
    """Return the result of a game of two bots, on a seed of its own."""
    return {
        "bots": ["one", "other"],
        "seed": str(game),
        "winners": [winner],
        "scores": [50, 40] if winner == 0 else [40, 50],
        "failures": {},
        "decisions_ms": [[1.0] * 99 + [5.0], [2.0]],
        "starts_ms": [[], [80.0, 90.0]],
    }


@pytest.mark.parametrize(("games", "low", "high"), [(10, 1595, 1630), (100, 1800, 1840)])
def test_rating_of_a_shut_out_has_the_jeffreys_interval(games, low, high):
    one, _ = standings([result(game, 0) for game in range(games)])
    assert low <= one.rating.low <= high
    assert one.rating.low < one.rating.value < one.rating.high - 200


def test_rating_difference_follows_from_win_rate():
    one, other = standings([result(game, int(game % 4 == 0)) for game in range(400)])
    assert one.name == "one"
    assert one.rating.value - other.rating.value == pytest.approx(190.8, abs=2)  # 400 log10(3)
    assert (one.p99_ms, other.p99_ms) == (5.0, 2.0)
    assert (one.start_ms, other.start_ms) == (None, 90.0)
    assert one.rating.low < one.rating.value < one.rating.high


def test_file_that_is_a_device_is_not_deleted(tmp_path):
    out = tmp_path / "null"
    out.symlink_to(os.devnull)
    with opened_alone(out) as file:
        file.write("line\n")
    assert out.is_symlink()


def test_second_arena_does_not_write_the_file_of_the_first(tmp_path, capsys):
    out = tmp_path / "league.jsonl"
    with opened_alone(out):
        assert main(["random", "greedy", "--games=2", "--workers=1", f"--out={out}"]) == 2
    assert f"another process writes {out}: name another file with --out" in capsys.readouterr().err
    assert not out.exists()


@pytest.mark.parametrize("line", ['{"format": 1, "bots": {}}', '{"game": 0, "bots"', "[1]", ""])
def test_damaged_line_of_a_league_is_named_with_its_number(tmp_path, capsys, line):
    out, entrants = tmp_path / "league.jsonl", (entrant_from("random"), entrant_from("greedy"))
    out.write_text(json_line(League(entrants, 2, 2, "s").header()) + line + "\n")
    content = out.read_bytes()
    assert main(["random", "greedy", "--seed=s", f"--out={out}"]) == 2
    assert f"line 2 of {out} is damaged" in capsys.readouterr().err
    assert out.read_bytes() == content


def test_refusal_of_a_file_names_the_option_and_shows_no_bytes(tmp_path, capsys):
    out = tmp_path / "notes"
    out.write_text("my notes\n")
    assert main(["random", "greedy", f"--out={out}"]) == 2
    error = capsys.readouterr().err
    assert "--out" in error
    assert "b'" not in error


def test_default_file_of_a_league_has_its_bots_and_its_seed(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    options = ["--games=2", "--workers=1", f"--budget={AMPLE_S}"]
    for seed in ("one", "two"):
        assert main(["random", "greedy", f"--seed={seed}", *options]) == 0
    names = sorted(path.name for path in tmp_path.iterdir())
    assert names == ["league-random-greedy-one.jsonl", "league-random-greedy-two.jsonl"]


def test_error_of_built_in_bots_loses_their_games_and_the_league_goes_on(monkeypatch):
    def broken(*_):
        raise ZeroDivisionError("division by zero")

    class Broken:
        decide, starting, clock = staticmethod(broken), False, staticmethod(time.perf_counter)

    monkeypatch.setattr(match, "BOTS", BOTS | {"greedy": broken})
    result = play_match(["broken", "random"], [Broken(), decider_for(entrant_from("random"), Budget())], "s")
    assert result["failures"] == {"0": "failed: ZeroDivisionError: division by zero"}
    assert result["winners"] == [1]
