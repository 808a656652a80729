"""Quick matches: players with the same criteria wait in a pool, and a game begins when there are enough.

The criteria are the seats and the options of the game. The store forms the group in one step; see
`skye_server.storage.match_pool`. The game is created after that, under the id that the store gave the group.
When a process crashes in between, the next request for one of the group's requests creates the game, and so
does each reader of the games or events of one of the players (`catch_up`).
"""

from __future__ import annotations

import hashlib
import secrets
from dataclasses import dataclass
from typing import Any, Final

import msgspec
from msgspec.structs import replace

from skye_server.commands.attempts import Command, id_from
from skye_server.commands.current_games import Games
from skye_server.error_codes import Problem
from skye_server.games import autoplay, lobby
from skye_server.games.authorization import TokenSource, seat_of
from skye_server.games.creation import new_seat, requested_game
from skye_server.games.game import Seat
from skye_server.games.names import name_key
from skye_server.games.views.game import timestamp
from skye_server.players.codec import Seeker, decoded, seekers
from skye_server.storage.match_pool import NewRequest, StoredRequest

_NAME: Final = "Quick match"

_ADDING_MS: Final = 60_000
"""How long a process may take to add a request to a pool after it has recorded it for the player."""


_REPEATED_MS: Final = 10_000
"""For how long after a match a request with the same criteria counts as sent before the match was known."""

_POOL_LENGTH: Final = 12
"""The length of the part of a request's id that names its pool."""


@dataclass(frozen=True, slots=True)
class QuickMatch:
    """A request for a quick match, as its player sees it."""

    id: str
    state: str
    expires_ms: int
    game: str | None
    seat: int | None

    @property
    def view(self) -> dict[str, Any]:
        """The request as the API shows it."""
        return {
            "id": self.id,
            "status": self.state,
            "expires_at": timestamp(self.expires_ms),
            "game": self.game,
            "seat": self.seat,
        }


def seek_match(
    games: Games, command: Command, name: str, criteria: dict[str, Any], wait_ms: int
) -> QuickMatch:
    """Wait for other players with the same criteria; a game begins if there are enough now.

    A request repeats an older one of the player in this pool that waits, that was matched after this request
    arrived, or that was matched in the last `_REPEATED_MS` and whose game goes on. So requests that a client
    sends at the same time give one game, in whatever order they are processed.

    :param criteria: `seats` and `options`.
    :raises Problem: player_key_required, token_unknown, too_many_games, idempotency_key_reused,
        too_much_contention, store_unavailable, game_unreadable.
    """
    now_ms, player = games.now_ms(), games.identities.require_player(command.token)
    encoded = msgspec.json.encode(criteria, order="deterministic")
    request_id = _request_id(command, encoded)
    seeker = Seeker(name, encoded, command.digest)
    found = games.pools.request(request_id)
    last = games.pools.last_matched(request_id, player)
    is_repeated = bool(last) and _is_recent(games, last, now_ms)
    if found is None and not is_repeated:
        _check_limits(games, player, request_id)
    _claim_key(games, player, command)
    if found is None:
        game_id, expires_ms = id_from(secrets.token_bytes(12)), now_ms + wait_ms
        games.pools.add_seek(player, request_id, now_ms, expires_ms)
        _check_own(games, player, request_id)
        data = seekers.encode(seeker)
        settled = "" if is_repeated else last
        games.pools.join(
            NewRequest(request_id, now_ms, player, data, expires_ms, criteria["seats"], game_id, settled)
        )
        games.metrics.match_sought()
    request = _current(games, player, request_id)
    if request.id != request_id:
        games.pools.remove_seeks(player, [request_id])
    return request


def get_match(games: Games, command: Command, request_id: str) -> QuickMatch:
    """Return a request of the caller.

    :raises Problem: player_key_required, token_unknown, match_not_found, too_much_contention,
        store_unavailable, game_unreadable.
    """
    return _current(games, games.identities.require_player(command.token), request_id)


def cancel_match(games: Games, command: Command, request_id: str) -> QuickMatch:
    """Cancel a request of the caller, unless it is matched; return it.

    :raises Problem: what `get_match` raises.
    """
    player = games.identities.require_player(command.token)
    request = _current(games, player, request_id)
    games.pools.drop_expired(request.id, games.now_ms(), cancel=True)
    request = _current(games, player, request.id)
    games.pools.remove_seeks(player, [request.id])
    return request


def catch_up(games: Games, player: str) -> None:
    """Create the games of a player's groups that a crashed process has not created.

    :raises Problem: too_much_contention, store_unavailable, game_unreadable.
    """
    seeks, now_ms, over = games.pools.seeks(player), games.now_ms(), []
    requests = games.pools.requests(list(seeks))
    for (request_id, since_ms), request in zip(seeks.items(), requests, strict=True):
        if request is not None and not _is_waiting(request, now_ms):
            _current(games, player, request_id)
            over.append(request_id)
        elif request is None and now_ms - since_ms > _ADDING_MS:
            over.append(request_id)
    games.pools.remove_seeks(player, over)


def _request_id(command: Command, criteria: bytes) -> str:
    """Return the id of a request: its pool, then a part from the idempotency key, or random without one."""
    key = command.record_key
    digest = secrets.token_bytes(12) if key is None else hashlib.sha256(f"match/{key}".encode()).digest()
    return id_from(hashlib.sha256(criteria).digest()) + id_from(digest)


def _check_limits(games: Games, player: str, request_id: str) -> None:
    """Check that a player may wait for one more game; a request of the same pool would be repeated.

    :raises Problem: too_many_games, too_much_contention, store_unavailable, game_unreadable.
    """
    catch_up(games, player)
    pools = {other[:_POOL_LENGTH] for other in games.pools.seeks(player)} - {request_id[:_POOL_LENGTH]}
    games.players.check_limit(player, waiting=len(pools))


def _claim_key(games: Games, player: str, command: Command) -> None:
    """Bind the idempotency key of a command, if it has one, to its request.

    :raises Problem: idempotency_key_reused, store_unavailable.
    """
    key = command.record_key
    if key is not None and not games.pools.claim_key(player, key, command.digest):
        raise Problem("idempotency_key_reused")


def _check_own(games: Games, player: str, request_id: str) -> None:
    """Withdraw a request that is not in its pool yet if the key has become that of another player.

    :raises Problem: too_much_contention, store_unavailable, game_unreadable.
    """
    try:
        games.identities.check_own(player)
    except Problem:
        games.pools.remove_seeks(player, [request_id])
        raise


def _is_recent(games: Games, request_id: str, now_ms: int) -> bool:
    """Return whether a request was matched a short time ago, and its game goes on.

    :raises Problem: store_unavailable, game_unreadable.
    """
    request = games.pools.request(request_id)
    if request is None or request.game is None or now_ms - request.matched_ms >= _REPEATED_MS:
        return False
    try:
        game = games.repository.current(request.game)
    except Problem as problem:
        if problem.code != "game_not_found":
            raise
        return True  # it is about to be created
    return not game.is_over and seat_of(game, request.player) is not None


def _is_waiting(request: StoredRequest, now_ms: int) -> bool:
    return request.state == "waiting" and now_ms < request.expires_ms


def _current(games: Games, player: str, request_id: str) -> QuickMatch:
    """Return a request of a player; first drop it if it has expired, or create its game if it is matched.

    :raises Problem: match_not_found, too_much_contention, store_unavailable, game_unreadable.
    """
    request = games.pools.request(request_id)
    now_ms = games.now_ms()
    if request is not None and request.state == "waiting" and not _is_waiting(request, now_ms):
        games.pools.drop_expired(request.id, now_ms)
        request = games.pools.request(request_id)
    if request is None or request.player != player:
        raise Problem("match_not_found")
    seat = None if request.game is None else _seat_in(games, request.game, request)
    return QuickMatch(request.id, request.state, request.expires_ms, request.game, seat)


def _seat_in(games: Games, game_id: str, request: StoredRequest) -> int | None:
    """Return the player's seat in the game of a group; first create the game if it does not exist.

    :raises Problem: too_much_contention, store_unavailable, game_unreadable.
    """
    group = games.pools.group(game_id, request.id)
    if group:
        _create(games, game_id, group)
        games.pools.game_created(game_id, group)
    try:
        return seat_of(games.repository.current(game_id), request.player)
    except Problem as problem:
        if problem.code != "game_not_found":
            raise
        return None  # the game has expired


def _create(games: Games, game_id: str, group: list[StoredRequest]) -> None:
    """Create the game of a group, in seats drawn at random and without a host, unless another process has.

    :raises Problem: too_much_contention, store_unavailable, game_unreadable.
    """
    waiting = [(request.player, decoded(seekers.decode, request.data)) for request in group]
    secrets.SystemRandom().shuffle(waiting)
    options = msgspec.json.decode(waiting[0][1].criteria)["options"]
    body = {"players": waiting, "name": _NAME, "private": False, "start": True, "options": options}
    tokens, now_ms = TokenSource(), games.now_ms()
    game = requested_game(body, game_id, tokens, now_ms)
    seats: tuple[Seat, ...] = ()
    for player, seeker in waiting:
        name = _free_name(seeker.name, seats)
        seats += (replace(new_seat({"name": name}, tokens, seats, player), token=""),)
    transition = autoplay.play_bots(lobby.open_game(game, seats, now_ms), now_ms)
    if games.repository.save(None, transition, limited=False):
        games.metrics.match_formed()


def _free_name(name: str, seats: tuple[Seat, ...]) -> str:
    """Return a name, followed by a number if another player has it."""
    taken, number, free = {name_key(seat.name) for seat in seats}, 1, name
    while name_key(free) in taken:
        number += 1
        free = f"{name[:36]} {number}"
    return free
