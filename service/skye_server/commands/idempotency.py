"""Idempotency: a command that is sent again with its `Idempotency-Key` runs once and gets the same response.

The response itself is not stored. A record of some 100 bytes holds what is needed to rebuild it: a digest of
the request, the version of the game that the command led to, the caller's role, and the nonce from which
the response's tokens derive together with the key, which only the client has. The game of that version is
rebuilt from the event log.

The store keeps the records of the latest `MAX_IDEMPOTENCY_KEYS` keys of a game, each for
`SKYE_IDEMPOTENCY_TTL_S` seconds. A request whose record has expired runs again.
"""

from __future__ import annotations

import zlib
from typing import Final

import msgspec

from skye_server.error_codes import Problem
from skye_server.games.authorization import Caller, TokenSource

RECORD_FORMAT: Final = 1
"""The format of a stored record."""


class IdempotencyRecord(msgspec.Struct, array_like=True, frozen=True):
    """The idempotency record: the stored data from which a response is rebuilt.

    :param now_ms: the time of the response.
    :param retired_token: whether the command itself ended the validity of the caller's token.
    """

    digest: bytes
    version: int
    seat: int | None
    host: bool
    retired_token: bool
    roles: list[str]
    nonce: bytes
    now_ms: int

    @property
    def caller(self) -> Caller:
        """The role of the caller after the command."""
        return Caller(self.seat, self.host)

    def tokens(self, idempotency_key: str) -> TokenSource:
        """Return the source of the tokens in the response, with the same tokens as the first time."""
        tokens = TokenSource(idempotency_key, self.nonce or None)
        for role in self.roles:
            tokens.token(role)
        return tokens


_encoder = msgspec.msgpack.Encoder()
_decoder = msgspec.msgpack.Decoder(IdempotencyRecord)


def encode_record(record: IdempotencyRecord) -> bytes:
    """Return the stored form `FORMAT:CRC32:MSGPACK`."""
    return _encode(_encoder.encode(record))


def _encode(body: bytes) -> bytes:
    return b"%d:%08x:%s" % (RECORD_FORMAT, zlib.crc32(body), body)


def decode_record(stored: bytes) -> IdempotencyRecord:
    """Return a stored record.

    :raises Problem: data_corrupt, data_newer, when it is corrupt or of an unsupported format.
    """
    try:
        number, _, body = stored.split(b":", 2)
        if int(number) > RECORD_FORMAT:
            read = f"this program reads up to format {RECORD_FORMAT}"
            raise Problem("data_newer", f"The idempotency record has format {int(number)}, {read}.")
        if stored != _encode(body):
            raise ValueError("its header or checksum does not match")
        return _decoder.decode(body)
    except (ValueError, msgspec.MsgspecError) as error:
        raise Problem("data_corrupt", f"The idempotency record is corrupt: {error}.") from error
