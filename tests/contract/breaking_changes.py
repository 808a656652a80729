"""Compare openapi.yaml with that of the last release, and name the changes that break clients.

    python -m tests.contract.breaking_changes [--release]

`--release` writes `released.yaml` beside this file. It holds what the comparison reads of openapi.yaml:
operations, parameters, media types of bodies, and types, fields, words and bounds of schemas, without texts,
examples and headers. Before the first release there is nothing to compare with.
"""

import sys
from pathlib import Path

import yaml

from skye_server.openapi.text import as_yaml

HERE = Path(__file__).parent
RELEASED = HERE / "released.yaml"
CURRENT = HERE.parents[1] / "openapi.yaml"

METHODS = ("get", "put", "post", "patch", "delete")
_SMALLER = ("maximum", "maxLength", "maxItems", "maxProperties")
_GREATER = ("minimum", "minLength", "minItems", "minProperties")
_COMPARED = {
    *METHODS,
    *("operationId", "parameters", "requestBody", "responses", "content", "schema", "in", "name", "$ref"),
    *("type", "enum", "x-extensible-enum", "required", "properties", "items", "oneOf", "anyOf"),
    *_SMALLER,
    *_GREATER,
}
_MAPS = {"responses", "content", "properties"}
"""The keys whose values have names as their keys."""


class Comparison:
    """Two documents, and the breaking changes from the first to the second."""

    def __init__(self, old, new):
        self.old, self.new = old, new
        self.found = []
        self._seen = set()

    def run(self):
        """Compare all operations; return the breaking changes, in words."""
        for path, item in self.old["paths"].items():
            for method in item.keys() & set(METHODS):
                now = self.new["paths"].get(path, {}).get(method)
                where = f"{method.upper()} {path}"
                if now is None:
                    self.found.append(f"{where}: the operation is gone")
                else:
                    self._operation(where, item[method], now)
        return sorted(self.found)

    def _operation(self, where, old, new):
        if old["operationId"] != new["operationId"]:
            self.found.append(f"{where}: operationId {old['operationId']} is now {new['operationId']}")
        self._parameters(where, old, new)
        self._bodies(f"{where} request", old.get("requestBody", {}), new.get("requestBody", {}), asked=True)
        if new.get("requestBody", {}).get("required") and not old.get("requestBody", {}).get("required"):
            self.found.append(f"{where}: the request body is now required")
        for status, response in old["responses"].items():
            if status not in new["responses"]:
                self.found.append(f"{where}: the response {status} is gone")
                continue
            now = self._resolved(self.new, new["responses"][status])
            self._bodies(f"{where} {status}", self._resolved(self.old, response), now, asked=False)

    def _parameters(self, where, old, new):
        before, after = self._by_name(self.old, old), self._by_name(self.new, new)
        for name in before.keys() - after.keys():
            self.found.append(f"{where}: the parameter {name[1]} is gone")
        for name, parameter in after.items():
            if parameter.get("required") and not before.get(name, {}).get("required"):
                self.found.append(f"{where}: the parameter {name[1]} is now required")
            if name in before:
                place = f"{where} parameter {name[1]}"
                self._schema(place, before[name]["schema"], parameter["schema"], asked=True)

    def _by_name(self, document, operation):
        parameters = [self._resolved(document, one) for one in operation.get("parameters", ())]
        return {(parameter["in"], parameter["name"]): parameter for parameter in parameters}

    def _bodies(self, where, old, new, *, asked):
        for media_type, content in old.get("content", {}).items():
            if media_type not in new.get("content", {}):
                self.found.append(f"{where}: {media_type} is gone")
            else:
                now = new["content"][media_type]
                self._schema(where, content.get("schema", {}), now.get("schema", {}), asked=asked)

    def _schema(self, where, old, new, *, asked):
        """Compare two schemas: requests must not take less, and responses not promise less."""
        references = (old.get("$ref"), new.get("$ref"), asked)
        if references[0] and references in self._seen:
            return
        self._seen.add(references)
        if references[0]:
            where = references[0].rpartition("/")[2]
        old, new = self._resolved(self.old, old), self._resolved(self.new, new)
        self._words(where, old, new, asked=asked)
        self._types(where, old, new, asked=asked)
        self._properties(where, old, new, asked=asked)
        self._forms(where, old, new, asked=asked)
        if "items" in old and "items" in new:
            self._schema(f"{where}[]", old["items"], new["items"], asked=asked)
        if asked:
            self._limits(where, old, new)

    def _forms(self, where, old, new, *, asked):
        """Compare the alternatives of a union that are components, or that there is one of."""
        before, after = _forms(old), _forms(new)
        for name, form in before.items():
            if name in after:
                self._schema(where, form, after[name], asked=asked)
            elif asked:
                self.found.append(f"{where}: no longer takes {name}")

    def _types(self, where, old, new, *, asked):
        before, after = _types(old), _types(new)
        lost = before - after if asked else after - before
        if before and after and lost:
            self.found.append(f"{where}: the type is now {' or '.join(sorted(after))}")

    def _words(self, where, old, new, *, asked):
        before, after = set(map(str, old.get("enum", ()))), set(map(str, new.get("enum", ())))
        if asked and before and after and before - after:
            self.found.append(f"{where}: no longer takes {', '.join(sorted(before - after))}")
        if not asked and before and after - before:
            self.found.append(f"{where}: was closed, and now has {', '.join(sorted(after - before))}")
        lost = set(old.get("x-extensible-enum", ())) - set(new.get("x-extensible-enum", ()))
        if lost:
            self.found.append(f"{where}: no longer lists {', '.join(sorted(lost))}")

    def _properties(self, where, old, new, *, asked):
        before, after = old.get("properties", {}), new.get("properties", {})
        for name in before.keys() - after.keys():
            self.found.append(f"{where}.{name}: the field is gone")
        for name in before.keys() & after.keys():
            self._schema(f"{where}.{name}", before[name], after[name], asked=asked)
        required, now = set(old.get("required", ())), set(new.get("required", ()))
        if before and asked and now - required:
            self.found.append(f"{where}: now requires {', '.join(sorted(now - required))}")
        if after and not asked and (required - now) & after.keys():
            self.found.append(f"{where}: may now lack {', '.join(sorted((required - now) & after.keys()))}")

    def _limits(self, where, old, new):
        for name in _SMALLER:
            if name in new and new[name] < old.get(name, new[name] + 1):
                self.found.append(f"{where}: {name} is now {new[name]}")
        for name in _GREATER:
            if name in new and new[name] > old.get(name, 0):
                self.found.append(f"{where}: {name} is now {new[name]}")

    @staticmethod
    def _resolved(document, thing):
        while "$ref" in thing:
            found = document
            for part in thing["$ref"].removeprefix("#/").split("/"):
                found = found[part]
            thing = found
        return thing


def _types(schema):
    """Return the JSON types that a schema names, those of its alternatives among them."""
    named = schema.get("type", [])
    return {named} if isinstance(named, str) else set(named)


def _forms(schema):
    """Return the alternatives of a union by the names of their components."""
    forms = [*schema.get("oneOf", ()), *schema.get("anyOf", ())]
    return {form["$ref"].rpartition("/")[2]: form for form in forms if "$ref" in form}


def compared(document):
    """Return what the comparison reads of a document."""
    kinds = ("schemas", "responses", "parameters")
    components = {kind: _values_compared(document["components"][kind]) for kind in kinds}
    return {"paths": _values_compared(document["paths"]), "components": components}


def _values_compared(named):
    return {name: _part_compared(part) for name, part in named.items()}


def _part_compared(part):
    if isinstance(part, list):
        return [_part_compared(one) for one in part]
    if not isinstance(part, dict):
        return part
    return {
        key: _values_compared(value) if key in _MAPS else _part_compared(value)
        for key, value in part.items()
        if key in _COMPARED
    }


def breaking_changes(old, new):
    """Return the changes from one document to another that break clients, in words."""
    return Comparison(old, new).run()


def main(*arguments):
    """Print the breaking changes since the last release, after `--release` none; return the exit code."""
    current = yaml.load(CURRENT.read_text(), yaml.CSafeLoader)
    if "--release" in arguments:
        RELEASED.write_text(as_yaml(compared(current), length=400))
    if not RELEASED.exists():
        return 0
    found = breaking_changes(yaml.load(RELEASED.read_text(), yaml.CSafeLoader), current)
    sys.stderr.write("".join(f"openapi.yaml breaks clients of the last release: {one}\n" for one in found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
