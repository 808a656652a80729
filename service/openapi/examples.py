"""Examples: responses of a live server, recorded by `make examples` and never written by hand."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from service.openapi.components import text_of
from service.openapi.conversion import Doc
from service.openapi.documented_errors import CODES
from service.openapi.operations import JSON
from service.web.problems import CONTENT_TYPE


def add_examples(document: Doc) -> None:
    """Add the recorded examples to the requests, responses and error responses of the document."""
    recorded = msgspec.json.decode(text_of("examples.json"))
    for operation in _operations(document):
        for name, example in recorded["operations"].get(operation["operationId"], {}).items():
            response = operation["responses"][str(example["status"])]
            _add(response, example["content_type"], name, example["summary"], example["response"])
            if "request" in example:
                _add(operation["requestBody"], JSON, name, example["summary"], example["request"])
    problems = recorded["problems"]
    document["components"]["examples"] = problems
    for response in _error_responses(document):
        listed = {
            code: {"$ref": f"#/components/examples/{code}"} for code in response[CODES] if code in problems
        }
        response["content"][CONTENT_TYPE]["examples"] = listed


def _add(where: Doc, content_type: str, name: str, summary: str, value: Any) -> None:
    examples = where["content"][content_type].setdefault("examples", {})
    examples[name] = {"summary": summary, "value": value}


def _operations(document: Doc) -> Iterator[Doc]:
    for path in document["paths"].values():
        yield from (part for part in path.values() if "operationId" in part)


def _error_responses(document: Doc) -> Iterator[Doc]:
    """Yield every error response: those of one operation and the shared ones."""
    responses = [*document["components"]["responses"].values()]
    for operation in _operations(document):
        responses += operation["responses"].values()
    yield from (response for response in responses if CODES in response)
