"""Tables and changes to stored bytes and back.

A stored table is a header and JSON: `FORMAT:VERSION:CRC32:{...}`. The header says which form this is, which
version of the table (so that the store can compare without reading JSON), and whether it arrived whole.
What a newer program wrote, or what is damaged, is refused as `StoredFormatError`, never guessed at.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable
from typing import Any, TypeAlias

import msgspec

from service.matches.match import MATCH_EVENT_TYPES, AnyEvent, Change, Match
from skye import EVENT_TYPES

FORMAT = 1
"""The number of the stored form; a change that older programs cannot read raises it."""

_TYPES: dict[type, str] = {**EVENT_TYPES, **MATCH_EVENT_TYPES}
_CLASSES: dict[str, type] = {name: kind for kind, name in _TYPES.items()}

_encoder = msgspec.json.Encoder()
_table_decoder = msgspec.json.Decoder(Match)
_Plain: TypeAlias = tuple[int, int, int, list[list[Any]]]
_change_decoder = msgspec.json.Decoder(_Plain)
_history_decoder = msgspec.json.Decoder(list[_Plain])
_PACKED = b"z"


class StoredFormatError(Exception):
    """The stored bytes are damaged, or of a form that this program does not know."""


def version_header(version: int) -> bytes:
    """Return how the stored bytes of a table of this version begin."""
    return b"%d:%d:" % (FORMAT, version)


def stored_header(stored: bytes) -> bytes:
    """Return the whole header of a stored table; by its checksum, two of the same version differ."""
    return stored[: stored.index(b"{")]


def encode_match(table: Match) -> bytes:
    """Return the bytes to store for a table."""
    body = _encoder.encode(table)
    return b"%s%08x:%s" % (version_header(table.version), zlib.crc32(body), body)


def decode_match(stored: bytes) -> Match:
    """Return the table that was stored.

    :raises StoredFormatError: when the bytes are damaged or a newer program wrote them.
    """
    try:
        form, _, checksum, body = stored.split(b":", 3)
        if int(form) != FORMAT:
            raise StoredFormatError(
                f"the game is stored in form {int(form)}, this program reads form {FORMAT}"
            )
        if int(checksum, 16) != zlib.crc32(body):
            raise StoredFormatError("the stored game is damaged: its checksum does not match")
        return _table_decoder.decode(body)
    except (ValueError, msgspec.MsgspecError) as error:
        raise StoredFormatError(f"the stored game is damaged: {error}") from error


def encode_change(change: Change) -> bytes:
    """Return the bytes of an entry of the log that holds one change."""
    return _encoder.encode(_plain(change))


def encode_history(changes: Iterable[Change]) -> bytes:
    """Return the bytes of an entry that holds all changes of a game that is over, in little room."""
    return _PACKED + zlib.compress(_encoder.encode([_plain(change) for change in changes]), 9)


def decode_changes(stored: bytes) -> list[Change]:
    """Return the changes that an entry of the log holds.

    :raises StoredFormatError: when the entry is damaged or a newer program wrote it.
    """
    try:
        if stored.startswith(_PACKED):
            plain = _history_decoder.decode(zlib.decompress(stored[len(_PACKED) :]))
        else:
            plain = [_change_decoder.decode(stored)]
        return [
            Change(version, at_ms, first_event, tuple(_event(*event) for event in events))
            for version, at_ms, first_event, events in plain
        ]
    except (ValueError, KeyError, TypeError, zlib.error, msgspec.MsgspecError) as error:
        raise StoredFormatError(f"an entry of the game's log is damaged: {error}") from error


def _plain(change: Change) -> list[Any]:
    events = [[_TYPES[type(event)], *event] for event in change.events]
    return [change.version, change.at_ms, change.first_event, events]


def _event(name: str, *fields: object) -> AnyEvent:
    event: AnyEvent = msgspec.convert(fields, _CLASSES[name])
    return event
