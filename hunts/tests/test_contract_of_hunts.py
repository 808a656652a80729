"""The operations of bug hunts: their responses and problems are those of the contract."""

import pytest

from hunts.tests import provoked
from hunts.tests.provoked import REPORT
from skye_hunts.plugin import FEATURE
from tests.contract.checked import CheckedService, Contract, read_document
from tests.contract.test_examples import check_recorded_again
from tests.contract.test_problem_responses import check_provoked
from tests.support.playing import problem_code
from tests.support.provoked import provoked_by

PROVOKED = provoked_by(provoked)


def test_responses_about_hunts_are_in_the_contract():
    contract = Contract(read_document())
    lab = CheckedService(contract, lab=True)
    assert lab.get("/v1/lab/defects/classes")["classes"]
    hunt = lab.call("POST", "/v1/lab/hunts", {"count": 3, "seed": "any"}).json
    path = f"/v1/lab/hunts/{hunt['id']}"
    assert lab.call("POST", "/v1/lab/hunts", {"copy_of": hunt["id"]}).status_code == 201
    assert lab.get(path)["defects"] == 3
    report = {"operation": "list_tiles", "class": "rules", "evidence": [{"path": "/v1/tiles"}]}
    assert lab.call("POST", f"{path}/reports", report).json["verdict"] == "no_difference"
    assert lab.get(f"{path}/score")["false_reports"] == 1
    assert len(lab.get(f"{path}/scores", hunt["key"])["scores"]) == 2
    table = lab.call("GET", f"{path}/scores", token=hunt["key"], headers={"Accept": "text/csv"})
    assert table.status_code == 200
    assert lab.call("POST", f"{path}/reveal", token=hunt["key"]).status_code == 200
    operations = [each for each in contract.operations() if "Bug hunts" in each[2]["tags"]]
    assert operations
    assert not contract.unreceived(operations)


@pytest.mark.parametrize("sentence", PROVOKED)
def test_provoked_problem_has_its_code_and_changes_nothing(sentence, service):
    check_provoked(service, *PROVOKED[sentence])


@pytest.mark.full
def test_examples_recorded_again_are_the_same(tmp_path):
    check_recorded_again("hunts.tests.examples", FEATURE.examples, tmp_path)


def test_every_code_is_provoked():
    assert {code for code, _ in PROVOKED.values()} == FEATURE.errors.keys()


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("GET", "/v1/lab/defects/classes", None),
        ("POST", "/v1/lab/hunts", {}),
        ("GET", "/v1/lab/hunts/none", None),
        ("POST", "/v1/lab/hunts/none/reports", REPORT),
        ("GET", "/v1/lab/hunts/none/score", None),
        ("POST", "/v1/lab/hunts/none/reveal", None),
        ("GET", "/v1/lab/hunts/none/scores", None),
        ("PUT", "/v1/lab/hunts/none/api/v1/games?limit=1", None),
    ],
)
def test_server_that_is_no_lab_refuses_hunts(service, method, path, body):
    assert problem_code(service.call(method, path, body)) == "lab_off"
