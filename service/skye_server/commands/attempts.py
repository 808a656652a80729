"""Optimistic locking (optimistic concurrency): a command runs in attempts, each on a freshly loaded game.

A command is applied to the game as it was loaded, and committed only if no other request changed the game
since (compare-and-set). After a conflict the command is retried on the game as it is then, at most
`MAX_ATTEMPTS` times. Nothing is locked. A command that creates a game is committed only if no game has the
new id.

Idempotency: a command that is sent again with its `Idempotency-Key` runs once and gets the same response.

The response itself is not stored. A record of some 100 bytes holds what is needed to rebuild it: a digest of
the request, the version of the game that the command led to, the caller's role, and the nonce from which
the response's tokens derive together with the key, which only the client has. The game of that version is
rebuilt from the event log.

The store keeps the records of the latest `MAX_IDEMPOTENCY_KEYS` keys of a game, each for
`SKYE_IDEMPOTENCY_TTL_S` seconds; a caller who sends more of them replaces their own. A request whose record
has expired runs again.
"""

from __future__ import annotations

import hashlib
import secrets
import zlib
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Final, Generic, TypeAlias, TypeVar, cast

import msgspec

from skye_server.commands.current_games import Games
from skye_server.cooperative_yield import charge_stored
from skye_server.error_codes import ErrorPlace, FieldError, Problem
from skye_server.games import autoplay
from skye_server.games.authorization import (
    NO_CREDENTIALS,
    OWN_SEAT,
    SPECTATOR,
    Caller,
    Credentials,
    TokenSource,
    identify,
)
from skye_server.games.game import Game
from skye_server.games.public_counters import counters_for
from skye_server.games.transitions import Transition, revised_kilobytes
from skye_server.store.commit import MAX_ATTEMPTS, StoredRecord, back_off

_ID_ALPHABET = "abcdefghijkmnpqrstuvwxyz23456789"
_ID_LENGTH = 12
_KEY_BYTES: Final = 16

MIN_ANONYMOUS_KEY_LENGTH: Final = 22
"""Characters of a key without a token, which all clients behind one address share a scope with."""

M = TypeVar("M", bound=Game | None)


@dataclass(frozen=True, slots=True)
class Command:
    """The credentials, the idempotency key and the precondition of a command.

    :param digest: identifies method, path and body of the request; empty without an idempotency key.
    :param address: the address of the client.
    :param accepts_version: returns whether the preconditions accept a version of the game; None without any.
    :param invite: an invitation code in addition to the token.
    """

    token: str | None = None
    idempotency_key: str | None = None
    digest: bytes = b""
    address: str = ""
    accepts_version: Callable[[int], bool] | None = None
    invite: str | None = None

    @property
    def record_key(self) -> str | None:
        """The name of the idempotency record: the key is scoped to the token, without one to the address.

        A token always has the format that `is_token` checks, so none can equal the scope of an address.
        """
        if self.idempotency_key is None or (self.token is None and self.has_guessable_key):
            return None
        scope = self.token or f"address:{self.address}"
        return hashlib.sha256(f"{scope}\n{self.idempotency_key}".encode()).hexdigest()[: 2 * _KEY_BYTES]

    @property
    def has_guessable_key(self) -> bool:
        """Whether another client at the address could send the same key: a short one without a token."""
        key = self.idempotency_key
        return key is not None and self.token is None and len(key) < MIN_ANONYMOUS_KEY_LENGTH

    def check_key(self) -> None:
        """Check the idempotency key of a command that needs no token.

        :raises Problem: invalid_parameter.
        """
        if self.has_guessable_key:
            detail = f"Without a token this needs at least {MIN_ANONYMOUS_KEY_LENGTH} characters, at random."
            error = FieldError("Idempotency-Key", detail, ErrorPlace.HEADER)
            raise Problem("invalid_parameter", errors=[error])

    def part(self, number: int) -> Command:
        """Return one of several commands in one request, with an idempotency key that no client can send."""
        key = self.idempotency_key
        return self if key is None else replace(self, idempotency_key=f"{key} {number}")


@dataclass(frozen=True, slots=True)
class Attempt(Generic[M]):
    """One attempt of a command: the game as it was loaded, or as it is committed.

    :param game_id: the id of the game, also of one that is created.
    :param game: the game, None to create one.
    :param caller: the role of the caller.
    :param now_ms: the time by the clock of the game; for a replayed response the time of the first one.
    :param version: the version that the preconditions are compared with; None if they do not apply.
    :param credentials: what the request shows of its caller.
    :param is_entered: whether the game is new to the caller, to whom the command gives the role in it.
    :param tokens: the source of the tokens that the command issues.
    :param record: the idempotency record under the key of the command.
    """

    game_id: str
    game: M
    caller: Caller
    now_ms: int
    version: int | None = None
    credentials: Credentials = NO_CREDENTIALS
    is_entered: bool = False
    tokens: TokenSource = field(default_factory=TokenSource)
    record: IdempotencyRecord | None = None

    @property
    def player(self) -> str:
        """The id of the player whose key the token is, or empty."""
        return self.credentials.player

    def caller_after(self, game: Game) -> Caller | None:
        """Return the caller of the game as the command has changed it; None if the token has lost its role.

        The seat of the caller may have been left, and the start closes the gaps between seats.
        """
        before = self.game
        role: Caller | None = self.caller
        if before is None or self.is_entered:
            role = identify(game, self.credentials if self.player else Credentials(self.tokens.of_caller))
        elif self.credentials.token is not None and not self.caller.watching:
            is_same = game.seats is before.seats and game.host == before.host
            role = role if is_same else identify(game, self.credentials)
        return None if role is None else role.in_game(game)

    def seat(self, seat: int) -> int:
        """Return the number of a seat of a path, which the command has authorized."""
        return self.caller.seat if seat == OWN_SEAT and self.caller.seat is not None else seat

    def check_preconditions(self, command: Command) -> None:
        """Check the idempotency key and the preconditions, after authorization (RFC 9110, 13.2.1).

        :raises Problem: invalid_parameter, idempotency_key_reused, version_mismatch.
        """
        if command.token is None:
            command.check_key()
        if self.record is not None:
            raise Problem("idempotency_key_reused")
        version, accepts = self.version, command.accepts_version
        if version is not None and accepts is not None and not accepts(version):
            detail, headers = f"The game is at version {version}.", {"ETag": f'"{version}"'}
            raise Problem("version_mismatch", detail, headers=headers, version=version)


Load: TypeAlias = "Callable[[Games, Command, str], Attempt[M]]"
"""Loads what a command changes, and authenticates the caller."""


def load_admitted(games: Games, command: Command, game_id: str) -> Attempt[Game]:
    """Load a game with its idempotency record, and its caller.

    :raises Problem: game_not_found, token_unknown, invitation_over.
    """
    stored, stored_record = games.stored.read_with_record(game_id, command.record_key)
    record = None if stored_record is None else decode_record(stored_record)
    is_retired = record is not None and record.digest == command.digest and record.retired_token
    (game, caller), credentials, now_ms = games.admit(
        stored, command.token, invite=command.invite, is_retired=is_retired, acts=True
    )
    tokens = TokenSource(command.idempotency_key or "")
    version = counters_for(game, caller).version
    return Attempt(game_id, game, caller, now_ms, version, credentials, tokens=tokens, record=record)


def change_game(  # noqa: PLR0913 - what a command consists of
    games: Games,
    command: Command,
    game_id: str,
    authorize: Callable[[Attempt[M]], None],
    apply: Callable[[Attempt[M]], Transition],
    *,
    load: Load[M] = load_admitted,  # type: ignore[assignment]  # the default is for a game that exists
) -> Attempt[Game]:
    """Run a command: load, authorize, apply, commit; again after a conflict, with a random growing pause.

    A request that has been committed before gets the result of that time. The caller is authenticated even
    then: with a token that is valid now, or that this request retired. Bots move before the commit.

    :param authorize: raises a problem if the caller must not make the change.
    :param apply: returns the change.
    :returns: the game after the command, with the role of the caller after it, and the tokens it issued.
    :raises Problem: what these functions raise; idempotency_key_reused, version_mismatch, too_many_games,
        too_many_requests.
    """
    for number in range(MAX_ATTEMPTS):
        attempt = load(games, command, game_id)
        record = attempt.record
        if attempt.game is not None and record is not None and record.digest == command.digest:
            return _replayed(games, command, attempt.game, record)
        authorize(attempt)
        attempt.check_preconditions(command)
        transition = _applied(games, attempt, apply)
        if transition.game.next_bot is not None:
            transition = autoplay.play_bots(transition, attempt.now_ms)
        game = transition.game
        if attempt.game is not None and (kilobytes := revised_kilobytes(attempt.game, game)):
            charge_stored(kilobytes)
        caller, tokens, now_ms = attempt.caller_after(game), attempt.tokens, games.time_of(game)
        viewer = caller or SPECTATOR.in_game(game)
        changed = Attempt(game.id, game, viewer, now_ms, game.version, tokens=tokens)
        new = new_record(games, command, changed, attempt.caller, retired_token=caller is None)
        if games.stored.save(attempt.game, transition, new):
            return changed
        back_off(number)
    raise Problem("too_much_contention")


def _applied(games: Games, attempt: Attempt[M], apply: Callable[[Attempt[M]], Transition]) -> Transition:
    """Return the change, which is charged no time of an outage."""
    if attempt.game is None:
        return games.new(apply(attempt))
    added = games.uncharged(attempt.game)
    if not added.changes:
        return apply(attempt)
    return added.then(apply(replace(attempt, game=cast("M", added.game))))


def _replayed(games: Games, command: Command, game: Game, record: IdempotencyRecord) -> Attempt[Game]:
    """Return the result of a request that has been committed before.

    :raises Problem: data_corrupt, data_newer, when the log of the game is lost.
    """
    past = games.stored.history.at_version(game, record.version)
    tokens = record.tokens(command.idempotency_key or "")
    return Attempt(past.id, past, record.caller.in_game(past), record.now_ms, past.version, tokens=tokens)


def load_new(games: Games, command: Command, _game_id: str = "") -> Attempt[Game | None]:
    """Choose the id of a new game, and authenticate the caller.

    With an idempotency key the id derives from the key, so that a retry finds the game and its record.

    :raises Problem: token_unknown, player_key_only.
    """
    game_id, stored, stored_record = _id_of_new(games, command)
    record = None if stored_record is None else decode_record(stored_record)
    game = None if stored is None else games.stored.decoded(game_id, stored)
    player = "" if command.token is None else games.identities.require_player(command.token)
    tokens, credentials = TokenSource(command.idempotency_key or ""), Credentials(command.token, player)
    now_ms = games.now_ms()
    return Attempt(
        game_id, game, SPECTATOR, now_ms, None, credentials, is_entered=True, tokens=tokens, record=record
    )


def _id_of_new(games: Games, command: Command) -> tuple[str, bytes | None, bytes | None]:
    """Return the id of a new game, and what is stored of it if this request has created it before.

    The id is random, or derives from the idempotency key. An older game of this key whose record has expired
    is not used.
    """
    key = command.record_key
    if key is None:
        return id_from(secrets.token_bytes(_ID_LENGTH)), None, None
    for expired in range(MAX_ATTEMPTS):
        game_id = id_from(hashlib.sha256(f"{key}/{expired}".encode()).digest())
        stored, record = games.store.games.load(game_id, key)
        if (stored is None) is (record is None):
            return game_id, stored, record
    raise Problem("too_much_contention")


def new_record(
    games: Games, command: Command, changed: Attempt[Game], before: Caller, *, retired_token: bool = False
) -> StoredRecord | None:
    """Return the idempotency record to store with a commit, None for a command without a key.

    It belongs to the seat of the caller, also to one that the command gives or takes.

    :param before: the role of the caller before the command.
    """
    if command.record_key is None:
        return None
    tokens, caller = changed.tokens, changed.caller
    roles = list(tokens.given)
    record = IdempotencyRecord(
        command.digest,
        changed.game.version,
        caller.seat,
        caller.host,
        retired_token,
        roles,
        tokens.nonce if roles else b"",
        changed.now_ms,
    )
    seat = caller.seat if before.seat is None else before.seat
    owner = "host" if seat is None and before.host else f"{seat}"
    return StoredRecord(command.record_key, encode_record(record), games.settings.idempotency_ttl_s, owner)


def id_from(digest: bytes) -> str:
    """Return the id of a game that derives from a digest."""
    return "".join(_ID_ALPHABET[byte % 32] for byte in digest[:_ID_LENGTH])


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
