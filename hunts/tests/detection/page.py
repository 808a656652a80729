"""The tables of `hunts/detection.md`, written from the results."""

from collections import Counter

from hunts.tests.detection.tools import TOOLS
from skye_hunts.defects import DEFECTS
from skye_hunts.enums import DEFECT_CLASSES
from tests.support.launcher import ROOT

PAGE = ROOT / "hunts/detection.md"
_BEGIN = "\n## What each tool finds\n"
_UNFOUND = """
## What no tool finds

No tool that ran has found {} of {} defects: {}.

Most of their responses fit the contract. What is wrong shows in a comparison only: with an earlier response,
with what another caller gets, with the clock, or with the guide. The others fit the contract in the states
and with the requests that the tools reach. A tester has to write the comparison, or to reach the state.

"""


def written(page, cells):
    """Return the page with the tables of the results."""
    shown = {tool: cells.get(tool, {}) for tool in TOOLS}
    return "".join([page.partition(_BEGIN)[0], _BEGIN, "\n", _table(shown), _unfound(shown)])


def _table(cells):
    titles = ["defect", "class", "difficulty", *(TOOLS[tool].title for tool in TOOLS)]
    lines = [_row(titles), "|---" * len(titles) + "|"]
    for kind in DEFECT_CLASSES:
        for name, defect in DEFECTS.items():
            if defect.kind == kind:
                marks = [_mark(cells[tool].get(name, ...)) for tool in TOOLS]
                lines.append(_row([name, kind, defect.difficulty, *marks]))
    counted = {tool: Counter(_mark(cells[tool].get(name, ...)) for name in DEFECTS) for tool in TOOLS}
    sums = [f"{counted[tool]['found']} of {len(DEFECTS) - counted[tool]['not run']}" for tool in TOOLS]
    return "\n".join([*lines, _row(["**found**", "", "", *sums])]) + "\n"


def _row(texts):
    return f"| {' | '.join(texts)} |"


def _mark(reported):
    """Return the text of a cell: `...` stands for a run that was not made."""
    if reported is ...:
        return "not run"
    return "too slow" if reported is None else "found" if reported else ""


def _unfound(cells):
    """Return the list of the defects that no tool finds, with what each breaks."""
    unfound = {
        name: defect for name, defect in DEFECTS.items() if not any(cells[tool].get(name) for tool in TOOLS)
    }
    of_class, left = (Counter(each.kind for each in some.values()) for some in (DEFECTS, unfound))
    by_class = ", ".join(f"{kind} {left[kind]} of {of_class[kind]}" for kind in DEFECT_CLASSES)
    rows = [f"- {name} ({defect.kind}): {defect.breaks.replace('`', '')}" for name, defect in unfound.items()]
    return _UNFOUND.format(len(unfound), len(DEFECTS), by_class) + "\n".join(rows) + "\n"


def write(cells):
    """Write the page."""
    PAGE.write_text(written(PAGE.read_text(), cells))
