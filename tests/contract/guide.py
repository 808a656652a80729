"""The guide's commands and answers: running them, and recording the answers again.

    python -m tests.contract.guide [PAGE ...]

runs the commands of each page, in one shell for each, on a server of its own, and writes the answers into
it, in the form that `tests.contract.readme` describes. A block fenced as `python NAME` is a program that
commands can run by that name; one fenced as `excerpt NAME` shows some lines of a program that the server
sends as a download. The downloads in `SOURCES` are copied from there, the figures are those of the code
(`tests.contract.figures`).
"""

import re
import sys
import tempfile
from pathlib import Path

from skye_server import docs as guide
from tests.contract import readme
from tests.contract.figures import with_figures
from tests.support.launcher import ROOT, launching

SOURCES = {
    path.name: path
    for path in (
        ROOT / "examples/verify_draws.py",
        ROOT / "examples/python/league.py",
        ROOT / "clients/python/skye_client/fold.py",
    )
}
"""What some downloads are copies of."""

NAMES = (guide.FIRST, *guide.PAGES, *guide.PARTS)

_PROGRAM = re.compile(r"(?<=^```python )(\S+)\n(.*?)(?=^```$)", re.MULTILINE | re.DOTALL)
_EXCERPT = re.compile(r"^```excerpt (\S+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def programs(text):
    """Return the programs of a page, by name."""
    return dict(found.groups() for found in _PROGRAM.finditer(text))


def excerpts(text):
    """Yield the names of downloads and their lines that a page shows; `...` stands for others."""
    for name, shown in _EXCERPT.findall(text):
        yield from ((name, lines) for lines in re.split(r"^ *\.\.\.\n", shown, flags=re.MULTILINE))


def recorded(text, url):
    """Return a page with the answers that its commands get from a server."""
    with tempfile.TemporaryDirectory() as folder:
        for name, program in programs(text).items():
            Path(folder, name).write_text(program)
        of_page = readme.blocks(text)
        _, *printed = readme.run([f"cd {folder}", *(block.commands for block in of_page)], url)
    for block, answer in reversed(list(zip(of_page, printed, strict=True))):
        if block.answer is not None:
            kind, documented, start, end = block.answer
            text = text[:start] + readme.as_documented(kind, documented, answer) + text[end:]
    return text


def main(names):
    """Copy downloads, write figures, and record answers that differ in more than ids, tokens and times."""
    for name, path in SOURCES.items():
        Path(str(guide.DOWNLOADS[name])).write_text(path.read_text())
    for name in names or NAMES:
        page = Path(str(guide.file(name)))
        page.write_text(with_figures(page.read_text()))
    with tempfile.TemporaryDirectory() as folder, launching(Path(folder)) as start:
        url = start(SKYE_WORKERS="2", SKYE_DISPATCHERS="1", SKYE_LAB="on").url
        for name in names or NAMES:
            page = Path(str(guide.file(name)))
            before = page.read_text()
            after = recorded(before, url)
            if readme.settled(after) != readme.settled(before):
                page.write_text(readme.with_documented_values(before, after))
                sys.stdout.write(f"Updated the answers of {name}.\n")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
