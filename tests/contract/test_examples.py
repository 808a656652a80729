"""The examples in the contract: they are recorded from a live server and match its schemas."""

import json
import re
import subprocess
import sys

from skye_server.error_codes import ERROR_CODES
from tests.contract import examples
from tests.support.launcher import ROOT

WITHOUT = {
    "get_guide": "a page for people",
    "get_guide_page": "a page for people",
    "get_errors": "a page for people",
    "get_reference": "a page for people",
    "get_docs_asset": "a part of a page",
    "get_contract_as_yaml": "the document itself",
    "get_contract_as_json": "the document itself",
    "get_typed_contract_as_yaml": "the document itself",
    "get_typed_contract_as_json": "the document itself",
    "get_asyncapi_as_yaml": "a document itself",
    "get_asyncapi_as_json": "a document itself",
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


def test_examples_recorded_again_are_the_same():
    # In a process of its own: a thread that another test has left would draw from the fixed random numbers.
    program = "from tests.contract import examples; print(examples.recorded(), end='')"
    again = subprocess.check_output([sys.executable, "-c", program], cwd=ROOT, text=True)
    assert again == examples.FILE.read_text(), "run `make examples` and see what changed"


def test_every_recorded_example_is_in_the_document(document, contract):
    kept = json.loads(examples.FILE.read_text())
    bodies = {
        f"{operation}_{name}_{part}": {"summary": example["summary"], "value": example[part]}
        for operation, recorded in kept["operations"].items()
        for name, example in recorded.items()
        for part in example.keys() & {"request", "response"}
    }
    assert document["components"]["examples"] == kept["problems"] | bodies
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
            seen += 1
    assert seen > 100


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
    problems = [json.loads(examples.FILE.read_text())["problems"][code]["value"] for code in ERROR_CODES]
    missing = {
        problem["code"]
        for problem in problems
        for number in re.findall(r"(?<![\w-])-?\d+\b", problem["detail"])
        if int(number) not in problem.get("params", {}).values()
    }
    assert missing == ELSEWHERE.keys()
