"""The YAML of the contract documents has the values that were written, and lines that people can read."""

import json

import pytest
import yaml

from skye_server.openapi.text import as_yaml
from tests.support.json_lines import json_lines

TEXTS = [
    "", " ", " a", "a ", "a: b", "a:", "a #b", "a#b", "- a", "it's", "{a}", "[a, b]", "a,b", "#a", "&a",
    "*a", "!a", "yes", "null", "~", "1", "1e3", "0o7", "0x1f", "1:20", "2026-01-01", "3.1.0", ".5", "=",
    "<<", "?", "%a", "@a", "a\n", "a\n\n", "\na", " a\nb", "a\r\nb", "a\tb", "a\nb\tc", "a\u200bb",
    "\ufeff", "å", "🐑", "\\S", '"a"', "word " * 40, "two  spaces " * 20, "a" * 200, "quoted: " * 30,
]  # fmt: skip


@pytest.mark.parametrize("text", TEXTS)
def test_text_is_read_as_it_was_written(text):
    several = [text, {text: text, "more": [text] * 9, "none": None, "number": 1.5, "empty": [{}, []]}]
    document = {"text": text, text: "a key", "list": several, "value": several, "deep": [[[several]]]}
    assert yaml.load(as_yaml(document), yaml.CSafeLoader) == document
    assert json.loads("\n".join(json_lines(several))) == several


def test_short_collections_are_on_one_line_and_others_are_not():
    schema = {"type": "integer", "minimum": 0, "description": "The number of tiles."}
    document = {"properties": {"tiles": schema, "text": schema | {"description": "A word " * 30}}}
    assert as_yaml(document).splitlines()[:3] == [
        "properties:",
        "  tiles: {type: integer, minimum: 0, description: The number of tiles.}",
        "  text:",
    ]
