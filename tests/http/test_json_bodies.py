"""The JSON of bodies: Python's decoder takes only what a strict decoder takes."""

import msgspec
import pytest

from skye_server.error_codes import Problem
from skye_server.http.request_parsing import decode

TEXTS = [
    b'{"a": [1, -0, 1.5, 1E5, 1e-400, null, true, false, "\\u00e5\\ud83d\\ude00\\/"]}',
    b' {} \r\n\t', b'"\x7f"',
    b"1" * 200, b"1" * 5000, b"1" * 400 + b".5", b"1e400", b"-1e400", b"NaN", b"Infinity", b"-Infinity",
    b"01", b"+1", b"1.", b".5", b"1e", b"0x10", b"-", b"--1",
    b'"\\ud800"', b'["\\udc00\\ud800"]', b'{"\\uD800\\u0041": 1}', b'"\xed\xa0\x80"', b'"\xff"',
    b'"a\x01"', b'"a\tb"',
    b'"\\x41"', b'"\\u12"', b"\xef\xbb\xbf{}", b"\x0b1", b"{} x", b'{"a": 1,}', b"[1,]", b"nul", b"",
    b"{'a': 1}", b"{1: 1}", b"/**/1", "{}".encode("utf-16"), b"\x00", b"[" * 60 + b"]" * 60, b"[" * 3000,
]  # fmt: skip


@pytest.mark.parametrize("text", TEXTS, ids=lambda text: repr(text[:40]))
def test_text_is_decoded_as_by_a_strict_decoder(text):
    try:
        expected = msgspec.json.decode(text)
    except msgspec.ValidationError:
        expected = "invalid_body"
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        expected = "malformed_json"
    try:
        found = decode(text, 262_144)
    except Problem as problem:
        found = problem.code
    assert found == expected
    assert type(found) is type(expected)


@pytest.mark.parametrize(("opening", "closing"), [(b"[", b"]"), (b'{"a":', b"}")])
def test_body_of_more_than_64_levels_is_refused(opening, closing):
    def nested(levels):
        return b"[" + opening * (levels - 1) + b"1" + closing * (levels - 1) + b"]"

    decode(nested(64), 262_144)
    with pytest.raises(Problem) as refused:
        decode(nested(65), 262_144)
    assert refused.value.detail == "The body is nested more than 64 levels deep."
