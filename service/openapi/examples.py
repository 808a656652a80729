"""Examples: answers that a live server gave, recorded by `make examples` and never written by hand."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from service.openapi.components import told_in
from service.openapi.conversion import Doc
from service.openapi.operations import CODES, JSON
from service.web.problems import CONTENT_TYPE


def add_examples(document: Doc) -> None:
    """Put the recorded examples where they belong: in requests, answers and refusals."""
    recorded = msgspec.json.decode(told_in("examples.json"))
    for operation in _operations(document):
        for name, example in recorded["operations"].get(operation["operationId"], {}).items():
            answer = operation["responses"][str(example["status"])]
            _add(answer, example["content_type"], name, example["summary"], example["answer"])
            if "request" in example:
                _add(operation["requestBody"], JSON, name, example["summary"], example["request"])
    refusals = recorded["refusals"]
    document["components"]["examples"] = refusals
    for refusal in _refusals(document):
        listed = {
            code: {"$ref": f"#/components/examples/{code}"} for code in refusal[CODES] if code in refusals
        }
        refusal["content"][CONTENT_TYPE]["examples"] = listed


def _add(where: Doc, content_type: str, name: str, summary: str, value: Any) -> None:
    examples = where["content"][content_type].setdefault("examples", {})
    examples[name] = {"summary": summary, "value": value}


def _operations(document: Doc) -> Iterator[Doc]:
    for path in document["paths"].values():
        yield from (part for part in path.values() if "operationId" in part)


def _refusals(document: Doc) -> Iterator[Doc]:
    """Yield every answer that refuses, those of one operation and those in common."""
    answers = [*document["components"]["responses"].values()]
    for operation in _operations(document):
        answers += operation["responses"].values()
    yield from (answer for answer in answers if CODES in answer)
