"""Authentication and authorization: tokens and player keys, the callers that they identify, and their rights.

A token of a seat or host, and an invitation code, has 128 random bits, so its stored hash needs neither salt
nor a slow hash function. Tokens are compared by their hashes in constant time. Each has a prefix by its kind:
`skye_host_`, `skye_seat_`, `skye_invite_`.

A player key is a bearer key that a client generates: one identity for any number of games. It consists of
`skye_key_` and from 22 to 64 characters of base64url, so that 16 random bytes fit and secret scanners
recognise it. A seat stores the id of the player, never the key. The id is the hash of the player's first key,
and stays when the key is replaced. What is bound to a player key needs no token, and has none until the
player requests one.
"""

from __future__ import annotations

import hashlib
import hmac
import re
import secrets
from base64 import urlsafe_b64encode
from string import digits
from typing import Final, NamedTuple

from skye_server.error_codes import Problem
from skye_server.games.game import Game, InvitationEnd, PublicFrom, Role, Status

_PREFIX = "skye_"
_BYTES = 16

HOST_ROLE: Final = "host"
"""The role of the host in `TokenSource`."""

TOKENLESS_ROLE: Final = "bot"
"""The role in `TokenSource`, before its number, of a seat without a token: of a bot, or bound to a key.

Stored idempotency records have it.
"""

INVITE_ROLE: Final = "invite"
"""The role of an invitation code in `TokenSource`, before its number."""

INVITE_PATTERN: Final = r"skye_invite_[A-Za-z0-9_-]{22}"
"""The regular expression of invitation codes."""

_TOKEN = re.compile(r"skye_(?:host|seat|invite|watch)_[A-Za-z0-9_-]{22}")

WATCH_PREFIX: Final = "skye_watch_"
"""How watch codes begin."""

KEY_PREFIX: Final = "key."
"""How `credential_id` begins for a player key; the hash of a token has no full stop."""

PLAYER_KEY_PATTERN: Final = r"skye_key_[A-Za-z0-9_-]{22,64}"
"""The regular expression of player keys."""

MAX_PLAYER_KEY_LENGTH: Final = len("skye_key_") + 64
"""The maximum length of a player key."""

_PLAYER_KEY: Final = re.compile(PLAYER_KEY_PATTERN)


class Caller(NamedTuple):
    """The caller's role: a seat, the host, the holder of an unused invitation code, or none (a spectator).

    And what the caller may see of a game as it is now, which `in_game` decides: nothing without it.

    `watching` is set for a spectator who may read a private game: with the watch code, or with the token of a
    seat that has resigned.
    `has_key` is set for a spectator with a player key.
    `sees_content` is set for a caller who may see more of the game than its players and its status.
    `sees_hints` is set for a caller who may ask for evaluations.
    """

    seat: int | None = None
    host: bool = False
    invited: bool = False
    watching: bool = False
    has_key: bool = False
    sees_content: bool = False
    sees_hints: bool = False

    @property
    def roles(self) -> list[Role]:
        """The roles of the caller; none for a spectator."""
        held = {Role.HOST: self.host, Role.PLAYER: self.seat is not None, Role.INVITED: self.invited}
        return [role for role, holds in held.items() if holds]

    @property
    def is_anonymous(self) -> bool:
        """Whether the caller has no role, and neither a player key nor a code to watch the game."""
        return self.seat is None and not (self.host or self.invited or self.watching or self.has_key)

    def in_game(self, game: Game) -> Caller:
        """Return a caller of this role with what it may see of a game as it is now, also of its past.

        In a game with `public_from` set to `end`, only callers with a seat see the content until it is over.
        A host without a seat does not: a spectator could tell a player what the player cannot see.

        >>> from skye_server.games.game import GameOptions
        >>> options = GameOptions("seed", public_from=PublicFrom.END)
        >>> game = Game("id", "name", "", options, created_ms=0, status=Status.PLAYING)
        >>> [caller.in_game(game).sees_content for caller in (Caller(), Caller(host=True), Caller(seat=1))]
        [False, False, True]
        """
        options = game.options
        is_hidden = options.public_from is PublicFrom.END and game.status is Status.PLAYING
        return self._replace(
            sees_content=not is_hidden or self.seat is not None, sees_hints=options.hints or game.is_over
        )


SPECTATOR = Caller()


class Credentials(NamedTuple):
    """What a request shows of its caller.

    :param player: the id of the player whose key the token is, or empty.
    :param invite: an invitation code that a caller without a role holds.
    :param is_retired: treat a token that no longer has a role as a spectator, instead of refusing it.
    """

    token: str | None = None
    player: str = ""
    invite: str | None = None
    is_retired: bool = False


NO_CREDENTIALS: Final = Credentials()

OWN_SEAT: Final = -1
"""The seat of the caller, whatever its number is: `me` in a path."""


class TokenSource:
    """Derives the tokens that one request issues.

    They derive from a random `nonce` and the request's idempotency key: a retried request gets the same
    tokens, although the store holds neither the tokens nor the key.
    """

    def __init__(self, idempotency_key: str = "", nonce: bytes | None = None) -> None:
        self.nonce = nonce or secrets.token_bytes(_BYTES)
        self._key = idempotency_key.encode()
        self.given: dict[str, str] = {}

    def token(self, role: str) -> str:
        """Return the token for a role: `host`, a seat's number, or `invite` and a number.

        >>> [TokenSource().token(role)[:-22] for role in ("host", "0", "invite0")]
        ['skye_host_', 'skye_seat_', 'skye_invite_']
        """
        digest = hmac.digest(self.nonce, b"%s/%s" % (role.encode(), self._key), "sha256")
        kind = role.rstrip(digits) or "seat"
        self.given[role] = f"{_PREFIX}{kind}_{_text(digest[:_BYTES])}"
        return self.given[role]

    def seat_token(self, seat: int, *, has_token: bool) -> str:
        """Give a seat, with a token or without; return the hash of the token, empty without one."""
        token = self.token(f"{'' if has_token else TOKENLESS_ROLE}{seat}")
        return hash_token(token) if has_token else ""

    @property
    def seat(self) -> tuple[int, str | None] | None:
        """The number of the seat that the request gives, and its token or None; None if it gives no seat."""
        for role, token in self.given.items():
            is_tokenless = role.startswith(TOKENLESS_ROLE)
            return int(role.removeprefix(TOKENLESS_ROLE)), None if is_tokenless else token
        return None

    @property
    def of_caller(self) -> str | None:
        """The token of the caller, whom the request makes the host or gives a seat; None without one."""
        host = self.given.get(HOST_ROLE)
        return host if host is not None or self.seat is None else self.seat[1]

    @property
    def invites(self) -> list[str]:
        """The invitation codes among the tokens that were issued."""
        return [token for role, token in self.given.items() if role.startswith(INVITE_ROLE)]


def is_token(text: str) -> bool:
    """Return whether a string has the format of a token; no IP address and no player key has it.

    >>> is_token(TokenSource().token("host")), is_token("skye_seat_" + 22 * "a"), is_token("192.0.2.1")
    (True, True, False)
    """
    return _TOKEN.fullmatch(text) is not None


def hash_token(token: str) -> str:
    """Return the hash of a token, the only form that is stored."""
    return _text(hashlib.sha256(token.encode()).digest()[:_BYTES])


def invitation_id(hashed: str) -> str:
    """Return the id of an invitation: it derives from the hash of the code, which it does not reveal."""
    return hashlib.sha256(b"invitation\n" + hashed.encode()).hexdigest()[:_BYTES]


def _text(data: bytes) -> str:
    return urlsafe_b64encode(data).decode().rstrip("=")


def is_watch_code(token: str | None) -> bool:
    """Return whether a bearer token has the format of a watch code.

    >>> is_watch_code(watch_code(b"secret of the game", "", "skye_key_...")), is_watch_code("skye_host_")
    (True, False)
    """
    return token is not None and token.startswith(WATCH_PREFIX)


def watch_code(secret: bytes, host: str, credential: str) -> str:
    """Return the code with which spectators read a private game.

    Nothing that is stored suffices to compute it: it derives from a credential of the host too.

    :param secret: the random secret of the game.
    :param host: the hash of the host token, or empty: a new host token gives new codes.
    :param credential: the host token or player key of the host who requests the code.
    """
    digest = hmac.digest(secret, f"watch\n{host}\n{credential}".encode(), "sha256")
    return WATCH_PREFIX + _text(digest[:_BYTES])


def credential_id(token: str) -> str:
    """Return what identifies a token or a player key where the server stores what was made with it.

    >>> credential_id("skye_key_" + 22 * "a")[:4], credential_id("skye_host_" + 22 * "a")[:4]
    ('key.', 'Ryik')
    """
    return f"{KEY_PREFIX}{hash_player_key(token)}" if is_player_key(token) else hash_token(token)


def is_player_key(token: str) -> bool:
    """Return whether a bearer token has the format of a player key; no token of a seat has it.

    >>> is_player_key("skye_key_" + 22 * "a"), is_player_key("skye_seat_" + 22 * "a")
    (True, False)
    """
    return _PLAYER_KEY.fullmatch(token) is not None


def hash_player_key(key: str) -> str:
    """Return the hash of a player key, the only form that is stored."""
    return _text(hashlib.sha256(b"player key\n" + key.encode()).digest()[:_BYTES])


def player_id(player: str) -> str:
    """Return the id of a player in the API: it derives from the internal id, and does not reveal it."""
    return hashlib.sha256(b"player\n" + player.encode()).hexdigest()[:_BYTES]


def identify_player(game: Game, player: str) -> Caller | None:
    """Return the role of a player in a game, None if the player has none there.

    A player may be the host and hold a seat.
    """
    is_host = hmac.compare_digest(game.host_player, player)
    seat = seat_of(game, player)
    return None if seat is None and not is_host else Caller(seat, is_host)


def seat_of(game: Game, player: str) -> int | None:
    """Return the seat of a player in a game, or None."""
    found = None
    for number, seat in enumerate(game.seats):
        if hmac.compare_digest(seat.player, player):
            found = number
    return found


def resigned_seat_of(game: Game, player: str) -> int | None:
    """Return the seat from which a player has resigned, or None. The player has no role by it."""
    resigned = [number for number, seat in enumerate(game.seats) if player and seat.resigned_player == player]
    return resigned[0] if resigned else None


def is_of_resigned_seat(game: Game, token: str | None) -> bool:
    """Return whether a token is the one that a seat had before its player resigned. It gives no role."""
    if token is None:
        return False
    hashed = hash_token(token)
    return any(hmac.compare_digest(seat.resigned_token, hashed) for seat in game.seats)


def _holder_of(game: Game, token: str) -> Caller | None:
    """Return the role that a token has in a game, None if it has none there."""
    hashed = hash_token(token)
    found = None
    if hmac.compare_digest(game.host, hashed):
        found = Caller(host=True)
    for invite in game.invites:
        if hmac.compare_digest(invite, hashed):
            found = Caller(invited=True)
    for number, seat in enumerate(game.seats):
        if hmac.compare_digest(seat.token, hashed):
            found = Caller(seat=number)
    return found


def _end_of_invitation(game: Game, token: str) -> InvitationEnd | None:
    """Return why a token that was an invitation code of a game is no longer valid; None if it was none."""
    hashed = hash_token(token)
    found = None
    for ended in game.ended_invites:
        if hmac.compare_digest(ended.code, hashed):
            found = ended.end
    return found


def _require_no_ended_invitation(game: Game, credentials: Credentials) -> None:
    """Check that a caller without a role sends no invitation code that is no longer valid.

    Only the holder of the code learns that it was one.

    :raises Problem: invitation_over.
    """
    for token in (credentials.token, credentials.invite):
        end = None if token is None else _end_of_invitation(game, token)
        if end is not None:
            detail = f"The invitation is over: {end.meaning}"
            raise Problem("invitation_over", detail, invitation_end=end)


def identify(game: Game, credentials: Credentials) -> Caller | None:
    """Return the role of a caller by the token or the player key; None if it has none in the game."""
    if credentials.player:
        return identify_player(game, credentials.player)
    return SPECTATOR if credentials.token is None else _holder_of(game, credentials.token)


def caller_of(game: Game, credentials: Credentials, *, watches: bool = False) -> Caller:
    """Return the caller of a request; a player key without a role is a spectator.

    A player who has resigned is a spectator too, also of a private game: by the player key, or by the token
    that the seat had.

    :param watches: whether the token is a valid watch code of the game.
    :raises Problem: invitation_over; game_not_found, for a private game; token_unknown.
    """
    if watches:
        return Caller(watching=True)
    caller = identify(game, credentials)
    if caller in (None, SPECTATOR) and credentials.invite is not None:
        invited = _holder_of(game, credentials.invite)
        caller = invited if invited is not None and invited.invited else caller
    if caller is None and credentials.is_retired:
        return SPECTATOR
    if caller in (None, SPECTATOR):
        _require_no_ended_invitation(game, credentials)
    if game.private and caller in (None, SPECTATOR) and resigned_seat_of(game, credentials.player) is None:
        if is_of_resigned_seat(game, credentials.token):
            return Caller(watching=True)
        raise Problem("game_not_found")
    if caller is None and not credentials.player:
        raise Problem("token_unknown")
    return caller or Caller(has_key=True)


def players_of(game: Game | None) -> frozenset[str]:
    """Return the ids of the players that have a role in a game or have resigned; none if there is no game."""
    if game is None:
        return frozenset()
    players = [player for seat in game.seats for player in (seat.player, seat.resigned_player)]
    return frozenset(filter(None, (game.host_player, *players)))


def require_own_seat(game: Game, caller: Caller, seat: int) -> int:
    """Check that the caller holds a seat.

    :returns: the number of the seat.
    :raises Problem: seat_not_found, token_required, not_your_seat.
    """
    seat = require_seat(game, caller, seat)
    if caller.seat == seat:
        return seat
    if caller.is_anonymous:
        raise Problem("token_required")
    raise Problem("not_your_seat", f"The token is not that of seat {seat}.", seat=seat)


def require_own_seat_or_host(game: Game, caller: Caller, seat: int) -> int:
    """Check that the caller holds a seat that is taken, or is the host.

    :returns: the number of the seat.
    :raises Problem: seat_not_found, token_required, not_your_seat.
    """
    number = require_seat(game, caller, seat)
    return number if caller.host else require_own_seat(game, caller, number)


def require_seat(game: Game, caller: Caller, seat: int) -> int:
    """Check that a game has a seat that is taken.

    :param seat: the number of the seat, or `OWN_SEAT`.
    :returns: the number of the seat.
    :raises Problem: seat_not_found; for `OWN_SEAT` token_required, not_your_seat.
    """
    if seat == OWN_SEAT:
        if caller.is_anonymous:
            raise Problem("token_required")
        if caller.seat is None:
            raise Problem("not_your_seat", "The token holds no seat.")
        return caller.seat
    if seat >= len(game.seats) or game.seats[seat].is_free:
        raise Problem("seat_not_found", seat_count=game.capacity)
    return seat


def require_no_seat(game: Game, player: str) -> None:
    """Check that a player holds no seat.

    :param player: the id of the player, empty for a caller without a player key.
    :raises Problem: already_seated.
    """
    seat = seat_of(game, player) if player else None
    if seat is not None:
        raise Problem("already_seated", f"The player of this key holds seat {seat}.", seat=seat)


def require_content(caller: Caller) -> None:
    """Check that a caller may see the content of a game.

    :raises Problem: not_public_yet.
    """
    if not caller.sees_content:
        raise Problem("not_public_yet")


def require_hints(caller: Caller) -> None:
    """Check that a caller may ask for hints: the game has them, or is over.

    :raises Problem: hints_off.
    """
    if not caller.sees_hints:
        raise Problem("hints_off")


def require_host(caller: Caller) -> None:
    """Check that the caller is the host.

    :raises Problem: token_required, host_only.
    """
    if caller.host:
        return
    raise Problem("token_required" if caller.is_anonymous else "host_only")
