"""The examples in the contract: they are recorded from a live server and match its schemas."""

import json
import re
import subprocess
import sys

import pytest

from skye_server.error_codes import ERROR_CODES
from skye_server.openapi import recorded_examples
from tests.contract import examples
from tests.contract.checked import messages
from tests.contract.example_recorder import ExampleRecorder
from tests.contract.recording import LiveService
from tests.support.launcher import ROOT

WITHOUT = {
    "get_guide": "a page for people",
    "get_guide_page": "a page for people",
    "get_errors": "a page for people",
    "get_reference": "a page for people",
    "get_docs_asset": "a part of a page",
    "get_contract_as_yaml": "the document itself",
    "get_contract_as_json": "the document itself",
    "get_workflows_as_yaml": "a document itself",
    "get_workflows_as_json": "a document itself",
}
"""Operations whose responses need no example, with the reason."""


ELSEWHERE = {
    "data_newer": "formats of stored data, for operators",
    "headers_too_large": "limits of all requests, in the description",
    "uri_too_long": "a limit of all requests, in the description",
    "too_many_requests": "the header RateLimit-Policy",
}
"""Error codes with a number in `detail` that is not in `params`, and where it is."""


def contents(contract):
    """Yield each Media Type Object of the document, as (where, media type object)."""
    for _, _, operation in contract.operations():
        bodies = {"request": operation.get("requestBody", {}), **operation["responses"]}
        for where, body in bodies.items():
            for media_type, content in contract.resolve(body).get("content", {}).items():
                yield (operation["operationId"], where, media_type), content


def listed_examples(contract):
    for _, content in contents(contract):
        yield from content.get("examples", {}).values()


def test_examples_recorded_again_are_the_same(tmp_path):
    check_recorded_again("tests.contract.examples", examples.FILE, tmp_path)


def check_recorded_again(module, file, folder):
    """Check that a module of examples records those of a file: its `groups` without stored examples."""
    # In a process of its own: a thread that another test has left would draw from the fixed random numbers.
    again = folder / "examples.json"
    again.write_text('{"scenes": {}, "problems": {}}')
    program = f"import pathlib, sys; from {module} import groups; from tests.contract.examples import main; "
    program += "sys.exit(main([], pathlib.Path(sys.argv[1]), groups()))"
    subprocess.run([sys.executable, "-c", program, again], cwd=ROOT, check=True)
    assert again.read_text() == file.read_text(), "run `make examples` and see what changed"


def test_group_that_cannot_be_recorded_is_reported_and_the_others_are_recorded():
    def wrong():
        with LiveService() as service:
            ExampleRecorder(service).record("game", "No such game.", "GET", "/v1/games/000000000000")

    reports = []
    groups = {("wrong",): wrong, ("right",): lambda: {"right": "new"}}
    found = examples.recorded(groups, {"wrong": "old", "right": "old", "other": "old"}, reports.append)
    assert found == {"wrong": "old", "right": "new", "other": "old"}
    assert len(reports) == 1
    assert "Not recorded: wrong" in reports[0]
    assert "GET /v1/games/000000000000 -> 404 {" in reports[0]


def test_named_group_is_recorded_and_no_other(tmp_path, monkeypatch):
    monkeypatch.setattr(examples, "groups", lambda: {("lab",): lambda: {"lab": {}}, ("league",): pytest.fail})
    file = tmp_path / "examples.json"
    file.write_text('{"scenes": {"lab": {"get_lab": {}}, "league": {"create_batch": {}}}, "problems": {}}')
    assert examples.main(["lab"], file) == 0
    assert json.loads(file.read_text()) == {
        "scenes": {"lab": {}, "league": {"create_batch": {}}},
        "problems": {},
    }


def test_every_recorded_example_is_in_the_document(document, contract):
    scenes, problems = recorded_examples()
    recorded = [
        (f"{operation}_{name}_{part}", {"summary": example["summary"], "value": example[part]})
        for scene in scenes
        for operation, by_name in scene.items()
        for name, example in by_name.items()
        for part in example.keys() & {"request", "response"}
    ]
    bodies = dict(recorded)
    assert len(bodies) == len(recorded), "two scenes have examples of the same operation and name"
    assert document["components"]["examples"] == problems | bodies
    used = {example["$ref"].rpartition("/")[2] for example in listed_examples(contract)}
    assert used == document["components"]["examples"].keys()


def test_every_listed_example_is_a_reference(contract):
    # openapi-generator warns "Failed to get the schema name: null" of others
    assert all(list(example) == ["$ref"] for example in listed_examples(contract))


def test_every_example_matches_its_schema(contract):
    seen = 0
    for where, content in contents(contract):
        for name, example in content.get("examples", {}).items():
            value = contract.resolve(example)["value"]
            schema = content["schema"]
            if where[2].endswith(("/json", "+json")):
                contract.valid(schema["$ref"].rpartition("/")[2], value, (*where, name))
            else:
                assert isinstance(value, str), where
            if where[2] == "text/event-stream":
                check_stream(contract, value, schema)
            seen += 1
    assert seen > 100


def check_stream(contract, text, schema):
    """Check that each message of a recorded stream matches the component of all messages of the stream."""
    of = schema["$ref"].rpartition("/")[2].removesuffix("EventStream")
    sent = list(messages(text))
    assert len(sent) > 2
    for _, data in sent:
        contract.valid(f"{of}StreamMessage", data)


def test_every_operation_has_examples_of_its_body_and_responses(contract):
    for where, content in contents(contract):
        if where[0] not in WITHOUT:
            assert content.get("examples"), where


def test_every_error_response_has_an_example_of_each_of_its_codes(contract):
    for _, path, operation in contract.operations():
        for reference in operation["responses"].values():
            response = contract.resolve(reference)
            if "x-problem-codes" in response:
                examples = response["content"]["application/problem+json"].get("examples", {})
                assert set(examples) == set(response["x-problem-codes"]), path
                for code, example in examples.items():
                    assert contract.resolve(example)["value"]["code"] == code


def test_every_code_has_an_example(document):
    assert document["components"]["examples"].keys() >= ERROR_CODES.keys()


def test_numbers_in_the_detail_of_a_problem_are_in_its_params():
    recorded = recorded_examples()[1]
    problems = [recorded[code]["value"] for code in ERROR_CODES]
    missing = {
        problem["code"]
        for problem in problems
        for number in re.findall(r"(?<![\w-])-?\d+\b", problem["detail"])
        if int(number) not in problem.get("params", {}).values()
    }
    assert missing == ELSEWHERE.keys()
