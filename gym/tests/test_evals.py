"""`skye-eval`: tasks and their other words, runs that are interrupted, endpoints that fail, and tables."""

import hashlib
import json
import os
import re
import shlex
import sys
import threading
from collections import Counter
from contextlib import closing
from functools import partial
from pathlib import Path
from random import Random
from statistics import fmean
from types import SimpleNamespace

import pytest

from skye import Phase, choose_move, determinize, new_game, play
from skye.errors import GameOver
from skye.views import placement_gains_view
from skye_gym.agents import (
    PLAIN,
    TextGame,
    UnusableReply,
    Wording,
    json_in,
    legal_actions,
    move_in,
    other_wording,
)
from skye_gym.arena.bot_process import Budget
from skye_gym.bots import expert_1
from skye_gym.evals import judged, tasks
from skye_gym.evals.command import KEY_VARIABLE, main
from skye_gym.evals.endpoint import Endpoint, EndpointFailed
from skye_gym.evals.games import choose
from skye_gym.evals.judged import (
    JUDGED,
    best_by_rollouts,
    judged_task,
    make_task,
    regret,
    worst_regret,
)
from skye_gym.evals.plan import PUBLISHED, Plan, published_line
from skye_gym.evals.questions import Question, Reply
from skye_gym.evals.scoring import mean_interval, score
from skye_gym.evals.subjects import SCRIPTS, subject_of
from skye_gym.evals.tasks import TASKS, is_correct, task_of
from skye_gym.evals.transcript import Header, opened_transcript, read_transcript
from skye_gym.judge import MEMBERS, left_out_for, samples_of, values_in
from tests.support.hostile_credentials import KEY, REFUSED, STRIPPED, shows_credential
from tests.support.receiver import Receiver, respond_slowly
from tests.support.scripted_endpoint import NUMBER_1, completion, serving
from tests.support.sizes import sized
from tests.support.waiting import waited_for

PAGE = Path(__file__).parents[1] / "skye_gym" / "evals" / "EVAL.md"
QUESTION = Question("key", ({"role": "system", "content": "s"}, {"role": "user", "content": "u"}))
FAST = ["--pause=0", "--attempts=3", "--processes=1"]


@pytest.fixture
def out(tmp_path):
    return tmp_path / "run.jsonl"


@pytest.fixture
def run(out, capsys, monkeypatch):
    """Run the command on two tasks of each kind, for a model at an endpoint or the subject of arguments.

    It returns the exit status, and what was printed as errors.
    """
    monkeypatch.setattr(judged, "SAMPLES", sized(dict.fromkeys(JUDGED, 1), judged.SAMPLES))

    def command(*arguments, tasks=2, sections=("exact",), at=None):
        model = ["--model=m", f"--endpoint={at.url}"] if at else []
        sizes = [f"--tasks={tasks}", "--games=1", "--sections", *sections]
        status = main(["run", str(out), *FAST, *model, *arguments, *sizes])
        return status, capsys.readouterr().err

    return command


def replies_in(out):
    return [json.loads(line) for line in out.read_text().splitlines()[1:]]


def report_of(out):
    return json.loads(out.with_suffix(".json").read_text())


def published():
    """Return the hash of the page by kind of task."""
    return dict(re.findall(r"(?m)^\| `(\w+)` \|.*`([0-9a-f]{64})` \|$", PAGE.read_text()))


@pytest.mark.parametrize("kind", PUBLISHED)
def test_tasks_of_the_published_seed_have_the_published_hash(kind):
    lines = b"".join(published_line(kind, "1", number) for number in range(100))
    assert hashlib.sha256(lines).hexdigest() == published()[kind]


@pytest.mark.parametrize("kind", JUDGED)
def test_published_values_are_those_that_are_computed(kind):
    assert make_task(kind, "1", 0)[1] == judged_task(kind, "1", 0)


@pytest.mark.parametrize("kind", JUDGED)
def test_value_of_a_move_depends_on_nothing_hidden_and_on_no_other_move(kind):
    game, seat, _ = judged_task(kind, "1", 0).position
    moves = [legal_actions(game, seat)[0], choose_move("greedy", game, seat, Random(1))]
    for member in MEMBERS.values():
        samples = [*samples_of(game, seat, "values", 1, member.offers)]
        [values] = values_in(samples, seat, moves, "values", member)
        for at, move in enumerate(moves):
            other = determinize(game, seat, Random(at))
            samples = [*samples_of(other, seat, "values", 1, member.offers)]
            assert values_in(samples, seat, [move], "values", member) == [[values[at]]]


def test_judge_tells_random_from_greedy_from_expert():
    for kind in ("purchase", "placement"):
        differences = []
        for number in range(100):
            task = judged_task(kind, "1", number)
            game, seat, _ = task.position
            mean = fmean(regret(task, move).of_all for move in legal_actions(game, seat))  # that of `random`
            bots = [choose_move(bot, game, seat, Random(1)) for bot in ("greedy", expert_1())]
            greedy, expert = (regret(task, move).of_all for move in bots)
            differences.append([mean - expert, greedy - expert if kind == "purchase" else mean - greedy])
        for each in zip(*differences, strict=True):
            assert mean_interval([[value] for value in each]).low > 0


@pytest.mark.parametrize("kind", JUDGED)
def test_unusable_reply_loses_no_less_than_any_legal_move(kind):
    for number in range(0, 100, 10):
        task = judged_task(kind, "1", number)
        worst = worst_regret(task)
        assert all(regret(task, move).value <= worst.value for move in task.moves)
    if kind == "offer":
        game, seat, _ = task.position
        offers = [choose_move("random", game, seat, Random(at)) for at in range(3)]
        assert all(regret(task, offer).value <= worst.value for offer in offers)


def test_offer_is_judged_against_a_list_of_40_different_offers():
    for number in range(100):
        task = judged_task("offer", "1", number)
        offers = {(move.discard, frozenset(move.prices)) for move in task.moves}
        assert len(offers) == len(task.moves) <= judged.OFFERS
        assert min(regret(task, move).of_all for move in task.moves) == 0
    assert len(task.moves) == judged.OFFERS


def test_order_of_prices_of_an_offer_does_not_change_its_regret():
    task = judged_task("offer", "1", 0)
    offer = task.moves[3]
    assert regret(task, offer._replace(prices=offer.prices[::-1])) == regret(task, offer)


def test_subject_of_the_population_is_judged_by_the_other_members():
    task = judged_task("purchase", "1", 0)
    left_out = left_out_for("expert@1")
    columns = [values for member, values in task.values.items() if member not in left_out]
    assert len(columns) == len(MEMBERS) - 2
    means = [fmean(each) for each in zip(*columns, strict=True)]
    for move, mean in zip(task.moves, means, strict=True):
        found = regret(task, move, left_out)
        assert found.value == pytest.approx(max(means) - mean, abs=0.01)
        assert found.of_all == regret(task, move).value
    assert not left_out_for("a bot from outside")


@pytest.mark.parametrize(
    ("name", "builtin", "members"),
    [
        ("mine", "greedy", {"greedy"}),
        ("fast", "expert@1/100", {"expert@1", "likely"}),
        ("expert@1/100", "expert@1/100", {"expert@1", "likely"}),
        ("strategist", "random", set()),
        ("expert", None, set()),
        ("greedy", "greedy", {"greedy"}),
    ],
)
def test_members_that_a_bot_leaves_out_do_not_depend_on_its_name(out, name, builtin, members):
    header = Header(name, Plan(tasks=1, sections=("judged",), reads=False), builtin)
    with opened_transcript(out, header) as transcript:
        for item in header.plan.items():
            header.plan.result(item, partial(transcript.ask, call=SCRIPTS["first"]), judge=False)
    for row in score(*read_transcript(out), workers=1)["rows"]:
        task = judged_task(row["kind"], "1", 0)
        move = legal_actions(*task.position[:2])[0]
        assert (row["regret"][0], row["regret_of_all"][0]) == regret(task, move, frozenset(members))


def test_builtin_bot_of_a_subject_is_that_of_its_argument():
    named = {"mine=greedy": "greedy", "strategist=random": "random", "first": "first"}
    for argument, builtin in named.items():
        with closing(subject_of(argument, Budget(120))) as subject:
            assert subject.builtin == builtin


@pytest.mark.parametrize(
    "sections",
    [["--sections", "exact", "judged"], ["--sections=exact,judged"], ["--sec", "exact,judged,exact"]],
)
@pytest.mark.parametrize("is_first", [True, False])
def test_file_stands_before_or_after_the_sections(out, sections, is_first):
    arguments = [str(out), *sections] if is_first else [*sections, str(out)]
    assert main(["run", *FAST, "--bot=coordinates", "--tasks=1", *arguments]) == 0
    assert read_transcript(out)[0].plan.sections == ("exact", "judged")


@pytest.mark.parametrize("option", ["--model", "--seed"])
def test_argument_that_is_no_text_is_refused(run, out, capsys, option):
    with pytest.raises(SystemExit, match="2"):
        run("--bot=first", f"{option}=\udcff")
    assert "'\\udcff' is not UTF-8" in capsys.readouterr().err
    assert not out.exists()


@pytest.mark.parametrize("sections", [["exat"], ["exact", "judgd"], ["exact,judgd"]])
def test_section_that_there_is_not_is_refused(out, capsys, sections):
    with pytest.raises(SystemExit, match="2"):
        main(["run", str(out), "--bot=first", "--sections", *sections])
    assert sections[-1].rpartition(",")[2] in capsys.readouterr().err
    assert not out.exists()


def test_half_of_placements_are_legal_and_coordinates_do_not_tell_which():
    kinds = [task_of("legality", "1", number, PLAIN) for number in range(100)]
    assert sum(task.answer == {"answer": "legal"} for task in kinds) == 50
    script = SCRIPTS["coordinates"]
    right = 0
    for task in kinds:
        question = Question("exact/legality/plain/0", ({"role": "user", "content": task.prompt},))
        right += is_correct(script(question).text, task, PLAIN)
    assert 40 <= right <= 60


def test_no_formula_gives_most_of_the_prices(monkeypatch):
    made, formulas = [], tasks.formula_prices
    monkeypatch.setattr(tasks, "formula_prices", lambda *given: made.append(formulas(*given)) or made[-1])
    right = Counter()
    for number in range(100):
        answer = task_of("prices", "1", number, PLAIN).answer
        right.update(name for name, prices in made[-1].items() if prices == tuple(answer.values()))
    assert max(right.values()) <= 34


def test_script_that_plays_rollouts_chooses_a_legal_move():
    for kind in JUDGED:
        game, seat, _ = position = judged_task(kind, "1", 0).position
        play(game, seat, best_by_rollouts(position, Random(1), 1))


@pytest.mark.parametrize("kind", TASKS)
def test_task_in_other_words_has_the_same_answer_and_no_known_word(kind):
    wording = other_wording("words")
    for number in range(3):
        plain, other = (task_of(kind, "1", number, one) for one in (PLAIN, wording))
        assert plain.answer == other.answer
        assert not re.search(r"pasture|mountain|water|\bL\d\d\b", other.prompt)
        answer = json.dumps(plain.answer)
        assert is_correct(f"It is {wording.text(answer)}", other, wording)
        assert is_correct(answer, plain, PLAIN)
        assert not is_correct("I do not know.", plain, PLAIN)


def test_true_is_no_number_in_an_answer():
    task = next(
        task
        for number in range(9)
        if (task := task_of("best_of_four", "1", number, PLAIN)).answer == {"number": 1}
    )
    assert not is_correct('{"number": true}', task, PLAIN)
    assert not is_correct('{"number": 1, "or": 2}', task, PLAIN)


def test_same_command_resumes_after_a_failure_and_repeats_no_question(run, out):
    with serving(lambda number, _: completion() if number < 7 else (503, {}, b"busy")) as endpoint:
        status, error = run(at=endpoint)
        assert status == 2
        assert "gave no response in 3 attempts; the last: HTTP 503: busy" in error
        assert len(replies_in(out)) == 7
        with out.open("a") as file:
            file.write('{"key": "exact/interru')
        endpoint.script = lambda *_: completion()
        assert run(at=endpoint)[0] == 0
    asked = [request["messages"][1]["content"] for request in endpoint.requests]
    assert len(replies_in(out)) == 20 == len(set(asked))
    assert len(asked) == 20 + 3  # three attempts failed
    assert report_of(out)["missing"] == 0


def test_failure_ends_the_games_of_all_workers(run, out):
    with serving(lambda number, _: completion() if number < 10 else (500, {}, b"")) as endpoint:
        status, error = run("--workers=3", sections=["games"], at=endpoint)
    assert status == 2
    assert "HTTP 500" in error
    assert len(replies_in(out)) == 10
    assert len(endpoint.requests) <= 10 + 3 * 3  # three attempts of each worker


def test_report_scored_again_is_equal_byte_for_byte(run, out, capsys):
    with serving() as endpoint:
        run("--workers=3", sections=["exact", "judged", "games"], tasks=1, at=endpoint)
    before = [out.with_suffix(suffix).read_bytes() for suffix in (".json", ".md")]
    assert main(["score", str(out), "--processes=1"]) == 0
    assert capsys.readouterr().out.encode() == before[1]
    assert [out.with_suffix(suffix).read_bytes() for suffix in (".json", ".md")] == before
    report = report_of(out)
    assert report["calls"]["prompt_tokens"] == 10 * report["calls"]["replies"]
    games = [row for row in report["rows"] if row["section"] == "games"]
    assert [row["variant"] for row in games] == ["listed", "unlisted"] * 2
    assert [row["illegal"] == 0 for row in games] == [True, False] * 2  # numbers need the list
    assert all(row["forfeited"] == row["count"] for row in games if row["variant"] == "unlisted")
    assert all(row["tokens"] > 12 * row["decisions"] - 1 for row in games)


def test_report_of_an_incomplete_transcript_counts_what_is_missing(run, out):
    with serving() as endpoint:
        run(at=endpoint)
    lines = out.read_text().splitlines(keepends=True)
    out.write_text("".join(lines[:-4]))
    assert main(["score", str(out), "--processes=1"]) == 0
    assert report_of(out)["missing"] == 4


@pytest.mark.parametrize(
    ("failure", "reason"),
    [
        ((429, {"Retry-After": "0"}, b""), "HTTP 429"),
        ((500, {}, b"<html>"), "HTTP 500"),
        (None, "Remote end closed"),
        ((200, {"Content-Length": "900"}, b"short"), "IncompleteRead"),
    ],
)
def test_request_without_a_response_is_sent_again(failure, reason):
    with serving(lambda number, _: failure if number < 2 else completion("yes")) as endpoint:
        model = Endpoint(endpoint.url, "m", attempts=3, pause_s=0)
        assert model.reply(QUESTION) == ("yes", (10, 2), None)
        endpoint.script = lambda *_: failure
        with pytest.raises(EndpointFailed, match=reason):
            model.reply(QUESTION)


def test_request_ends_after_its_time_limit():
    released = threading.Event()
    with serving(lambda *_: released.wait(60) and completion()) as endpoint:
        model = Endpoint(endpoint.url, "m", timeout_s=0.1, attempts=2, pause_s=0)
        with pytest.raises(EndpointFailed, match="timed out"):
            model.reply(QUESTION)
        assert waited_for(lambda: len(endpoint.requests) == 2)
        released.set()


def test_response_that_comes_slowly_ends_at_the_time_limit():
    with Receiver(respond_slowly) as receiver:
        model = Endpoint(receiver.url, "m", None, {"type": "for the receiver"}, timeout_s=0.5, attempts=1)
        with pytest.raises(EndpointFailed, match="timed out"):
            model.reply(QUESTION)


@pytest.mark.parametrize(
    ("header", "waits"),
    [
        ("599", [599, 599]),
        ("Fri, 31 Dec 9999 23:59:59 GMT", []),
        ("Wed, 21 Oct 2015 07:28:00 GMT", [0.5, 1]),
        ("601", []),
        ("soon", [0.5, 1]),
    ],
)
def test_retry_after_is_waited_for_or_ends_the_run(header, waits):
    found = []
    with serving(lambda *_: (429, {"Retry-After": header}, b"slow down")) as endpoint:
        model = Endpoint(endpoint.url, "m", attempts=3, pause_s=0.5)
        object.__setattr__(model, "_stopped", SimpleNamespace(wait=found.append))
        with pytest.raises(EndpointFailed, match="3 attempts" if waits else "more than 600 s: run the same"):
            model.reply(QUESTION)
    assert found == waits
    assert len(endpoint.requests) == len(waits) + 1


def test_failure_ends_the_pauses_of_other_workers(run):
    with serving(lambda number, _: (401 if number else 429, {"Retry-After": "599"}, b"no")) as endpoint:
        status, error = run("--workers=2", at=endpoint)
    assert status == 2
    assert "HTTP 401" in error


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"[]",
        b'{"choices": []}',
        completion(None),
        completion({"a": 1}),
        b"[" * 100_000,
        b"\xff\xfe",
    ],
)
def test_malformed_response_counts_as_a_reply_without_text(body):
    with serving(lambda *_: body) as endpoint:
        reply = Endpoint(endpoint.url, "m").reply(QUESTION)
    assert reply.text == ""
    assert reply.error.startswith("malformed response")
    assert len(endpoint.requests) == 1


@pytest.mark.parametrize(
    "usage",
    [
        [],
        {"prompt_tokens": -1, "completion_tokens": 1},
        {"prompt_tokens": 1, "completion_tokens": int("9" * 4000)},
        {"prompt_tokens": "many"},
    ],
    ids=["list", "negative", "huge", "text"],
)
def test_numbers_of_tokens_that_cannot_be_are_not_counted(usage):
    with serving(lambda *_: completion("yes", usage)) as endpoint:
        assert Endpoint(endpoint.url, "m").reply(QUESTION) == ("yes", None, None)


@pytest.mark.parametrize(
    "said",
    [
        "I place a tile.",
        '{"number": 99}',
        '{"number": "one"}',
        '{"type": "buy", "tile": []}',
        '{"type": "take_back"}',
        '{"type": "place", "tile": "L01", "x": "far", "y": 0, "rotation": 45}',
        '{"type": "set_offer", "discard": "L01", "prices": 3}',
        "[" * 5000 + "}",
        "",
    ],
)
def test_reply_that_is_no_legal_move_is_counted_and_explained(said):
    asked = []
    choice = choose(
        lambda question: asked.append(question) or Reply(said), "key", new_game(2, seed="1").game, 0
    )
    assert choice == (None, 3)
    assert asked[2].messages[-1]["content"].endswith("Choose again.")


def test_reply_with_a_lone_surrogate_is_unusable_and_the_run_goes_on(run, out):
    reply = '\ud800 {"type": "buy", "tile": "\\ud800"}'
    game = TextGame("surrogate")
    game.reply(reply).encode()
    assert move_in('{"number": 1, "why": "\\ud83d"}', game.game, 0)  # usable
    with serving(lambda *_: completion(reply)) as endpoint:
        assert run(tasks=1, sections=["exact", "games"], at=endpoint)[0] == 0
        whole = out.read_text()
        of_games = next(at for at, line in enumerate(whole.splitlines()) if '"games/' in line)
        out.write_text("".join(whole.splitlines(keepends=True)[: of_games + 1]))
        assert run(tasks=1, sections=["exact", "games"], at=endpoint)[0] == 0
    assert out.read_text() == whole
    assert {line["reply"] for line in replies_in(out)} == {reply}
    assert {row["forfeited"] for row in report_of(out)["rows"] if row["section"] == "games"} == {1}
    json.dumps(endpoint.requests, ensure_ascii=False).encode()  # no surrogate is sent


def test_illegal_reply_is_followed_by_its_reason():
    asked, said = [], iter(['{"number": 0}', NUMBER_1])
    game = new_game(2, seed="1").game
    choice = choose(lambda question: asked.append(question) or Reply(next(said)), "key", game, 0)
    assert choice == (legal_actions(game, 0)[0], 1)
    _, question, first, reason = asked[1].messages
    assert json_in(first["content"]) == {"number": 0}
    assert reason["content"] == "There is no action 0: the numbers are 1 to 1. Choose again."
    assert "phase pricing" in question["content"]


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ('{"number": 1.0}', None),
        ('{"type": "set_offer", "discard": "L41", "prices": {"L47": 1.0, "L19": 1e0}}', None),
        ('{"number": 1.5}', "There is no action 1.5"),
        (
            '{"type": "set_offer", "discard": "L41", "prices": {"L47": 1, "L19": 1.5}}',
            "The move cannot be used: the price of L19 is an integer, not 1.5",
        ),
    ],
)
def test_number_without_a_fraction_is_an_integer_in_a_reply(reply, reason):
    game = new_game(2, seed="text").game
    if reason is None:
        assert move_in(reply, game, 0) == legal_actions(game, 0)[0]
    else:
        with pytest.raises(UnusableReply, match=reason):
            move_in(reply, game, 0)


@pytest.mark.parametrize(
    ("place", "reason"),
    [
        ({"x": 3}, "(3, 0) shares no edge with"),
        ({"x": 0}, "lies on (0, 0) already"),
        ({"x": 1, "rotation": 270}, "turned by 270 on (1, 0): its west is"),
        ({"x": 1, "rotation": 45}, "not 45"),
        pytest.param({"x": "far"}, "not 'far', 0 and 0", id="type_error"),
    ],
)
def test_mirrored_reply_is_refused_with_the_places_that_it_has(place, reason):
    game = new_game(2, seed="t").game
    while game.phase is not Phase.BUILDING:
        seat = game.waiting_for[0]
        game = play(game, seat, choose_move("random", game, seat, Random(1))).game
    wording = Wording(mirrored=True)
    fields = {"type": "place", "tile": game.players[0].tiles_to_build[0], "y": 0, "rotation": 0, **place}
    with pytest.raises(UnusableReply, match=re.escape(reason)):
        move_in(json.dumps(fields), game, 0, wording=wording)


@pytest.mark.parametrize(
    "fields",
    [
        {"type": "set_offer", "discard": "L41", "prices": {"L47": "x", "L19": 1}},
        {"type": "L41"},
        {"number": "L41"},
    ],
)
def test_reason_for_a_refused_reply_has_the_words_of_the_reply(fields):
    wording, game = other_wording("1"), new_game(2, seed="text").game
    reply = wording.text(json.dumps(fields))
    named = set(re.findall(r"T\d\d", reply))
    with pytest.raises(UnusableReply) as refused:
        move_in(reply, game, 0, wording=wording)
    found = set(re.findall(r"\b[A-Z]\d\d", str(refused.value)))
    assert found
    assert found <= named


def test_game_is_forfeited_after_three_unusable_replies_to_a_decision():
    game = TextGame("forfeit")
    said = [game.reply("I give up.") for _ in range(3)]
    assert [text.endswith("Choose again.") for text in said] == [True, True, False]
    assert "forfeited" in said[2]
    assert (game.over, game.points, game.margin, game.wins) == (True, 0, -100, 0)
    with pytest.raises(GameOver):
        game.reply(NUMBER_1)


def test_reply_after_the_end_of_a_game_is_refused():
    game = TextGame("end")
    assert game.wins == 0
    while not game.over:
        game.reply(NUMBER_1)
    with pytest.raises(GameOver):
        game.reply(NUMBER_1)


def test_key_of_the_api_is_sent_and_in_no_file(run, monkeypatch, tmp_path):
    monkeypatch.setenv(KEY_VARIABLE, "secret-key")
    with serving() as endpoint:
        run(tasks=1, at=endpoint)
    assert set(endpoint.authorizations) == {"Bearer secret-key"}
    assert not any("secret-key" in path.read_text() for path in tmp_path.iterdir())


def test_refused_request_ends_the_run_with_the_reason(run):
    with serving(lambda *_: (401, {}, b'{"error": "invalid key"}')) as endpoint:
        status, error = run(at=endpoint)
    assert status == 2
    assert 'refuses the request (HTTP 401: {"error": "invalid key"})' in error
    assert len(endpoint.requests) == 1


@pytest.mark.parametrize("key", STRIPPED.values(), ids=STRIPPED)
def test_white_space_around_the_api_key_is_not_sent(run, monkeypatch, key):
    monkeypatch.setenv(KEY_VARIABLE, key)
    with serving(lambda *_: (401, {}, b"")) as endpoint:
        run(at=endpoint)
    assert endpoint.authorizations == [f"Bearer {KEY}"]


def test_api_key_that_cannot_be_one_is_neither_sent_nor_shown(run, monkeypatch):
    with serving(lambda *_: completion("yes")) as endpoint:
        for key in REFUSED.values():
            if key.strip() and "\0" not in key:  # no variable has NUL
                monkeypatch.setenv(KEY_VARIABLE, key)
                status, error = run(at=endpoint)
                assert (status, endpoint.requests) == (2, [])
                assert not shows_credential(error)


def test_api_key_that_an_endpoint_repeats_is_not_shown(run, monkeypatch):
    monkeypatch.setenv(KEY_VARIABLE, KEY)
    with serving(lambda *_: (401, {}, f"wrong key {KEY}".encode())) as endpoint:
        assert not shows_credential(run(at=endpoint)[1])
    for body in (f"Bearer {KEY}".encode(), b"\xff" + KEY.encode(), completion(f"{KEY} {NUMBER_1}")):
        with serving(lambda *_, body=body: body) as endpoint:
            model = Endpoint(endpoint.url, "m", KEY)
            assert not shows_credential(f"{model!r} {model.reply(QUESTION)}")
            dummy = Endpoint(endpoint.url, "m", "1").reply(QUESTION)
    assert dummy.text.endswith(NUMBER_1)


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["--endpoint=http://127.0.0.1:9/v1", "--model=m"], "gave no response in 3 attempts"),
        (["--endpoint=127.0.0.1:9", "--model=m"], "--endpoint is a URL such as"),
        (["--endpoint=http://me:pw@127.0.0.1:9/v1", "--model=m"], "a URL with a name and password"),
        (["--bot=theirs=http://me:pw@127.0.0.1:9/bot"], "a URL with a name and password"),
        (["--model=m"], "name what to measure"),
        (["--bot=gredy"], "'gredy' is neither of"),
        (["--bot=theirs=http://127.0.0.1:9?bot=greedy"], "skye-arena measures them"),
    ],
)
def test_unusable_subject_is_refused_with_what_to_do(arguments, reason, run):
    status, error = run(*arguments)
    assert status == 2
    assert reason in error


def test_transcript_of_another_run_is_refused(run, out, capsys):
    assert run("--bot=first", tasks=1)[0] == 0
    error = run("--bot=random", tasks=1)[1]
    assert "another run, which differs in --model or --bot (there first, here random): name another" in error
    error = run("--bot=first", sections=["exact", "judged"])[1]
    assert "--tasks (there 1, here 2); --sections (there exact, here exact,judged): name another" in error
    changed = out.read_text().replace('"digest":"', '"digest":"0')
    out.write_text(changed)
    assert main(["score", str(out), "--processes=1"]) == 2
    assert "was another question when it was asked" in capsys.readouterr().err
    for text in ("", "text", '{"format": 9}', '{"format": 1, "subject": "m"}'):
        out.write_text(text + "\n")
        assert main(["score", str(out)]) == 2
    assert main(["score", str(out.with_name("missing.jsonl"))]) == 2


def test_second_run_on_a_transcript_is_refused_before_it_asks(run, out):
    second = []
    with serving(
        lambda *_: second.append(main(["run", str(out), "--bot=first"])) or completion()
    ) as endpoint:
        status, error = run(tasks=1, at=endpoint)
    assert (status, {*second}) == (0, {2})
    assert error.count(f"another process writes {out}: name another file\n") == len(second)
    assert len(replies_in(out)) == len(endpoint.requests) == len(second)


def test_transcript_is_read_unchanged_while_a_run_writes_it(run, out):
    assert run("--bot=first", tasks=1)[0] == 0
    with out.open("a") as file:
        file.write('{"key": "exact/')
    before = out.read_bytes()
    assert main(["score", str(out), "--processes=1"]) == 0
    assert out.read_bytes() == before


@pytest.mark.parametrize(
    "argument",
    [
        *[
            f"--{name}={value}"
            for name in ("budget", "timeout")
            for value in ("0", "-1", "nan", "inf", "1e300")
        ],
        *[f"--{name}={value}" for name in ("temperature", "pause") for value in ("-1", "nan", "inf")],
        "--pause=1e300",
        "--attempts=0",
    ],
)
def test_number_out_of_range_is_refused(argument, run, out, capsys):
    with pytest.raises(SystemExit, match="2"):
        run("--bot=first", argument)
    assert f"argument {argument.replace('=', ': ')} is " in capsys.readouterr().err
    assert not out.exists()


@pytest.mark.parametrize("name", ["run.json", "run.md", "run.JSON"])
@pytest.mark.parametrize("command", [["run", "--bot=first", "--tasks=1", "--sections", "exact"], ["score"]])
def test_transcript_with_the_name_of_a_table_is_refused(tmp_path, capsys, name, command):
    with pytest.raises(SystemExit, match="2"):
        main([command[0], str(tmp_path / name), *command[1:]])
    assert f"{name} is the name of a table" in capsys.readouterr().err
    assert not [*tmp_path.iterdir()]


def test_two_transcripts_are_compared_task_by_task(run, out, capsys):
    other = out.with_name("other.jsonl")
    for bot, path in (("first", out), ("random", other)):
        assert run(f"--bot={bot}", sections=["judged"])[0] == 0
        out.rename(path.with_suffix(".kept"))
    paths = [str(path.with_suffix(".kept")) for path in (out, other)]
    assert main(["compare", *paths, "--processes=1"]) == 0
    heads, _, *rows = capsys.readouterr().out.splitlines()
    assert heads == "| kind | variant | figure | count | random - first |"
    assert [row.split("|")[1:5] for row in rows] == [
        [f" {kind} ", " plain ", " regret ", " 2 "] for kind in JUDGED
    ]
    assert run("--bot=random", "--seed=2")[0] == 0
    assert main(["compare", paths[0], str(out)]) == 2
    assert "positions of different seeds" in capsys.readouterr().err


def test_program_of_the_league_protocol_plays_as_its_bot_does():
    host = shlex.join([sys.executable, "-m", "skye_gym.arena.host", "greedy"])
    questions = []
    item, *_ = Plan("1", 1, 1, ("judged",), reads=False).items()
    Plan().result(item, lambda question: questions.append(question) or Reply(""), judge=False)
    moves = []
    for argument in ("greedy", f"mine={host}"):
        with closing(subject_of(argument, Budget(120))) as subject:
            moves.append(json.loads(subject.reply(questions[0]).text))
    assert moves[0] == moves[1]


@pytest.mark.parametrize(
    ("bot", "reason"),
    [
        ("x=nosuch", "'x': cannot be started"),
        ("x=false", "'x': ended"),
        ("no_such_module:bot", "No module named 'no_such_module'"),
        ("x=http://127.0.0.1:9/bot", "'x': cannot be reached"),
    ],
)
def test_program_that_cannot_start_is_refused_before_the_first_question(bot, reason, run, out):
    status, error = run(f"--bot={bot}", sections=["games"])
    assert status == 2
    assert reason in error
    assert not out.exists()


def test_program_that_is_gone_in_a_run_ends_it_and_makes_no_reply(run, out, tmp_path):
    program = tmp_path / "bot"
    host = f"exec {shlex.join([sys.executable, '-m', 'skye_gym.arena.host', 'greedy'])}"
    program.write_text(
        f'#!/bin/sh\nif test -e "$0.checked"; then rm "$0"; exit; fi\n: > "$0.checked"\n{host}\n'
    )
    program.chmod(0o755)
    status, error = run(f"--bot=x={program}", sections=["games"])
    assert status == 2
    assert "'x': cannot be started" in error
    assert ["ended" in reply["error"] for reply in replies_in(out)] == [True]


def test_failure_of_a_program_that_plays_is_a_reply_without_text(run, out, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([*sys.path, str(Path(__file__).parent)]))
    assert run("--bot=arena_bots:crash", sections=["judged"], tasks=1)[0] == 0
    assert ["ended" in reply["error"] for reply in replies_in(out)] == [True] * len(JUDGED)


def test_interval_of_a_mean_follows_from_groups_of_a_seed():
    value, low, high = mean_interval([[0.0, 0.0], [10.0, 10.0]] * 10)
    assert value == 5.0
    assert 2 < low < 4
    assert 6 < high < 8


def test_hashes_and_tasks_are_printed(tmp_path, capsys):
    out = tmp_path / "tasks.jsonl"
    assert main(["tasks", "--tasks=1", f"--out={out}"]) == 0
    lines = out.read_bytes().splitlines(keepends=True)
    assert [line.split()[0] for line in capsys.readouterr().out.splitlines()] == [
        hashlib.sha256(line).hexdigest() for line in lines
    ]
    assert {json.loads(line)["kind"] for line in lines} == {*PUBLISHED}


def test_unusable_reply_to_a_judged_task_loses_most():
    for kind in JUDGED:
        task = judged_task(kind, "1", 1)
        game, seat, _ = task.position
        lost = worst_regret(task)
        if kind == "offer":
            assert lost >= regret(task, legal_actions(game, seat)[0])
        else:
            assert lost == max(regret(task, move) for move in legal_actions(game, seat))


def test_price_task_follows_from_the_purses_and_both_territories():
    for number in range(5):
        task = task_of("prices", "2", number, PLAIN)
        assert "Your territory" in task.prompt
        assert "The territory of the rival" in task.prompt
        purse = int(re.search(r"You have (\d+) gold", task.prompt)[1])
        assert min(task.answer.values()) >= 1
        assert sum(task.answer.values()) <= purse


@pytest.mark.parametrize(
    ("prices", "purse", "left"),
    [
        ((4, 1), 9, 4 - 1 + 2),  # the first is sold; of the second, a point is gained, and the gold lost
        ((6, 1), 9, 1 + 4 - 6),  # the worth of the second is more above its price
        ((7, 1), 9, 1 + 4 - 7),  # the worth of the first is below its price: the second is sold
        ((6, 3), 9, 6 - 3 + 2),
        ((6, 1), 5, 1 + 4 - 6),  # the rival cannot pay the first
        ((7, 3), 9, 4 + 2 - 7 - 3),  # none is sold
        ((5, 1), 9, 5 - 1 + 2),  # equally far above: the first
    ],
)
def test_rival_buys_the_tile_whose_worth_is_most_above_its_price(prices, purse, left):
    assert tasks.left_after(prices, own=[2, 1], others=[3, 1], purse=purse) == left


def test_script_that_follows_listed_gains_places_where_most_are_listed():
    task = judged_task("placement", "1", 0)
    game, seat, _ = task.position
    reply = SCRIPTS["listed_gain"](Question("k", (), game, seat))
    moves = legal_actions(game, seat)
    slots = game.slots_scored_in(game.round)
    listed = {
        (each["tile"], each["x"], each["y"], each["rotation"]): sum(
            gain["points"] or 0 for gain in each["gains"] if gain["slot"] in slots
        )
        for tile in set(game.players[seat].tiles_to_build)
        for each in placement_gains_view(game, seat, tile)
    }
    chosen = move_in(reply.text, game, seat)
    assert chosen in moves
    assert listed[tuple(chosen)] == max(listed.values())


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"format": 2}, "is a transcript of skye-eval 2, not of skye-eval 3"),
        ({"judge": "skye-judge 1"}, "is of the judge 'skye-judge 1', not of skye-judge 2"),
    ],
)
def test_transcript_of_another_version_is_refused_by_name(run, out, capsys, changed, reason):
    assert run("--bot=first", tasks=1)[0] == 0
    first, *others = out.read_text().splitlines(keepends=True)
    out.write_text("".join([json.dumps({**json.loads(first), **changed}) + "\n", *others]))
    before = out.read_bytes()
    for command in (["score", str(out)], ["run", str(out), "--bot=first", "--sections=exact"]):
        assert main(command) == 2
        assert reason in capsys.readouterr().err
    assert out.read_bytes() == before


def test_placement_without_the_list_shows_no_gain():
    plan = Plan(tasks=1, sections=("judged",))
    asked = {}
    for item in plan.items():
        plan.result(item, lambda question: asked.update({question.key: question}) or Reply(""), judge=False)
    texts = {key.split("/")[2]: question.messages[1]["content"] for key, question in asked.items()}
    assert "Legal actions (" in texts["plain"]
    assert "Legal actions (" not in texts["unlisted"]
    assert {key.split("/")[1] for key in asked if "unlisted" in key} == {"placement"}
