"""The command `skye-eval`: measures a model or a bot, and scores transcripts again."""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any, Final

from skye.errors import SkyeError
from skye_gym.answers import well_formed
from skye_gym.arena.arguments import not_negative, positive, positive_seconds, seconds
from skye_gym.arena.bot_process import Budget
from skye_gym.evals import validity
from skye_gym.evals.endpoint import Endpoint
from skye_gym.evals.judged import JUDGED
from skye_gym.evals.plan import PUBLISHED, SECTIONS, Item, Plan, published_line
from skye_gym.evals.questions import Question, Reply
from skye_gym.evals.scoring import compare, score, tables
from skye_gym.evals.subjects import SCRIPTS, Subject, subject_of
from skye_gym.evals.transcript import Header, MissingReply, Transcript, opened_transcript, read_transcript

KEY_VARIABLE: Final = "SKYE_EVAL_API_KEY"

_LISTS: Final[Mapping[str, Collection[str]]] = {"--sections": SECTIONS, "--kinds": tuple(JUDGED)}
"""The options whose values are some of these words."""

_TABLES: Final = (".json", ".md")
"""The ends of the names of the files with the tables, beside the transcript."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return the exit status."""
    options = _parser().parse_args(_joined(sys.argv[1:] if arguments is None else arguments))
    try:
        status: int = options.function(options)
    except (SkyeError, ValueError, OSError) as error:
        print(f"skye-eval: {error}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("\nInterrupted: the same command resumes, and repeats no question.", file=sys.stderr)
        return 130
    return status


def run(options: argparse.Namespace) -> int:
    """Ask what is missing in the transcript, then score it."""
    subject = _subject(options)
    plan = Plan(options.seed, options.tasks, options.games, options.sections, subject.reads)
    header = Header(subject.name, plan, subject.builtin)
    with closing(subject), opened_transcript(options.out, header) as transcript:
        ask_all(plan, subject, transcript, options.workers)
    return report(options)


def ask_all(plan: Plan, subject: Subject, transcript: Transcript, workers: int) -> None:
    """Ask all questions that have no reply yet. After a failure or an interruption no question is asked.

    :param workers: the number of questions asked at the same time.
    :raises EndpointFailed: when the endpoint cannot be used; the replies so far are in the transcript.
    :raises BotUnavailable: when the program cannot be started or reached any more; likewise.
    """
    failures: list[BaseException] = []

    def call(question: Question) -> Reply:
        if failures:
            raise MissingReply("the run has ended")
        try:
            return subject.reply(question)
        except BaseException as error:
            failures.append(error)
            subject.stop()
            raise

    def answer(item: Item) -> None:
        plan.result(item, partial(transcript.ask, call=call), judge=False)

    with ThreadPoolExecutor(workers) as pool:
        futures = [pool.submit(answer, item) for item in plan.items()]
        try:
            for done, future in enumerate(futures, 1):
                future.result()
                if sys.stderr.isatty() or done % 100 == 0:
                    print(f"{done} of {len(futures)} tasks and games", file=sys.stderr, flush=True)
        except BaseException as error:  # noqa: BLE001 - the first one is raised again
            failures.append(error)
            subject.stop()
            pool.shutdown(wait=False, cancel_futures=True)
            raise failures[0] from None


def report(options: argparse.Namespace) -> int:
    """Score a transcript; write the tables beside it as Markdown and JSON, and print them."""
    scored = score(*read_transcript(options.out), workers=options.processes)
    _write_tables(options.out, scored, tables(scored))
    return 0


def validate(options: argparse.Namespace) -> int:
    """Play the games of the test of validity that are missing; compare the judge with all that are there."""
    processes = options.processes or os.cpu_count() or 1
    validity.play_missing(options.out, options.kinds, options.games, processes)
    found = validity.comparisons(validity.read_games(options.out), options.tasks, processes)
    _write_tables(options.out, validity.result(found, options.tasks), validity.tables(found))
    return 0


def _write_tables(out: Path, figures: Mapping[str, Any], text: str) -> None:
    """Write figures and their tables beside a file, and print the tables."""
    for suffix, content in zip(_TABLES, (json.dumps(figures, indent=1) + "\n", text), strict=True):
        out.with_suffix(suffix).write_text(content, encoding="utf-8")
    print(text, end="")


def difference(options: argparse.Namespace) -> int:
    """Print the differences of two transcripts."""
    one, other = map(read_transcript, options.transcripts)
    print(compare(one, other, workers=options.processes), end="")
    return 0


def publish(options: argparse.Namespace) -> int:
    """Print the hash of the tasks and games of each kind, or write them."""
    for kind in PUBLISHED:
        lines = [published_line(kind, options.seed, number) for number in range(options.tasks)]
        digest = hashlib.sha256(b"".join(lines)).hexdigest()
        print(f"{digest}  {kind}, {options.tasks} of seed {options.seed}")
        if options.out is not None:
            with options.out.open("ab") as file:
                file.writelines(lines)
    return 0


def _subject(options: argparse.Namespace) -> Subject:
    if options.bot is not None:
        return subject_of(options.bot, Budget(options.budget))
    if options.model is None or options.endpoint is None:
        raise ValueError("name what to measure: --endpoint URL --model NAME, or --bot BOT")
    if not options.endpoint.startswith(("http://", "https://")):
        raise ValueError("--endpoint is a URL such as http://127.0.0.1:8080/v1")
    fields: dict[str, Any] = {"max_tokens": options.max_tokens, "temperature": options.temperature}
    given = {name: value for name, value in fields.items() if value is not None}
    return Endpoint(
        options.endpoint,
        options.model,
        os.environ.get(KEY_VARIABLE, "").strip() or None,
        given,
        options.timeout,
        options.attempts,
        options.pause,
    )


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="skye-eval", description=__doc__)
    parser.add_argument("--version", action="version", version=f"%(prog)s {version('skye-gym')}")
    commands = parser.add_subparsers(required=True)
    asks = commands.add_parser("run", help="ask what is missing in a transcript, and score it")
    _add_subjects(asks)
    asks.add_argument(
        "--sections",
        type=_some_of(SECTIONS),
        default=SECTIONS,
        metavar="SECTION[,SECTION]",
        help=f"some of {', '.join(SECTIONS)}; default: all",
    )
    asks.add_argument("--games", type=positive(int), default=20, help="games with each opponent; default: 20")
    asks.add_argument(
        "--workers", type=positive(int), default=1, help="questions at the same time; default: 1"
    )
    _add_sizes(asks)
    asks.set_defaults(function=run)
    scores = commands.add_parser("score", help="score a transcript again, without any call")
    scores.set_defaults(function=report)
    compares = commands.add_parser("compare", help="print what another subject has more in the same tasks")
    compares.add_argument("transcripts", nargs=2, type=Path, metavar="TRANSCRIPT.jsonl")
    compares.set_defaults(function=difference)
    valid = commands.add_parser(
        "validity", help="compare the judge with paired games of bots that differ in one kind of decision"
    )
    valid.add_argument(
        "--kinds",
        type=_some_of(JUDGED),
        default=tuple(JUDGED),
        metavar="KIND[,KIND]",
        help=f"some of {', '.join(JUDGED)}; default: all",
    )
    valid.add_argument("--games", type=_even, default=400, help="games of each pair, even; default: 400")
    valid.add_argument(
        "--tasks", type=positive(int), default=100, help="published tasks of each kind; default: 100"
    )
    valid.add_argument(
        "out", type=_transcript, metavar="GAMES.jsonl", help="the games; the tables are written beside it"
    )
    valid.set_defaults(function=validate)
    for command in (asks, scores):
        command.add_argument(
            "out", type=_transcript, metavar="TRANSCRIPT.jsonl", help="the tables are written beside it"
        )
    for command in (asks, scores, compares, valid):
        command.add_argument(
            "--processes", type=positive(int), help="processes that compute; default: one a core"
        )
    tasks = commands.add_parser("tasks", help="print the hashes of the tasks and games")
    _add_sizes(tasks)
    tasks.add_argument("--out", type=Path, help="a file to which the tasks are appended, as JSON lines")
    tasks.set_defaults(function=publish)
    return parser


def _add_subjects(parser: argparse.ArgumentParser) -> None:
    add: Callable[..., Any] = parser.add_argument
    add(
        "--endpoint",
        metavar="URL",
        help=f"base URL of an OpenAI-compatible API, whose key is in {KEY_VARIABLE}",
    )
    add("--model", type=_text, metavar="NAME", help="name of the model there")
    add("--bot", help=f"instead: {', '.join(SCRIPTS)}, or a bot or program as for skye-arena")
    add("--max-tokens", type=positive(int), help="maximum length of a reply; default: that of the endpoint")
    add("--temperature", type=not_negative(), help="default: that of the endpoint")
    add(
        "--timeout",
        type=positive_seconds,
        default=120.0,
        help="seconds for each request until the end of its response; default: 120",
    )
    add(
        "--attempts",
        type=positive(int),
        default=6,
        help="requests until one gets a response; default: 6",
    )
    add(
        "--pause",
        type=seconds,
        default=1.0,
        help="seconds before the second of them, doubled for each further up to 60 s; default: 1",
    )
    add(
        "--budget",
        type=positive_seconds,
        default=1.0,
        help="seconds for each decision of a program; default: 1",
    )


def _add_sizes(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--seed", type=_text, default="1", help="seed of tasks and games; default: 1, the published one"
    )
    parser.add_argument("--tasks", type=positive(int), default=100, help="tasks of each kind; default: 100")


def _joined(arguments: Sequence[str]) -> list[str]:
    """Return arguments in which words after `--sections` or `--kinds` are one argument, with commas.

    `argparse` would take the file that follows them for another of these words.

    >>> _joined(["run", "--sections", "exact", "judged", "name.jsonl"])
    ['run', '--sections', 'exact,judged', 'name.jsonl']
    """
    joined: list[str] = []
    words: Collection[str] = ()
    has_value = False
    for argument in arguments:
        if has_value and argument in words:
            joined[-1] += f",{argument}"
            continue
        joined.append(argument)
        if argument.startswith("--"):
            option, equals, _ = argument.partition("=")
            words = next((_LISTS[name] for name in _LISTS if option != "--" and name.startswith(option)), ())
            has_value = bool(equals)
        else:
            has_value = argument in words
    return joined


def _some_of(words: Collection[str]) -> Callable[[str], tuple[str, ...]]:
    """Return a parser of some words, separated by commas; repeated ones count once."""

    def parse(text: str) -> tuple[str, ...]:
        found = tuple(dict.fromkeys(text.split(",")))
        wrong = next((word for word in found if word not in words), None)
        if wrong is not None:
            raise argparse.ArgumentTypeError(f"{wrong!r:.40} is none of {', '.join(words)}")
        return found

    return parse


def _text(text: str) -> str:
    """Return an argument that UTF-8 can encode: tables and requests contain it."""
    if well_formed(text) != text:
        raise argparse.ArgumentTypeError(f"{text!a:.40} is not UTF-8")
    return text


def _even(text: str) -> int:
    number = positive(int)(text)
    if number % 2:
        raise argparse.ArgumentTypeError(f"{text} is odd: two games have the same draws")
    return number


def _transcript(text: str) -> Path:
    """Return the path of a transcript, whose name is not that of one of its tables."""
    path = Path(text)
    if path.suffix.lower() in _TABLES:
        raise argparse.ArgumentTypeError(
            f"{text} is the name of a table, which would replace the transcript: name it {path.stem}.jsonl"
        )
    return path


if __name__ == "__main__":
    sys.exit(main())
