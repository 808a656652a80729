"""The README's commands and answers: reading them, running them, and recording the answers again.

    python -m tests.contract.readme

runs every command of the README on a server of its own and writes the answers into it. A block of commands is
fenced as `sh`; a block fenced as `json` or `text` right after it is what they answer. In an answer, `...`
leaves something out: fields of an object, items of a list, a value, lines of text. What stands between
`<!-- name -->` and `<!-- end -->` in the pages of `WRITTEN` is written from the code.
"""

from __future__ import annotations

import difflib
import json
import re
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from skye_server.settings import table as settings_table
from tests.support.launcher import ROOT, launching
from tests.support.waiting import MAX_RUN_S

README = ROOT / "README.md"
ADDRESS = "http://127.0.0.1:8000"
LEFT_OUT = "..."
WIDTH = 100

_SALT = r'(?<=": "[1-9]-)\d{1,10}(?=")'
_TIME = r"\d{4}-\d\d-\d\dT[\d:.]+Z"
_FENCE = re.compile(r"^```(sh|json|text)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_VARYING = {
    r"(?:(?<=skye_(?:host|seat|hunt)_)|(?<=skye_key_)|(?<=skye_watch_)|(?<=skye_invite_))[\w-]{22,}": "TOKEN",
    _TIME: "TIME",
    r"(?<=/games/)[a-z2-9]{12}": "GAME",
    r'(?<="id": ")[a-z2-9]{12}(?=")': "GAME",
    r'(?<="game_id": ")[a-z2-9]{12}(?=")': "GAME",
    r'(?<="game_id":")[a-z2-9]{12}(?=")': "GAME",
    r'(?<="id": ")[0-9a-f]{16}(?=")': "INVITATION",
    _SALT: "SALT",
    r"(?<=urn:skye:request:)[0-9a-f]{16}": "REQUEST",
    r'(?<="nonce":")[0-9a-f]{32}(?=")': "NONCE",
}
_MARK = "---- answers of block %d"


class Answer(NamedTuple):
    """A documented response: its kind, its text, and its place in the README."""

    kind: str
    text: str
    start: int
    end: int


class Block(NamedTuple):
    """Commands, and their output if the README shows it."""

    commands: str
    answer: Answer | None


def blocks(readme: str) -> list[Block]:
    """Return the blocks of commands of a README, in order."""
    found: list[Block] = []
    end = 0
    for fence in _FENCE.finditer(readme):
        kind, text = fence.groups()
        if kind == "sh":
            found.append(Block(text, None))
        elif found and found[-1].answer is None and readme[end : fence.start()].isspace():
            found[-1] = Block(found[-1].commands, Answer(kind, text, fence.start(2), fence.end(2)))
        end = fence.end()
    return found


def run(commands: list[str], url: str) -> list[str]:
    """Run blocks of commands in order in one shell, against a server; return their outputs."""
    script = ["set -eu"]
    for number, block in enumerate(commands):
        script += [f"echo; echo '{_MARK % number}'", block.replace(ADDRESS, url)]
    ran = subprocess.run(
        ["bash"],
        input="\n".join(script),
        capture_output=True,
        text=True,
        cwd=ROOT,
        timeout=MAX_RUN_S,
        check=False,
    )
    assert (ran.returncode, ran.stderr) == (0, ""), ran.stderr or ran.stdout[-2000:]
    printed = re.split(rf"\n{_MARK.replace('%d', '[0-9]+')}\n", ran.stdout)[1:]
    assert len(printed) == len(commands)
    return [text.replace(url, ADDRESS) for text in printed]


def as_documented(kind: str, documented: str, printed: str) -> str:
    """Return an output in the format of the documented one, with the same omissions."""
    if kind == "json":
        return formatted_json(abridged(json.loads(_marked(documented)), json.loads(printed))) + "\n"
    wanted = "\n".join(
        ".*" if line.strip() == LEFT_OUT else re.escape(line) for line in settled(documented).split("\n")
    )
    printed = printed.strip("\n") + "\n"
    same = re.fullmatch(wanted, settled(printed), re.DOTALL)
    return documented if same else printed


def settled(answer: str) -> str:
    """Replace values that differ from run to run: ids, tokens, nonces, times."""
    for pattern, name in _VARYING.items():
        answer = re.sub(pattern, name, answer)
    return answer


def with_documented_values(before: str, after: str) -> str:
    """Return a recorded page with the ids, tokens, nonces and times of the page before, where both show one.

    So the difference of the two shows only what has changed in the answers. The times of one answer are all
    of one recording.
    """
    old, new = before.split("\n"), after.split("\n")
    recorded_times = [re.findall(_TIME, line) for line in new]
    same = difflib.SequenceMatcher(None, [*map(settled, old)], [*map(settled, new)], autojunk=False)
    documented: dict[str, str] = {}
    kept: set[int] = set()
    for of_old, of_new, length in same.get_matching_blocks():
        for offset in range(length):
            line = new[of_new + offset]
            values = zip(_varying_values(line), _varying_values(old[of_old + offset]), strict=True)
            documented = dict(values) | documented
            new[of_new + offset] = old[of_old + offset]
            kept.add(of_new + offset)
    for number in set(range(len(new))) - kept:
        for pattern in _VARYING:
            new[number] = re.sub(pattern, lambda found: documented.get(found[0], found[0]), new[number])
    for answer in _FENCE.finditer(after):
        first, last = (after.count("\n", 0, end) for end in answer.span())
        lines = [number for number in range(first, last) if recorded_times[number]]
        if any(re.findall(_TIME, new[number]) == recorded_times[number] for number in lines):
            for number in lines:
                times = iter(recorded_times[number])
                new[number] = re.sub(_TIME, lambda _, times=times: next(times), new[number])
    return "\n".join(new)


def _varying_values(line: str) -> list[str]:
    """Return the ids, tokens, nonces and times of a line, by pattern and position."""
    return [value for pattern in _VARYING for value in re.findall(pattern, line)]


def abridged(documented: object, answered: object) -> object:
    """Return the part of a response that its documented form shows."""
    match documented, answered:
        case "...", _:
            return LEFT_OUT
        case dict(), dict() if LEFT_OUT in documented:
            shown = {name: value for name, value in documented.items() if name in answered}
            kept = {name: abridged(value, answered[name]) for name, value in shown.items()}
            return kept | {LEFT_OUT: LEFT_OUT}
        case dict(), dict():
            return {name: abridged(documented.get(name), value) for name, value in answered.items()}
        case list(), list() if LEFT_OUT in documented:
            at = documented.index(LEFT_OUT)
            first, last = documented[:at], documented[at + 1 :]
            ending = answered[len(answered) - len(last) :]
            return [*map(abridged, first, answered), LEFT_OUT, *map(abridged, last, ending)]
        case list(), list():
            known = [*documented, *([None] * len(answered))]
            return [abridged(one, other) for one, other in zip(known, answered, strict=False)]
        case _:
            return answered


def _marked(documented: str) -> str:
    """Make JSON of a documented answer: a `...` becomes a string, among fields a field of that name."""
    written: list[str] = []
    open_brackets: list[str] = []
    for token in re.findall(r'"(?:[^"\\]|\\.)*"|\.\.\.|[^".]+|.', documented):
        if token == LEFT_OUT:
            value = f'"{LEFT_OUT}"'
            is_field = open_brackets[-1] == "{" and not "".join(written).rstrip().endswith(":")
            written.append(f"{value}: {value}" if is_field else value)
            continue
        written.append(token)
        if not token.startswith('"'):
            for bracket in re.findall(r"[][{}]", token):
                if bracket in "[{":
                    open_brackets.append(bracket)
                else:
                    open_brackets.pop()
    return "".join(written)


def formatted_json(value: object, indent: int = 0, before: int = 0) -> str:
    """Return JSON in as few lines as possible; `before` is the text before it on its first line."""
    text = json.dumps(value, ensure_ascii=False)
    text = text.replace(f'"{LEFT_OUT}": "{LEFT_OUT}"', LEFT_OUT).replace(f'"{LEFT_OUT}"', LEFT_OUT)
    if not isinstance(value, dict | list) or _length(text) + indent + before < WIDTH:
        return text
    if isinstance(value, list):
        items = [formatted_json(item, indent + 2) for item in value]
    else:
        items = [
            LEFT_OUT if name == LEFT_OUT else f'"{name}": {formatted_json(item, indent + 2, len(name) + 4)}'
            for name, item in value.items()
        ]
    opening, closing = "[]" if isinstance(value, list) else "{}"
    return "\n".join([opening, *_filled(items, " " * (indent + 2)), " " * indent + closing])


def _filled(items: list[str], margin: str) -> list[str]:
    """Write items one after the other, as many on a line as fit; one of several lines has them to itself."""
    lines = [items[0]]
    for item in items[1:]:
        together = f"{lines[-1]}, {item}"
        if "\n" in together or item.startswith("{") or len(margin) + _length(together) >= WIDTH:
            lines[-1] += ","
            lines.append(item)
        else:
            lines[-1] = together
    return [margin + line for line in lines]


def _length(text: str) -> int:
    """Return the length of a text with salts of ten digits: a quarter of random salts have fewer."""
    return len(re.sub(_SALT, "0" * 10, text))


def import_rules() -> str:
    """Return the contracts of imports that `make lint` checks, one on each line."""
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    return "\n".join(f"- {contract['name']}{_layers(contract)}" for contract in contracts)


def _layers(contract: dict) -> str:
    """Return the layers of a contract from top to bottom; the name of one without containers says them."""
    if contract["type"] != "layers" or "containers" not in contract:
        return ""
    return ": " + " → ".join(re.sub(r"\w+", r"`\g<0>`", layer) for layer in contract["layers"])


WRITTEN: dict[Path, dict[str, Callable[[], str]]] = {
    ROOT / "deploy" / "README.md": {"settings": settings_table},
    ROOT / "CONTRIBUTING.md": {"imports": import_rules},
}
"""By page and name: the function that returns what stands at the place of that name."""


def with_written_parts(path: Path) -> str:
    """Return a page with the parts that are written from the code."""
    page = path.read_text()
    for name, part in WRITTEN[path].items():
        page, written = re.subn(
            rf"(<!-- {name} -->\n).*?(<!-- end -->)",
            lambda found, part=part: f"{found[1]}{part()}\n{found[2]}",
            page,
            flags=re.DOTALL,
        )
        assert written == 1, f"{path.name} has no place for {name}"
    return page


def recorded(readme: str, url: str) -> str:
    """Return the README with the answers that its commands get from a server."""
    of_readme = blocks(readme)
    printed = run([block.commands for block in of_readme], url)
    for block, text in reversed(list(zip(of_readme, printed, strict=True))):
        if block.answer is not None:
            kind, documented, start, end = block.answer
            readme = readme[:start] + as_documented(kind, documented, text) + readme[end:]
    return readme


def main() -> int:
    """Write the parts from the code, and record answers that differ in more than ids, tokens and times."""
    for path in WRITTEN:
        path.write_text(with_written_parts(path))
    before = README.read_text()
    with tempfile.TemporaryDirectory() as folder, launching(Path(folder)) as start:
        after = recorded(before, start(SKYE_WORKERS="2", SKYE_DISPATCHERS="1").url)
    if settled(after) == settled(before):
        sys.stdout.write("The README's answers are those of the server.\n")
    else:
        README.write_text(with_documented_values(before, after))
        sys.stdout.write("Updated the README's answers.\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
