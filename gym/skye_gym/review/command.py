"""`skye-review`: explain a finished game."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from skye.errors import SkyeError
from skye.positions.record_json import record_from_json
from skye_gym.arena.arguments import positive
from skye_gym.review.game import DEFAULT_BUDGET, min_seconds, review_game, samples_for
from skye_gym.review.moves import MIN_SAMPLES
from skye_gym.review.page import review_to_json, review_to_markdown


def main(arguments: Sequence[str] | None = None) -> int:
    """Write the review of a record; return the exit status."""
    options = _parser().parse_args(arguments)
    try:
        line = _line(options.record, options.game)
        record = record_from_json(line)
        names = _names(line)
        samples = samples_for(len(names), options.budget)
        least = min_seconds(len(names))
        if options.budget < least:
            print(
                f"skye-review: the fewest samples, {samples}, take about {least:.0f} s of CPU on the core on "
                f"which costs were measured, more than the budget of {options.budget:g} s",
                file=sys.stderr,
            )
        review = review_game(record, samples=samples, seed=options.seed, progress=_progress)
        folder = options.out or Path(f"review-{options.record.stem}-{options.game}")
        folder.mkdir(parents=True, exist_ok=True)
        page, pictures = review_to_markdown(review, names)
        data = json.dumps(review_to_json(review, names), indent=1) + "\n"
        for name, content in {"review.md": page, "review.json": data, **pictures}.items():
            (folder / name).write_text(content, encoding="utf-8")
    except (SkyeError, ValueError, TypeError, OSError, RecursionError) as error:
        print(f"skye-review: {_on_one_line(error)}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        return 130
    losses = [each for each in review.decisions if each.verdict.is_loss]
    print(f"{len(losses)} of {len(review.decisions)} decisions lost something: {folder / 'review.md'}")
    return 0


def _line(path: Path, game: int) -> Mapping[str, Any]:
    """Return the record in a file: a JSON object, or a line of NDJSON, in either form of records.

    :raises ValueError: when there is none.
    """
    text = path.read_text(encoding="utf-8")
    try:
        values = [json.loads(text)]
    except ValueError:
        try:
            values = [json.loads(line) for line in text.splitlines() if line.strip()]
        except ValueError:
            raise ValueError(f"{path} has neither a record as JSON nor a record on each line") from None
    records = [
        value.get("record", value)
        for value in values
        if isinstance(value, dict) and ("record" in value or "actions" in value)
    ]
    if game >= len(records):
        raise ValueError(f"{path} has {len(records)} records, counted from 0: there is no record {game}")
    if not isinstance(records[game], dict):
        raise ValueError(f"record {game} of {path} is no JSON object")
    record: Mapping[str, Any] = records[game]
    return record


def _names(record: Mapping[str, Any]) -> list[str]:
    """Return the names of the players in a record that `record_from_json` has read.

    :raises ValueError: when a player has no name, or one that cannot be written.
    """
    names = [player.get("name") for player in record["players"]]
    for seat, name in enumerate(names):
        if not isinstance(name, str) or any("\ud800" <= letter <= "\udfff" for letter in name):
            raise ValueError(f"the player of seat {seat} has no name: /players/{seat}/name is a string")
    return names


def _on_one_line(error: BaseException) -> str:
    """Return the text of an error, which may quote a record, without line breaks and control characters."""
    return "".join(letter if letter.isprintable() else " " for letter in str(error))


def _progress(done: int, left: int) -> None:
    if sys.stderr.isatty():
        print(f"{done} of {done + left} decisions and draws", end="\r", file=sys.stderr, flush=True)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="skye-review",
        description="Explain a finished game: what each decision lost by what its seat knew then, and how "
        "lucky each draw was.",
    )
    parser.add_argument("--version", action="version", version=f"%(prog)s {version('skye-gym')}")
    parser.add_argument(
        "record",
        type=Path,
        metavar="RECORD",
        help="a record as JSON (GET /v1/games/{game}/record), or lines of them (skye-arena --records)",
    )
    parser.add_argument(
        "--game", type=_number, default=0, help="which line, from 0, of a file with several; default: 0"
    )
    parser.add_argument(
        "--budget",
        type=positive(float),
        default=DEFAULT_BUDGET,
        help="seconds of CPU on the core on which costs were measured, by default %(default)g: the number of "
        f"samples follows from it, not from the clock. There are at least {MIN_SAMPLES} samples, which take "
        f"about {min_seconds(2):.0f} s with two seats and {min_seconds(5):.0f} s with five",
    )
    parser.add_argument("--seed", default="1", help="seed of the samples; default: 1")
    parser.add_argument(
        "--out", type=Path, metavar="FOLDER", help="folder of the page; default: review-RECORD-GAME"
    )
    return parser


def _number(text: str) -> int:
    number = int(text)
    if number < 0:
        raise argparse.ArgumentTypeError(f"{text} is below 0")
    return number


if __name__ == "__main__":
    sys.exit(main())
