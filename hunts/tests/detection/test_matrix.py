"""The detection matrix: the page is that of the results, and a run finds what there is."""

from itertools import chain

from hunts.tests.detection import matrix, page
from hunts.tests.detection.defective import COMMAND
from hunts.tests.detection.tools import TOOLS
from skye_hunts.defects import DEFECTS
from tests.support import launcher


def test_page_is_written_from_the_results():
    text = page.PAGE.read_text()
    assert page.written(text, matrix.Matrix().cells) == text, "run `make detection-matrix`"


def test_results_name_defects_that_exist():
    cells = matrix.Matrix().cells
    assert cells.keys() <= TOOLS.keys()
    named = {name for found in cells.values() for name in found if not name.startswith("correct")}
    assert named <= DEFECTS.keys()


def test_each_tool_passes_on_a_correct_server():
    for found in matrix.Matrix().cells.values():
        assert found[matrix.CORRECT]["reported"] == []


def test_warning_of_the_page_comes_before_the_first_defect():
    before, warning, after = page.PAGE.read_text().partition("## Stop here")
    assert warning
    assert not any(name in before for name in DEFECTS)
    assert all(name in after for name in DEFECTS)


def test_groups_have_each_defect_once_and_no_operation_twice():
    groups = matrix.in_groups(matrix.in_turn(DEFECTS))
    assert sorted(chain(*groups)) == sorted(DEFECTS)
    for group in groups:
        changed = [*chain(*map(matrix.changed_operations, group))]
        assert len(changed) == len({*changed})


def test_run_reports_a_defect_and_nothing_on_a_correct_server(tmp_path, monkeypatch):
    monkeypatch.setattr(launcher, "COMMAND", COMMAND)
    run = matrix.Matrix(tmp_path / "results.json")
    run.fill("referee", ["gold_of_others_for_seats"])
    run.fill("referee", ["record_as_plain_text"])  # the referee reads no record: it does not run
    found = matrix.Matrix(tmp_path / "results.json").cells["referee"]
    assert found["correct"]["reported"] == []
    assert found["gold_of_others_for_seats"] == ["Differs"]
    assert found["record_as_plain_text"] == []
