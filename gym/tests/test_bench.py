"""`skye-bench`: commitments, budgets of CPU time, results and their check; versions of encodings."""

import hashlib
import json
import re
import shlex
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from random import Random

import pytest

from skye import new_game
from skye_gym.arena.bot_process import BotFailed, BotProcess, Budget
from skye_gym.arena.cpu_limit import CpuLimited
from skye_gym.arena.entrants import decider_for, entrant_from
from skye_gym.arena.json_lines import json_line
from skye_gym.arena.process_cpu import CAN_MEASURE, cpu_seconds_of
from skye_gym.arena.ratings import standings
from skye_gym.bench.check import check_result
from skye_gym.bench.command import main
from skye_gym.bench.pool import POOL, entrants_of, with_seats
from skye_gym.bench.result import commitment_of, league_of, page_of, result_of, table_of
from skye_gym.encoding import EncodedGame
from skye_gym.encoding_versions import ACTIONS_VERSION, OBSERVATIONS_VERSION
from tests.support.waiting import waited_for

FOLDER = Path(__file__).parent
ROOT = FOLDER.parents[1]
HOSTILE = FOLDER / "hostile_command.py"
SKYE_GYM = ROOT / "gym" / "skye_gym"

needs_linux = pytest.mark.skipif(not CAN_MEASURE, reason="CPU time of another process: Linux")


def result(bots=("greedy", "mine"), games=4, players=2):
    """Return the result of a benchmark in which the first seat wins each game."""
    league = league_of(entrants_of(bots[:1], [f"{bots[1]}=cat"]), players, games, "seed")
    played = []
    for game in range(games):
        seats, seed = league.line_up(game)
        facts = {"game": game, "bots": [bot.name for bot in seats], "seed": seed, "winners": [0]}
        times = {"decisions_ms": [[1.5]] * players, "starts_ms": [[]] * players}
        played.append(facts | times | {"scores": [9, *[5] * (players - 1)], "failures": {}})
    return result_of(
        seed="seed",
        command=f"skye-bench play mine=cat --seed=seed --pool=greedy --seats={players} --games={games}",
        bots={"greedy": "greedy", "mine": "mine=cat"},
        ruleset_id="base",
        budget_ms=1000.0,
        startup_ms=20_000.0,
        tables=[table_of(league, played)],
    )


def test_result_names_versions_and_passes_its_check():
    made = json.loads(json.dumps(result()))
    check_result(made)
    assert made["versions"] == {"actions": ACTIONS_VERSION, "observations": OBSERVATIONS_VERSION}
    assert made["commitment"] == f"sha256:{hashlib.sha256(b'seed').hexdigest()}"


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda made: made.update(benchmark="skye-bench v9"), "`benchmark` is"),
        (lambda made: made.update(skye_gym="9"), "no version up to this one"),
        (lambda made: made.update(skye_gym="999.0.0"), "no version up to this one"),
        (lambda made: made.update(versions={}), "`versions` is"),
        (lambda made: made["versions"].update(actions=ACTIONS_VERSION + 1), "`versions` is"),
        (lambda made: made.update(seed="other"), "another commitment"),
        (lambda made: made.update(seed="other", commitment=commitment_of("other")), "`seed` is"),
        (lambda made: made.update(command="skye-arena greedy"), "the command is not"),
        (lambda made: made.update(command=f"{made['command']} --games=0"), "the command has wrong arguments"),
        (lambda made: made.update(command=f"{made['command']} --games=8"), "4 games, in the command 8"),
        (lambda made: made.update(command=f"{made['command']} --seed=other"), "`seed` is"),
        (lambda made: made.update(budget_ms=1e9), "`budget_ms` is"),
        (lambda made: made["bots"].update(mine="mine=dog"), "not those of the command"),
        (lambda made: made.update(tables=[]), "one for each number"),
        (lambda made: made["tables"].append(made["tables"][0]), "one for each number"),
        (lambda made: made["tables"][0].update(bots=["mine", "greedy"]), "not those of the command"),
        (lambda made: made["tables"][0]["games"].pop(), "3 games, in the command 4"),
        (lambda made: made["tables"][0]["games"].reverse(), "none of this seed"),
        (lambda made: made["tables"][0]["games"][1].update(bots=["greedy", "mine"]), "none of this seed"),
        (lambda made: made["tables"][0]["games"][1].update(winners=[1]), "contradict"),
        (lambda made: made["tables"][0]["games"][1].update(winners=[]), "contradict"),
        (lambda made: made["tables"][0]["games"][1].update(failures={"0": "ended"}), "contradict"),
        (lambda made: made["tables"][0]["games"][1].update(scores=[9, -5]), "wrong scores"),
        (lambda made: made["tables"][0]["games"][1].update(failures={"2": "ended"}), "wrong failures"),
        (lambda made: made["tables"][0]["games"][1].update(winners=[1], scores=[5, 9]), "does not follow"),
        (lambda made: made["tables"][0]["standings"][0]["rating"].reverse(), "does not follow"),
        (lambda made: made["tables"][0]["standings"][0].update(p99_ms="fast"), "the times of"),
    ],
)
def test_check_refuses_a_changed_result(change, reason):
    made = json.loads(json.dumps(result()))
    change(made)
    with pytest.raises(ValueError, match=reason):
        check_result(made)


def test_published_result_passes_check(capsys):
    assert main(["check", str(SKYE_GYM / "bench" / "result.json")]) == 0
    assert (
        re.search("sha256:[0-9a-f]{64}", capsys.readouterr().out)[0]
        in (SKYE_GYM / "bench" / "BENCH.md").read_text()
    )


def test_learner_plays_with_two_seats_only(tmp_path, capsys):
    pytest.importorskip("numpy", reason="NumPy is not installed: the learner cannot play")
    entrants = entrants_of(["learner", "greedy"], ["learner-2=cat"])
    assert with_seats(entrants, 2) == entrants
    assert with_seats(entrants, 4) == entrants[1:]
    assert main(["play", "--pool=learner,greedy", f"--out={tmp_path}"]) == 2
    assert "fewer than two of the bots play with 4 seats" in capsys.readouterr().err


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"seed": 1}', '{"seed": null}'])
def test_file_that_is_no_result_is_refused(tmp_path, capsys, text):
    path = tmp_path / "result.json"
    path.write_text(text)
    assert main(["check", str(path)]) == 2
    assert f"{path} is no result of skye-bench: " in capsys.readouterr().err


@pytest.mark.parametrize("seats", ["", "two", "2,2", "2;4"])
def test_seats_that_are_no_list_of_numbers_are_refused(capsys, seats):
    with pytest.raises(SystemExit, match="2"):
        main(["play", f"--seats={seats}"])
    assert f"--seats: {seats!r}" in capsys.readouterr().err


def test_page_has_the_command_the_seed_and_each_bot():
    page = page_of(json.loads(json.dumps(result())))
    assert all(
        part in page for part in ("skye-bench play", "`seed`", "| greedy |", "| mine |", "1000 ms of CPU")
    )


def test_commit_prints_the_hash_of_a_new_seed_and_keeps_an_old_one(tmp_path, capsys):
    out = tmp_path / "bench"
    assert main(["commit", f"--out={out}"]) == 0
    seed = (out / "seed.txt").read_text().strip()
    assert capsys.readouterr().out.strip() == commitment_of(seed)
    assert (out / "seed.txt").stat().st_mode & 0o077 == 0
    assert main(["commit", f"--out={out}"]) == 2
    assert (out / "seed.txt").read_text().strip() == seed


def test_benchmark_that_cannot_begin_leaves_no_seed(tmp_path, capsys):
    assert main(["play", "nomodule:decide", "--pool=greedy", "--games=2", f"--out={tmp_path}"]) == 2
    assert "nomodule" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())
    assert main(["commit", f"--out={tmp_path}"]) == 0
    assert main(["play", "nomodule:decide", "--pool=greedy", "--games=2", f"--out={tmp_path}"]) == 2
    assert [path.name for path in tmp_path.iterdir()] == ["seed.txt"]


@pytest.mark.parametrize(
    ("pool", "bots", "reason"),
    [
        (["nobody"], [], "none of"),
        (["greedy"], [], "at least two"),
        (["greedy"], ["greedy"], "twice"),
        (["greedy"], ["mine=http://127.0.0.1:9/bot"], "at a URL"),
        (["greedy"], ["theirs=http://127.0.0.1:9?bot=greedy"], "at a URL"),
    ],
)
def test_bots_that_cannot_be_measured_are_refused(pool, bots, reason):
    with pytest.raises(ValueError, match=reason):
        entrants_of(pool, bots)


def test_bootstrap_by_game_weights_games_on_one_seed_apart():
    games = [
        {"game": game, "bots": ["one", "other"], "seed": "s", "winners": [game % 2], "scores": [5, 5]}
        | {"failures": {}, "decisions_ms": [[], []], "starts_ms": [[], []]}
        for game in range(40)
    ]
    widths = {unit: standings(games, unit)[0].rating for unit in ("seed", "game")}
    assert widths["seed"].value == widths["game"].value
    by_seed, by_game = (widths[unit].high - widths[unit].low for unit in ("seed", "game"))
    assert by_game < by_seed


class Clocked:
    """A decider that takes the seconds of CPU that it is given, one for each decision."""

    starting = False

    def __init__(self, *seconds):
        self.seconds, self.spent = list(seconds), 0.0
        self.clock = lambda: self.spent

    def decide(self, *_):
        self.spent += self.seconds.pop(0)
        return "a move"


def test_decision_above_its_budget_of_cpu_fails():
    limited = CpuLimited(Clocked(0.9, 1.1), Budget(cpu_s=1.0))
    assert limited.decide(None, 0, None) == "a move"
    with pytest.raises(BotFailed, match="exceeded its budget of 1000 ms of CPU"):
        limited.decide(None, 0, None)


@needs_linux
def test_cpu_time_of_a_process_includes_its_children():
    work = "import sys\nprint('begun', flush=True)\nwhile True: pass"
    command = ["sh", "-c", f"{shlex.join([sys.executable, '-c', work])}; true"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, start_new_session=True) as process:
        try:
            process.stdout.readline()
            (child,) = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
            assert waited_for(lambda: cpu_seconds_of(int(child)) > 0.05)
            assert cpu_seconds_of(process.pid) > 0.05
        finally:
            subprocess.run(["kill", child, str(process.pid)], check=True)
    assert cpu_seconds_of(process.pid) == 0.0


@needs_linux
def test_clock_of_a_bot_counts_processes_that_were_stopped():
    bot = BotProcess(["cat"], Budget(cpu_s=1.0))
    game = new_game(2, seed="bench").game
    with pytest.raises(BotFailed, match="sent no move"):
        bot.decide(game, 0, Random(0))
    first = bot.clock()
    with pytest.raises(BotFailed):
        bot.decide(game, 0, Random(0))
    assert 0 < first < bot.clock()


@needs_linux
@pytest.mark.parametrize("trick", ["ignore", "daemon"])
def test_clock_of_a_bot_counts_processes_that_it_hides(trick):
    game = new_game(2, seed="bench").game
    with closing(BotProcess([sys.executable, str(HOSTILE), trick], Budget(120, cpu_s=1.0))) as bot:
        bot.decide(game, 0, Random(1))
        begun = bot.clock()
        bot.decide(game._replace(round=2), 0, Random(1))
        assert bot.clock() - begun > 0.15  # of 0.3; a reading of a busy machine may be late


def test_bots_of_a_budget_without_cpu_have_no_limit():
    assert not isinstance(decider_for(entrant_from("greedy"), Budget()), CpuLimited)
    assert isinstance(decider_for(entrant_from("greedy"), Budget(cpu_s=1.0)), CpuLimited)


@needs_linux
def test_benchmark_plays_checks_and_repeats_itself(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("PYTHONPATH", f"{ROOT / 'engine'}:{ROOT / 'gym'}:{FOLDER}")
    options = ["--pool=random,greedy", "--games=2", "--seats=2", "--budget-ms=60000"]
    first, again = tmp_path / "first", tmp_path / "again"
    assert main(["play", "arena_bots:sound", *options, "--workers=1", f"--out={first}"]) == 0
    made = json.loads((first / "result.json").read_text())
    assert commitment_of((first / "seed.txt").read_text().strip()) == made["commitment"]
    assert made["commitment"] in capsys.readouterr().err
    assert main(["check", str(first / "result.json")]) == 0
    program, *arguments = shlex.split(made["command"])
    assert program == "skye-bench"
    assert main([*arguments, "--workers=1", f"--out={again}"]) == 0
    repeated = json.loads((again / "result.json").read_text())
    assert [each["games"] for each in repeated["tables"]] == [each["games"] for each in made["tables"]]
    assert (again / "result.md").exists()


def test_folder_of_another_pool_is_refused_with_what_differs(tmp_path, capsys):
    league = league_of(entrants_of(["random", "greedy"], []), 2, 4, "seed", budget=Budget(20.0, 20.0, 1.0))
    (tmp_path / "league-2.jsonl").write_text(json_line(league.header()))
    options = ["--seats=2", "--games=4", "--seed=seed", f"--out={tmp_path}"]
    assert main(["play", "--pool=random,greedy,strategist", *options]) == 2
    difference = "--pool and the further bots (there random,greedy, here random,greedy,strategist): name"
    assert difference in capsys.readouterr().err


def test_page_of_the_benchmark_names_its_pool():
    page = (SKYE_GYM / "bench" / "BENCH.md").read_text()
    assert re.findall(r"`([\w@]+)`", page.split("```")[0].split("pool:")[1].split(", the agent")[0]) == [
        *POOL
    ]


def test_page_of_the_columns_has_their_names_and_types():
    pytest.importorskip("pyarrow", reason="pyarrow is not installed: columns are not tested")
    from skye_gym.arena import columns  # noqa: PLC0415 - it needs pyarrow

    page = (SKYE_GYM / "arena" / "DATASET.md").read_text()
    rows = re.findall(r"^\| `(\w+)` +\| ([\w ]+?) +\|", page, re.MULTILINE)
    arrow = {"list of int32": "list<element: int32>", "list of float": "list<element: float>"}
    schema = columns._schema(lambda *_: [])
    assert {name: arrow.get(kind, kind) for name, kind in rows} == {
        field.name: re.sub("item|element", "element", str(field.type)) for field in schema
    }
    assert schema.metadata == {b"skye_gym.actions_version": str(ACTIONS_VERSION).encode()}


def decisions():
    """Yield the decisions of a game at random. If its draws change, so do the digests, but no version."""
    encoded, rng = EncodedGame(new_game(2, seed="versions").game), Random(1)
    while not encoded.game.is_over:
        yield encoded
        encoded, _ = encoded.play(rng.choice(encoded.legal_actions()))


def test_actions_of_the_version_have_not_changed():
    digest = hashlib.sha256()
    for encoded in decisions():
        digest.update(repr((encoded.seat, encoded.legal_actions())).encode())
    assert (ACTIONS_VERSION, digest.hexdigest()[:16]) == (1, "039dd46bafeed1c8")


def test_observations_and_lists_of_the_version_have_not_changed():
    pytest.importorskip("gymnasium", reason="gymnasium is not installed: observations are not tested")
    from skye_gym.envs.actions import ListedActions, ListedGains  # noqa: PLC0415 - they need NumPy
    from skye_gym.envs.observation import Observer, flat  # noqa: PLC0415
    from skye_gym.envs.summary import SummaryObserver  # noqa: PLC0415

    planes, summary, lists = hashlib.sha256(), hashlib.sha256(), hashlib.sha256()
    ruleset = new_game(2).game.ruleset
    observers = (planes, Observer(ruleset, 2)), (summary, SummaryObserver(ruleset, 2))
    for number, encoded in enumerate(decisions()):
        if number % 4:
            continue
        for digest, observer in observers:
            seen = observer.observe(encoded, encoded.seat)
            digest.update((flat(seen) if isinstance(seen, dict) else seen).tobytes())
        for actions in (ListedActions, ListedGains):
            lists.update(actions(encoded).features())
    found = tuple(each.hexdigest()[:16] for each in (planes, summary, lists))
    assert (OBSERVATIONS_VERSION, ACTIONS_VERSION, *found) == (
        1,
        1,
        "d5bba3afc0f09319",
        "70bef8b98a8f21ee",
        "ff92a5b952bdb6a0",
    )
