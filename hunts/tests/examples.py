"""The examples of bug hunts in the contract, recorded from a live server and never written by hand.

    python -m hunts.tests.examples [NAME ...]

writes `hunts/skye_hunts/examples.json`.
"""

import sys

from hunts.tests import provoked
from skye_hunts.defects import DEFECTS
from skye_hunts.plugin import FEATURE
from skye_server.http.framework import collaborators
from tests.contract.example_problems import of_provoked
from tests.contract.examples import main, of_scenes
from tests.support.provoked import provoked_by


def hunts(recorder):
    """Open a bug hunt and a copy of it, report a defect, and reveal the hunt."""
    recorder.record("classes", "The classes.", "GET", "/v1/lab/defects/classes")
    body = {"name": "A class", "classes": ["contract"], "difficulty": "easy", "count": 1, "seed": "2027"}
    hunt = recorder.record("class", "A hunt of a teacher.", "POST", "/v1/lab/hunts", body)
    path, key = f"/v1/lab/hunts/{hunt['id']}", hunt["key"]
    copy = {"name": "Ann", "copy_of": hunt["id"]}
    recorder.record("copy", "The copy of a student.", "POST", "/v1/lab/hunts", copy)
    recorder.record("hunt", "A hunt.", "GET", path)
    (name,) = collaborators(recorder.service.app).features["hunts"].hunt(hunt["id"]).defects
    defect = DEFECTS[name]
    report = {"operation": defect.operation, "class": "contract", "evidence": list(defect.witness)}
    recorder.record("found", "A report of a defect.", "POST", f"{path}/reports", report)
    recorder.record("score", "All defects are found.", "GET", f"{path}/score")
    recorder.record("scores", "A hunt and its copy.", "GET", f"{path}/scores", token=key)
    recorder.record("table", "As CSV.", "GET", f"{path}/scores", token=key, Accept="text/csv")
    recorder.record("revealed", "The defect.", "POST", f"{path}/reveal", token=key)


def groups():
    """Return the functions that record examples, by the names of the scene or error codes of each."""
    return of_scenes((hunts,), of_lab=(hunts,)) | of_provoked(provoked_by(provoked))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:], FEATURE.examples, groups()))
