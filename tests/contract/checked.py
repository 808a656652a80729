"""Validates responses against openapi.yaml, which must describe everything in them."""

import json
import re
from functools import cache
from pathlib import Path

import jsonschema_rs
import yaml
from flask.testing import FlaskClient

from tests.support.playing import Service

OPENAPI_YAML = Path(__file__).parents[2] / "openapi.yaml"
METHODS = ("get", "put", "post", "patch", "delete")
PROBLEM = "application/problem+json"
NDJSON = "application/x-ndjson"

OF_FEATURES = {"Bug hunts", "Lab", "Matchmaking"}
"""The tags of features whose own tests check their responses: a server need not have them."""

ORDINARY_HEADERS = {
    "content-disposition", "content-length", "content-security-policy", "content-type",
    "cross-origin-resource-policy", "date", "last-modified", "referrer-policy", "x-accel-buffering",
    "x-content-type-options",
}  # fmt: skip
"""Headers that any response can have, by HTTP or for browsers."""


def read_document():
    """Return the document in the repository."""
    return yaml.load(OPENAPI_YAML.read_text(), yaml.CSafeLoader)


class Contract:
    """A document, and the parts that responses have covered."""

    def __init__(self, document):
        self.document = document
        self.seen = set()
        self._components = closed(document["components"])
        self._validators = {}
        self._paths = [
            (re.compile("^" + re.sub(r"\\{\w+\\}", "[^/]+", re.escape(path)) + "$"), item)
            for path, item in sorted(document["paths"].items(), key=_literal, reverse=True)
        ]

    def operations(self):
        """Yield each operation: method, path and description."""
        for path, item in self.document["paths"].items():
            for method in METHODS:
                if method in item:
                    yield method, path, item[method]

    def own_operations(self):
        """Yield each operation that every server has."""
        yield from (each for each in self.operations() if not OF_FEATURES.intersection(each[2]["tags"]))

    def unreceived(self, operations):
        """Return the names and statuses of responses, other than problems, that no test has received."""
        promised = {
            (operation["operationId"], status)
            for _, _, operation in operations
            for status in operation["responses"]
            if status < "400"
        }
        return promised - {place[:2] for place in self.seen}

    def resolve(self, thing):
        """Return the target of a reference, or the object itself."""
        while "$ref" in thing:
            found = self.document
            for part in thing["$ref"].removeprefix("#/").split("/"):
                found = found[part]
            thing = found
        return thing

    def operation_at(self, method, path):
        """Return the operation that a request is to, or None when there is none."""
        fitting = (item for pattern, item in self._paths if pattern.match(path))
        return next(fitting, {}).get(method.lower())

    def check(self, method, path, answer):
        """Check that a response conforms to the contract."""
        operation = self.operation_at("get" if method == "HEAD" else method, path)
        if path.startswith("/play/"):  # the table in the browser is a client, and no part of the contract
            return
        if operation is None:
            assert answer.status_code in (404, 405), (method, path, answer.status)
            self.valid("Problem", answer.json)
            return
        responses = operation["responses"]
        status = str(answer.status_code)
        said = self.resolve(responses.get(status, responses["default"]))
        where = (operation["operationId"], status, answer.mimetype)
        if answer.mimetype == PROBLEM and answer.json["code"] not in said["x-problem-codes"]:
            said = self.resolve(responses["default"])
        self.seen.add(where)
        self._check_headers(said, answer, where)
        self._check_body(said, answer, where)
        if answer.mimetype == PROBLEM:
            assert answer.json["code"] in said["x-problem-codes"], (where, answer.json)
            self.seen.add((operation["operationId"], answer.json["code"]))

    def _check_headers(self, said, answer, where):
        headers = {name.lower(): self.resolve(header) for name, header in said.get("headers", {}).items()}
        for name, header in headers.items():
            assert name in answer.headers or not header.get("required"), (where, name)
            schema = header["schema"]
            if name in answer.headers and schema["type"] == "integer":
                assert schema["minimum"] <= int(answer.headers[name]) <= schema["maximum"], (where, name)
            elif name in answer.headers:
                assert len(answer.headers[name]) <= schema.get("maxLength", 1024), (where, name)
        location = answer.headers.get("Location", "")
        if location.startswith("/v1"):
            assert self.operation_at("get", location), (where, location)
        extra = {name.lower() for name, _ in answer.headers} - headers.keys() - ORDINARY_HEADERS
        assert not extra, (where, extra)

    def _check_body(self, said, answer, where):
        content = said.get("content", {})
        if not content:
            assert not answer.data, where
            return
        assert answer.mimetype in content or "*/*" in content, (where, list(content))
        schema = content.get(answer.mimetype, content.get("*/*"))["schema"]
        if answer.mimetype == NDJSON:
            of_lines = self.resolve(schema).get("contentSchema", {"$ref": ""})["$ref"].rpartition("/")[2]
            for line in map(json.loads, answer.text.splitlines()):
                assert isinstance(line, dict), where
                if of_lines:
                    self.valid(of_lines, line, where)
        elif answer.mimetype.endswith("json"):
            self.valid(schema["$ref"].rpartition("/")[2], answer.json, where)
        elif answer.mimetype == "text/event-stream":
            of = schema["$ref"].rpartition("/")[2].removesuffix("EventStream")  # "Player", or "" for a game's
            for name, data in messages(answer.text):
                self.valid(of + {"stream": "StreamStart", "end": "StreamEnd"}.get(name, "Event"), data)
        else:
            assert len(answer.data) <= self.resolve(schema).get("maxLength", 2**21), where

    def valid(self, component, value, where=None):
        """Check that a value matches a component, and has no undocumented field."""
        if component not in self._validators:
            schema = {"$ref": f"#/components/schemas/{component}", "components": self._components}
            self._validators[component] = jsonschema_rs.Draft202012Validator(schema, validate_formats=True)
        faults = [
            f"{'/'.join(map(str, fault.instance_path))}: {fault.message[:300]}"
            for fault in self._validators[component].iter_errors(value)
        ]
        assert not faults, (where, component, faults[:5])


def _literal(entry):
    """Return how much of a path stands fast: of two that fit, the one with more is meant."""
    return len(re.sub(r"{\w+}", "", entry[0]))


def closed(schema):
    """Return schemas that take nothing that only a later version may send: no field, word or type."""
    if isinstance(schema, list):
        return [closed(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    parts = {key: closed(part) for key, part in schema.items()}
    if "x-extensible-enum" in parts:
        parts["enum"] = parts["x-extensible-enum"]
    if "discriminator" in parts:
        parts["oneOf"] = [form for form in parts["oneOf"] if "/Unknown" not in form["$ref"]]
    if isinstance(parts.get("properties"), dict) and parts.get("type") == "object":
        parts.setdefault("additionalProperties", False)
    return parts


def messages(text):
    """Yield the messages of a stream of server-sent events: name, or None, and data."""
    for block in text.split("\n\n"):
        fields = dict(line.split(": ", 1) for line in block.split("\n") if line and line[0] != ":")
        if "data" in fields:
            yield fields.get("event"), json.loads(fields["data"])


@cache
def _client_of(contract):
    class CheckedClient(FlaskClient):
        """A client that accepts only responses that match the contract."""

        def open(self, *args, buffered=True, **kwargs):
            answer = super().open(*args, buffered=buffered, **kwargs)
            contract.check(answer.request.method, answer.request.path, answer)
            return answer

    return CheckedClient


class CheckedService(Service):
    """A service that checks each of its responses against a contract."""

    def __init__(self, contract, **settings):
        super().__init__(**settings)
        self.app.test_client_class = _client_of(contract)
        self.http = self.app.test_client()
