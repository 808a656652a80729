"""`make detection-matrix`: which tool finds which defect of bug hunts out of the box.

Each tool runs on a correct server first, then on a server with one defect. What it reports there, twice, and
not on the correct server, it has found. A tool that requests none of the operations with the defect need not
run. A tool that tests each operation on its own runs on servers with a defect in each of several operations.

The results are in results.json, where a run that was interrupted goes on. The page of the guide is written
from them.
"""

import argparse
import json
import tempfile
import threading
from concurrent.futures import ThreadPoolExecutor
from functools import cache, partial
from itertools import chain
from pathlib import Path

from hunts.tests.detection import page
from hunts.tests.detection.defective import COMMAND, NAMES, REQUESTED
from hunts.tests.detection.tools import TOOLS
from skye_hunts.defects import DEFECTS
from skye_hunts.enums import DEFECT_CLASSES
from tests.contract.checked import Contract, read_document
from tests.support import launcher
from tests.support.json_lines import json_lines

RESULTS = Path(__file__).with_name("results.json")
CORRECT = "correct"
"""The name of the results on a correct server."""

TIMEOUT_S = 600
"""The time of a run; a tool that takes longer has found nothing."""

AT_ONCE = 2
_USED_BY_ALL = {"create_game"}
"""Operations with which tools prepare: a defect there is alone on its server."""

_LOCKS = {tool: threading.Lock() for tool in TOOLS}


class Matrix:
    """The results: what each tool reports, by the name of the defect."""

    def __init__(self, path=RESULTS):
        self._path = path
        self.cells = json.loads(path.read_text()) if path.exists() else {}
        self._lock = threading.Lock()

    def has(self, tool, name):
        """Return whether there is a result."""
        return name in self.cells.get(tool, {})

    def put(self, tool, name, result):
        """Store a result."""
        with self._lock:
            self.cells.setdefault(tool, {})[name] = result
            ordered = {key: dict(sorted(cells.items())) for key, cells in sorted(self.cells.items())}
            lines = json_lines(ordered, dumps=partial(json.dumps, ensure_ascii=False))
            self._path.write_text("\n".join(lines) + "\n")

    def correct(self, tool):
        """Return what a tool reports on a correct server, and what it requests; run it if it has not."""
        with _LOCKS[tool]:
            if not self.has(tool, CORRECT):
                with tempfile.NamedTemporaryFile("r") as requested:
                    reported = run(tool, [], sorted(described_operations()), {REQUESTED: requested.name})
                    operations = sorted(set(requested.read().split()))
                self.put(tool, CORRECT, {"reported": reported, "operations": operations})
        return self.cells[tool][CORRECT]

    def fill(self, tool, names):
        """Run a tool on a server with defects; what it finds must be found again."""
        correct = self.correct(tool)
        known, found = correct["reported"], []
        if known is None:
            found = None
        elif any(changed_operations(name) & {*correct["operations"]} for name in names):
            operations = sorted({*chain(*map(changed_operations, names))})
            found = run(tool, names, operations)
            if found and set(found) - set(known):
                again = run(tool, names, operations) or []
                found = sorted({*found} & {*again} - {*known})
        for name in names:
            mine = {described_operations()[operation] for operation in changed_operations(name)}
            of_defect = [each for each in found or () if len(names) == 1 or each in mine]
            self.put(tool, name, None if found is None else of_defect)


def changed_operations(name):
    """Return the names of the operations that a defect changes."""
    return {*DEFECTS[name].changes}


@cache
def described_operations():
    """Return the method and path of each operation with a defect, by its name."""
    contract = Contract(read_document())
    all_of = {each["operationId"]: f"{method.upper()} {path}" for method, path, each in contract.operations()}
    return {name: all_of[name] for name in {*chain(*map(changed_operations, DEFECTS))}}


def in_groups(names):
    """Return defects in groups that change different operations."""
    groups = []
    for name in names:
        changed = changed_operations(name)
        free = [group for group, taken in groups if not taken & (changed | _USED_BY_ALL)]
        if free and not changed & _USED_BY_ALL:
            free[0].append(name)
            next(taken for group, taken in groups if group is free[0]).update(changed)
        else:
            groups.append(([name], set(changed)))
    return [group for group, _ in groups]


def in_turn(names):
    """Return defects with one of each class after the other."""
    by_class = {kind: [name for name in names if DEFECTS[name].kind == kind] for kind in DEFECT_CLASSES}
    return sorted(names, key=lambda name: by_class[DEFECTS[name].kind].index(name))


def run(tool, names, operations, more=()):
    """Run a tool on a new server with defects; return what it reports, None if it did not end in time."""
    chosen, environ = TOOLS[tool], {NAMES: ",".join(names), **dict(more)}
    with tempfile.TemporaryDirectory(prefix="detection-") as folder:
        own = Path(folder, "tool")
        own.mkdir()
        if chosen.starts_servers:
            return chosen.run("", operations, own, TIMEOUT_S, environ)
        with launcher.launching(Path(folder)) as start:
            server = start(SKYE_LAB="on", SKYE_REDIS_URL="memory://", **environ)
            return chosen.run(server.url, operations, own, TIMEOUT_S, environ)


def main():
    """Fill the matrix, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tool", action="append", choices=TOOLS, help="only this tool")
    parser.add_argument("--defect", action="append", choices=DEFECTS, help="only this defect")
    chosen = parser.parse_args()
    launcher.COMMAND = COMMAND
    matrix = Matrix()
    with ThreadPoolExecutor(AT_ONCE) as pool:
        runs = []
        for tool in chosen.tool or TOOLS:
            left = [name for name in in_turn(chosen.defect or DEFECTS) if not matrix.has(tool, name)]
            groups = in_groups(left) if TOOLS[tool].by_operation else [[name] for name in left]
            runs += [pool.submit(matrix.fill, tool, group) for group in groups]
        for each in runs:
            each.result()
    page.write(matrix.cells)


if __name__ == "__main__":
    main()
