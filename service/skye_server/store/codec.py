"""Encode games and log entries for the store, decode them, and read the changes of a game from its log.

A stored game is `FORMAT:VERSION:CRC32:{...}`, a header and JSON. The store compares the version without
reading the JSON. A log entry has the changes of one commit in JSON, or those of a whole game in compressed
JSON, with a header `FORMAT:CRC32`.

A change of a stored value needs a new format number: a program raises `StoredFormatError` for a number that
it does not know (see `deploy/stored-formats.md`).
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import nullcontext
from typing import Any, Final

import msgspec

from skye.events import EVENT_TYPES
from skye_server.cooperative_yield import Computation
from skye_server.error_codes import Problem
from skye_server.games.events import HOSTED_EVENT_TYPES, AnyEvent
from skye_server.games.game import Change, Game
from skye_server.store.commit import LogEntry

FORMAT: Final = 1
"""The format of a stored game."""

LOG_FORMAT: Final = 1
"""The format of a log entry."""

_TYPES: dict[type, str] = {**EVENT_TYPES, **HOSTED_EVENT_TYPES}
_CLASSES: dict[str, type] = {name: kind for kind, name in _TYPES.items()}

_encoder = msgspec.json.Encoder()
_game_decoder = msgspec.json.Decoder(Game)
_changes_decoder = msgspec.json.Decoder(list[tuple[int, int, int, list[list[Any]]]])
_STORED_GAME: Final = b"%d:%d:%08x:%s"
_COMPRESSED: Final = b"z"


class StoredFormatError(Problem):
    """The stored bytes are corrupt, or of a newer format than this program supports (`data_newer`)."""

    def __init__(self, fault: str, code: str = "data_corrupt") -> None:
        super().__init__(code, f"{fault.capitalize()}.")


def encode_game(game: Game) -> bytes:
    """Return the bytes to store for a game."""
    body = _encoder.encode(game)
    return _STORED_GAME % (FORMAT, game.version, zlib.crc32(body), body)


def decode_game(stored: bytes) -> Game:
    """Return a stored game.

    :raises StoredFormatError: when the bytes are corrupt or of a newer format.
    """
    try:
        number, _, _, body = stored.split(b":", 3)
        if int(number) > FORMAT:
            problem = f"the game is stored in format {int(number)}, this program reads up to format {FORMAT}"
            raise StoredFormatError(problem, "data_newer")
        game = _game_decoder.decode(body)
    except (ValueError, msgspec.MsgspecError) as error:
        raise StoredFormatError(f"the stored game is corrupt: {error}") from error
    if stored != _STORED_GAME % (FORMAT, game.version, zlib.crc32(body), body):
        raise StoredFormatError("the stored game is corrupt: its header or checksum does not match")
    return game


def encode_changes(changes: Iterable[Change]) -> bytes:
    """Return the data of a log entry that holds the changes of one commit."""
    return _encoder.encode(
        [
            [
                change.version,
                change.at_ms,
                change.first_event,
                [[_TYPES[type(event)], *event] for event in change.events],
            ]
            for change in changes
        ]
    )


def encode_history(changes: Iterable[Change]) -> bytes:
    """Return the compressed data of a log entry that holds all changes of a game that is over."""
    return _COMPRESSED + zlib.compress(encode_changes(changes), 9)


def entry_header(last_event: int, data: bytes) -> bytes:
    """Return the header to store beside the data of a log entry."""
    return b"%d:%08x" % (LOG_FORMAT, zlib.crc32(b"%d:%s" % (last_event, data)))


def decode_entry(entry: LogEntry) -> Iterator[Change]:
    """Yield the changes that a log entry holds.

    :raises StoredFormatError: when the entry is corrupt or of a newer format.
    """
    try:
        _check_header(entry)
        is_compressed = entry.data.startswith(_COMPRESSED)
        data = zlib.decompress(entry.data[len(_COMPRESSED) :]) if is_compressed else entry.data
        last_event = None
        for version, at_ms, first_event, events in _changes_decoder.decode(data):
            change = Change(version, at_ms, first_event, tuple(_event(*event) for event in events))
            last_event = change.last_event
            yield change
    except (ValueError, KeyError, TypeError, zlib.error, msgspec.MsgspecError) as error:
        raise StoredFormatError(f"an entry of the game's log is corrupt: {error}") from error
    if last_event != entry.last_event:
        raise StoredFormatError("an entry of the game's log is corrupt: its id is another event's")


def _check_header(entry: LogEntry) -> None:
    number = int(entry.header.split(b":")[0])
    if number > LOG_FORMAT:
        problem = f"the log entry is stored in format {number}, this program reads up to format {LOG_FORMAT}"
        raise StoredFormatError(problem, "data_newer")
    if entry.header != entry_header(entry.last_event, entry.data):
        raise ValueError("its header or checksum does not match")


def _event(name: str, *fields: object) -> AnyEvent:
    event: AnyEvent = msgspec.convert(fields, _CLASSES[name])
    return event


_LARGE_LOG_BYTES: Final = 8_192
"""Entries of this size together are decoded in time slices; a game has about 100 bytes for each change."""


def changes_from_log(
    game: Game, after: int, entries: Sequence[LogEntry], limit: int | None = None
) -> list[Change]:
    """Return the changes of a game that have events after number `after`.

    :param limit: the maximum number of entries that were read; the end of the log may then be missing.
    :raises Problem: data_corrupt, data_newer, when an entry is corrupt or missing; server_busy, bad_request.
    """
    changes = [change for change in _decoded(entries) if change.version <= game.version]
    reached = after
    for change in changes:
        if change.first_event > reached + 1:
            break
        reached = max(reached, change.last_event)
    is_cut = limit is not None and len(entries) >= limit and reached > after
    if reached < game.last_event and not is_cut:
        raise Problem("data_corrupt", f"Of the game's log, the events after {reached} are missing.")
    return [change for change in changes if change.last_event > after]


def _decoded(entries: Sequence[LogEntry]) -> list[Change]:
    """Return the changes of log entries, in time slices if they are many.

    :raises StoredFormatError: when an entry is corrupt or of a newer format.
    :raises Problem: server_busy, bad_request.
    """
    is_large = sum(len(entry.data) for entry in entries) > _LARGE_LOG_BYTES
    changes = []
    with Computation() if is_large else nullcontext() as computation:
        for entry in entries:
            for change in decode_entry(entry):
                changes.append(change)
                if computation is not None:
                    computation.checkpoint()
    return changes
