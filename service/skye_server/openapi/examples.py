"""Examples: responses of a live server, recorded by `make examples` and never written by hand."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from pathlib import Path

import msgspec

from skye_server.error_codes import ERROR_CODES
from skye_server.features import installed
from skye_server.http.problems import CONTENT_TYPE
from skye_server.http.responses import JSON
from skye_server.openapi.documented_errors import CODES
from skye_server.openapi.text import Doc


def add_examples(document: Doc) -> None:
    """Add the recorded examples to the requests, responses and error responses of the document.

    Each example is a component: openapi-generator warns of examples that are not references.
    """
    scenes, problems = recorded_examples()
    components = document["components"]["examples"] = dict(problems)
    for operation in _operations(document):
        its_id = operation["operationId"]
        for name, example in chain.from_iterable(scene.get(its_id, {}).items() for scene in scenes):
            prefix = f"{its_id}_{name}"
            if "request" in example:
                components[f"{prefix}_request"] = _example(example, "request")
                _refer(operation["requestBody"], JSON, name, f"{prefix}_request")
            components[f"{prefix}_response"] = _example(example, "response")
            response = operation["responses"][str(example["status"])]
            _refer(response, example["content_type"], name, f"{prefix}_response")
    for response in _error_responses(document):
        for code in filter(problems.__contains__, response[CODES]):
            _refer(response, CONTENT_TYPE, code, code)


def recorded_examples() -> tuple[list[Doc], Doc]:
    """Return the examples of each scene, by operation, and those of error codes; of features too."""
    scenes: list[Doc] = []
    problems: Doc = {}
    files = [Path(__file__).with_name("examples.json"), *(feature.examples for feature in installed())]
    for file in filter(None, files):
        recorded = msgspec.json.decode(file.read_bytes())
        scenes += recorded["scenes"].values()
        problems |= recorded["problems"]
    return scenes, {code: problems[code] for code in sorted(problems) if code in ERROR_CODES}


def _example(recorded: Doc, part: str) -> Doc:
    return {"summary": recorded["summary"], "value": recorded[part]}


def _refer(where: Doc, content_type: str, name: str, component: str) -> None:
    examples = where["content"][content_type].setdefault("examples", {})
    examples[name] = {"$ref": f"#/components/examples/{component}"}


def _operations(document: Doc) -> Iterator[Doc]:
    for path in document["paths"].values():
        yield from (part for part in path.values() if "operationId" in part)


def _error_responses(document: Doc) -> Iterator[Doc]:
    """Yield every error response: those of one operation and the shared ones."""
    responses = [*document["components"]["responses"].values()]
    for operation in _operations(document):
        responses += operation["responses"].values()
    yield from (response for response in responses if CODES in response)
