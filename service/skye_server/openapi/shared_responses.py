"""Responses that several operations have: each is one component, to which the operations refer."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from skye_server.http.problems import title_of
from skye_server.openapi.text import Doc


def share_responses(document: Doc) -> None:
    """Move the responses that several operations have to the components.

    The name of a component is the phrase of its status. If operations share several responses of this status,
    the first operation that has it comes before the phrase.
    """
    uses: dict[tuple[str, bytes], list[Doc]] = {}
    for status, operation in _responses(document):
        encoded = msgspec.json.encode(operation["responses"][status])
        uses.setdefault((status, encoded), []).append(operation)
    shared = {use: operations for use, operations in uses.items() if len(operations) > 1}
    statuses = [status for status, _ in shared]
    components = document["components"]["responses"]
    for (status, _), operations in shared.items():
        first = operations[0]
        name = title_of(int(status)).replace(" ", "")
        if statuses.count(status) > 1 or name in components:
            name = first["operationId"].title().replace("_", "") + name
        components[name] = first["responses"][status]
        for operation in operations:
            operation["responses"][status] = {"$ref": f"#/components/responses/{name}"}
    document["components"]["responses"] = dict(sorted(components.items()))


def _responses(document: Doc) -> Iterator[tuple[str, Doc]]:
    """Yield each response that an operation has itself: its status, and the operation."""
    for path in document["paths"].values():
        for operation in path.values():
            if "operationId" in operation:
                yield from (
                    (status, operation)
                    for status, response in operation["responses"].items()
                    if "$ref" not in response
                )
