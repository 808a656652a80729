"""The one form of every refusal."""

from __future__ import annotations

from service.matches.errors import ERROR_CODES
from service.schemas.fields import MAX_ERRORS, Integer, ListOf, Word
from service.schemas.responses.shape import Answer, Text


class ProblemCode(Word):
    """Why a request was refused. A code never changes its meaning; there may be new ones."""

    choices = ERROR_CODES


class FieldProblem(Answer):
    """What is wrong with one place of a request."""

    pointer = Text(
        "A JSON pointer into the body (empty for the whole of it), or the name of a parameter or header.", 500
    )
    detail = Text("What is wrong with it, in a sentence.", 500)


class Problem(Answer):
    """A refusal (RFC 9457)."""

    optional = ("errors", "action", "reason")

    type = Text(
        "Where the documentation tells of the code.",
        100,
        metadata={"format": "uri-reference", "examples": ["/docs/errors#wrong_phase"]},
    )
    title = Text("The name of the status.", 60, metadata={"examples": ["Conflict"]})
    status = Integer(400, 599, "The status of the answer.")
    detail = Text("Why the request was refused, in a sentence for people.", 1000)
    code = ProblemCode("Why the request was refused, in a word for programs.")
    errors = ListOf(FieldProblem, "The places of the request that are invalid.", length=(1, MAX_ERRORS))
    action = Integer(1, None, "With `invalid_record`: the number of the offending action, from 1.")
    reason = ProblemCode("With `invalid_record`: the code of the rule that the action breaks.")
