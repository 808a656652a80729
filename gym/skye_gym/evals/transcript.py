"""The transcript of a run: every reply as soon as it is there, so that no question is paid twice."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import IO, Any, Final, NamedTuple

from skye.errors import SkyeError
from skye_gym.arena.json_lines import json_line, opened_alone, read_json_lines
from skye_gym.evals.plan import Plan
from skye_gym.evals.questions import Question, Reply
from skye_gym.judge import VERSION as JUDGE
from skye_gym.judge import left_out_for

VERSION: Final = "skye-eval 3"
"""The version of the questions, and of the format of transcripts."""


_ARGUMENTS: Final = {
    "subject": "--model or --bot",
    "builtin": "--model or --bot",
    "reads": "--model or --bot",
    "seed": "--seed",
    "tasks": "--tasks",
    "games": "--games",
    "sections": "--sections",
}
"""By field of the header, the argument of the command line that sets it."""


class MissingReply(SkyeError):
    """A transcript has no reply to a question."""


class Header(NamedTuple):
    """The first line of a transcript.

    :param subject: the name of the subject.
    :param plan: what is asked.
    :param builtin: the name of the bot or script of this package that the subject is, or None.
    """

    subject: str
    plan: Plan
    builtin: str | None

    def line(self) -> dict[str, Any]:
        """Return the line as JSON data; it has `builtin` only if the name of the subject says another."""
        plan = {**self.plan._asdict(), "sections": list(self.plan.sections)}
        line = {"format": VERSION, "judge": JUDGE, "subject": self.subject, "plan": plan}
        if left_out_for(self.builtin) == left_out_for(self.subject):
            return line
        return {**line, "builtin": self.builtin}


class Replies:
    """The replies of a transcript by key.

    :param lines: the lines of the transcript after the first.
    """

    def __init__(self, lines: Iterable[Mapping[str, Any]]) -> None:
        self.by_key = {line["key"]: line for line in lines}

    def recorded(self, question: Question) -> Reply:
        """Return the reply to a question.

        :raises MissingReply: when there is none.
        :raises ValueError: when the reply is to another question: the texts or rules have changed since.
        """
        line = self.by_key.get(question.key)
        if line is None:
            raise MissingReply(f"there is no reply to {question.key}")
        if line["digest"] != question.digest:
            raise ValueError(f"{question.key} was another question when it was asked: begin a new transcript")
        tokens = line["tokens"]
        return Reply(line["reply"], None if tokens is None else (tokens[0], tokens[1]), line["error"])


class Transcript(Replies):
    """A transcript that grows (see `opened_transcript`).

    :param file: the open file.
    :param lines: the lines of the file after the first.
    """

    def __init__(self, file: IO[str], lines: Iterable[Mapping[str, Any]]) -> None:
        super().__init__(lines)
        self._file = file
        self._lock = Lock()

    def ask(self, question: Question, call: Callable[[Question], Reply]) -> Reply:
        """Return the recorded reply, or call the subject and record its reply."""
        if question.key in self.by_key:
            return self.recorded(question)
        reply = call(question)
        line = {
            "key": question.key,
            "digest": question.digest,
            "messages": list(question.messages[1:]),
            "reply": reply.text,
            "tokens": reply.tokens,
            "error": reply.error,
        }
        with self._lock:
            self.write(line)
            self.by_key[question.key] = line
        return reply

    def write(self, line: Mapping[str, Any]) -> None:
        """Append a line, which is on the disk when this returns."""
        self._file.write(json_line(line))
        self._file.flush()
        os.fsync(self._file.fileno())


@contextmanager
def opened_transcript(path: Path, header: Header) -> Iterator[Transcript]:
    """Open a transcript to append replies. Until the end of the context no other run opens it.

    :param path: the file, which may be missing or incomplete.
    :raises ValueError: when it is the transcript of another run, or another run has it open.
    """
    with opened_alone(path, option="") as file:
        _check_file(path)
        transcript = Transcript(file, read_json_lines(path, header.line(), "run", arguments=_ARGUMENTS))
        if not path.stat().st_size:
            transcript.write(header.line())
        yield transcript


def read_transcript(path: Path) -> tuple[Header, Replies]:
    """Return a transcript, which a run may be writing.

    :raises ValueError: when it is not one, or one of another format.
    """
    try:
        with path.open(encoding="utf-8") as file:
            first = json.loads(file.readline())
        _check_versions(path, first)
        plan = Plan(**{**first["plan"], "sections": tuple(first["plan"]["sections"])})
        header = Header(first["subject"], plan, first.get("builtin", first["subject"]))
        return header, Replies(read_json_lines(path, first, "run", truncate=False))
    except (KeyError, TypeError, UnicodeDecodeError, json.JSONDecodeError) as error:
        raise ValueError(f"{path} is no transcript of skye-eval: {error!r:.80}") from error
    except OSError as error:
        raise ValueError(f"{path} cannot be read: {error.strerror}") from error


def _check_file(path: Path) -> None:
    """Refuse a file that begins like the transcript of another version."""
    if not path.exists():
        return
    with path.open("rb") as file:
        first_line = file.readline()
    try:
        first = json.loads(first_line)
    except ValueError:
        return
    if isinstance(first, dict) and {"format", "subject", "plan"} <= first.keys():
        _check_versions(path, first)


def _check_versions(path: Path, first: Mapping[str, Any]) -> None:
    """Refuse the transcript of another version of the questions or of the judge.

    :raises ValueError: with both versions by name.
    """
    found = first["format"]
    if found != VERSION:
        # Until version 2 the format was a number.
        name = f"skye-eval {found}" if isinstance(found, int) else repr(found)
        raise ValueError(f"{path} is a transcript of {name}, not of {VERSION}")
    if first.get("judge") != JUDGE:
        raise ValueError(f"{path} is of the judge {first.get('judge')!r}, not of {JUDGE}")
