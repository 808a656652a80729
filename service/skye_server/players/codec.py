"""Encode and decode the stored data of players, receivers and messages: `FORMAT:CRC32:MSGPACK`.

Of past games, of which many are stored for years, the MessagePack is compressed (raw deflate).
As with games (see `store.codec`), a program refuses formats that it does not know.
"""

from __future__ import annotations

import zlib
from typing import Final, Generic, TypeVar

import msgspec

from skye_server.games.past_games import PastGame
from skye_server.games.player_events import FollowedGame, PlayerEvent
from skye_server.store.codec import StoredFormatError

PLAYER_FORMAT: Final = 1
"""The format of these records."""


class KeyRecord(msgspec.Struct, array_like=True, frozen=True):
    """The record of a player key that was replaced, or that has replaced another.

    :param player: the id of the player that the key identifies; empty once the key is replaced.
    :param replaced_by: the hash of the key that replaced it, empty while it is valid.
    :param replaces: the hash of the key that it replaces: it is valid once the record of that key says so.
        Empty for the first key of a player.
    :param is_blocked: whether the operator refuses the key.
    """

    player: str
    replaced_by: str = ""
    replaces: str = ""
    is_blocked: bool = False


T = TypeVar("T")

_RAW: Final = -zlib.MAX_WBITS
"""Makes zlib leave out a header and a checksum of its own."""

_encoder = msgspec.msgpack.Encoder()


class RecordCodec(Generic[T]):
    """Encodes and decodes records of one kind.

    :param name: names the records in errors.
    :param is_compressed: whether the records are stored compressed.
    """

    def __init__(
        self, kind: type[T], name: str = "record of the player", *, is_compressed: bool = False
    ) -> None:
        self._name = name
        self._decoder = msgspec.msgpack.Decoder(kind)
        self._is_compressed = is_compressed

    def encode(self, record: T) -> bytes:
        """Return the bytes to store for a record."""
        body = _encoder.encode(record)
        return _encode(zlib.compress(body, 9, _RAW) if self._is_compressed else body)

    def decode(self, stored: bytes) -> T:
        """Return a stored record.

        :raises StoredFormatError: when it is corrupt or of a newer format.
        """
        try:
            number, _, body = stored.split(b":", 2)
            if int(number) > PLAYER_FORMAT:
                read = f"this program reads up to format {PLAYER_FORMAT}"
                fault = f"a {self._name} is stored in format {int(number)}, {read}"
                raise StoredFormatError(fault, "data_newer")
            if stored != _encode(body):
                raise ValueError("its header or checksum does not match")
            return self._decoder.decode(zlib.decompress(body, _RAW) if self._is_compressed else body)
        except (ValueError, zlib.error, msgspec.MsgspecError) as error:
            raise StoredFormatError(f"a stored {self._name} is corrupt: {error}") from error


def _encode(body: bytes) -> bytes:
    return b"%d:%08x:%s" % (PLAYER_FORMAT, zlib.crc32(body), body)


followed_games: Final = RecordCodec(FollowedGame)
player_events: Final = RecordCodec(PlayerEvent)
key_records: Final = RecordCodec(KeyRecord)
past_games: Final = RecordCodec(PastGame, is_compressed=True)
