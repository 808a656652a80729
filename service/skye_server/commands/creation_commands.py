"""Commands that create games: one, up to a hundred at once, or a rematch.

The id of a rematch derives from the old one. So every player sends the same request: the first opens the
new game, and the others find it and take the seats that are reserved for them.
"""

from __future__ import annotations

import hashlib
import secrets
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final, TypeAlias

from msgspec.structs import replace

from skye import RuleError
from skye_server.commands.attempts import Attempt, Command, change_game, decode_record, id_from, load_new
from skye_server.commands.current_games import Games
from skye_server.commands.views import (
    CreatedGamesView,
    CreatedGameTokensView,
    CreatedGameView,
    created_view,
)
from skye_server.cooperative_yield import pause
from skye_server.error_codes import FieldError, Problem
from skye_server.games import lobby
from skye_server.games.authorization import (
    Caller,
    Credentials,
    TokenSource,
    hash_token,
    identify,
    is_player_key,
    require_host,
)
from skye_server.games.creation import NewGame, check_first_seat, opening_of
from skye_server.games.game import Game, Seat, SeedSource, Status, free_name
from skye_server.games.transitions import Transition
from skye_server.store.shards import key_of


def create_game(games: Games, command: Command, body: dict[str, Any]) -> Attempt[Game]:
    """Create a game: a new one, or one that begins from a record, a position or a scenario.

    :raises Problem: player_key_only, game_full, color_taken, name_taken, invalid_body, invalid_setup,
        game_not_over, too_many_games, storage_full.
    :raises RuleError: InvalidRecord, InvalidSetup.
    """
    open_game = opening_of(body)

    def create(new: Attempt[Game | None]) -> Transition:
        games.store.reserve.check(key_of(new.game_id, "game"))
        return open_game(NewGame(new.game_id, new.tokens, new.now_ms, games.settings.ruleset.id, new.player))

    return change_game(games, command, "", lambda _new: None, create, load=load_new)


def create_games(games: Games, command: Command, bodies: Sequence[dict[str, Any]]) -> CreatedGamesView:
    """Create several games, after checking that all of them can be created.

    Each game is committed separately, under an idempotency key that derives from the key of the command and
    the number of the game: games are in different slots of a cluster, so no commit can write two of them. A
    retry after a failure returns the games that exist and creates the others.

    :raises Problem: what `create_game` raises, with the pointer to the game that cannot be created.
    """
    command.check_key()
    for number, body in enumerate(bodies):
        _check(number, body, NewGame("", TokenSource(), games.now_ms(), games.settings.ruleset.id))
        pause()
    created = (create_game(games, command.part(number), body) for number, body in enumerate(bodies))
    return {"games": [_tokens_of(created_view(new)) for new in created]}


def _tokens_of(created: CreatedGameView) -> CreatedGameTokensView:
    """Return the id of a new game and its tokens, without the game."""
    return {
        "game_id": created["game"]["id"],
        "host_token": created["host_token"],
        "players": created["players"],
        "invitations": created["invitations"],
    }


def _check(number: int, body: dict[str, Any], new: NewGame) -> None:
    """Check that one of several games can be created.

    :raises Problem: what its creation would raise, with pointers to the game.
    """
    try:
        opening_of(body)(new)
    except (Problem, RuleError) as error:
        inner = (
            error.errors if isinstance(error, Problem) and error.errors else [FieldError("", error.detail)]
        )
        errors = [FieldError(f"/games/{number}{fault.place}", fault.detail) for fault in inner]
        problem = Problem(error.code, error.detail, errors=errors)
        problem.params = error.params if isinstance(error, Problem) else error.facts
        raise problem from error


MAX_ABORTED: Final = 16
"""How many rematches of a game can be aborted and opened again: each request for one loads them all."""


CopyBot: TypeAlias = Callable[[str, str], str]
"""Stores a bot at a URL again, for the game with an id, and returns its new id."""


def rematch(
    games: Games, command: Command, game_id: str, copy_bot: CopyBot, first_seat: int | None = None
) -> Attempt[Game]:
    """Open the game that follows one that is over, or take the caller's seat in it.

    It starts when all players of the old game have taken their seats; the bots of the old game are seated
    when it is opened.

    :param first_seat: the seat that starts round 1, which the host may name when opening the game; None: the
        one after that of the old game.
    :raises Problem: token_required, not_your_seat, host_only, game_not_over, seat_played_by_bot,
        game_aborted, already_seated, game_already_started, too_many_games, invalid_setup, storage_full.
    """
    old, caller = games.read(game_id, command.token)
    number, seat = _own_seat(old, caller)
    if first_seat is not None:
        require_host(caller)
        check_first_seat(first_seat, len(old.taken))
    has_token = not is_player_key(command.token or "")

    def join(attempt: Attempt[Game | None]) -> Transition:
        new, now_ms = attempt.game, attempt.now_ms
        if new is None:
            games.store.reserve.check(key_of(attempt.game_id, "game"))
        if new is not None and new.status is Status.ABORTED:
            raise Problem("game_aborted")
        opened = (
            _opened(old, attempt.game_id, now_ms, copy_bot, first_seat) if new is None else Transition(new)
        )
        if first_seat not in (None, opened.game.options.first_seat):
            detail = "The new game is open already: its first seat stays."
            raise Problem("invalid_setup", detail, seat_count=opened.game.capacity)
        return _joined(opened, seat, number, attempt.tokens, now_ms, has_token=has_token)

    load = partial(_load_following, old, caller, "" if has_token else seat.player)
    return change_game(games, command, game_id, lambda _attempt: None, join, load=load)


def _load_following(
    old: Game, caller: Caller, player: str, games: Games, command: Command, _game_id: str
) -> Attempt[Game | None]:
    """Load the game that follows, None if it does not exist; `If-Match` applies to the old game.

    :param caller: the role of the caller in the old game.
    :param player: the id of the player whose key the token is, or empty.
    """
    new_id, game, stored_record = _following(games, command.record_key, old)
    now_ms = games.now_ms() if game is None else games.time_of(game)
    record = None if stored_record is None else decode_record(stored_record)
    tokens, credentials = TokenSource(command.idempotency_key or ""), Credentials(command.token, player)
    return Attempt(
        new_id, game, caller, now_ms, old.version, credentials, is_entered=True, tokens=tokens, record=record
    )


def find_rematch(games: Games, game_id: str, token: str | None) -> Game | None:
    """Return the rematch of a game that is over; None until a player requests it.

    A private rematch is found only by callers who have a role in it or a seat reserved: a watch code of the
    old game, or a seat that its player has given up, leads no further.
    """
    old, caller = games.read(game_id, token)
    found = _following(games, None, old)[1] if old.is_over else None
    if found is None or found.status is Status.ABORTED:
        return None
    return found if not found.private or _takes_part(found, old, caller, games, token) else None


def _takes_part(new: Game, old: Game, caller: Caller, games: Games, token: str | None) -> bool:
    """Return whether a caller with a role in the old game has one in the new game, or a seat reserved."""
    known = identify(new, Credentials(token, games.identities.player_of_key(token)))
    if known is not None and known.roles:
        return True
    if caller.seat is None:
        return False
    reservation = _reservation(old.seats[caller.seat])
    held = {seat.reservation for _, seat in new.taken if seat.is_held}
    return reservation in held or reservation in new.invites


def _own_seat(old: Game, caller: Caller) -> tuple[int, Seat]:
    """Return the caller's seat in a game that is over, and its number in the game that follows.

    :raises Problem: token_required, not_your_seat, game_not_over, seat_played_by_bot.
    """
    if caller.seat is None:
        raise Problem("token_required" if caller.is_anonymous else "not_your_seat")
    if not old.is_over:
        raise Problem("game_not_over")
    seat = old.seats[caller.seat]
    if not _plays_again(seat):
        raise Problem("seat_played_by_bot")
    number = [taken for taken, _ in old.taken].index(caller.seat)
    return number, Seat(seat.name, seat.color, seat.token, player=seat.player)


def _plays_again(seat: Seat) -> bool:
    """Return whether a person plays a seat in the rematch, also if a bot or the server has played for it."""
    return seat.is_held and seat.left is None


def _following(games: Games, record_key: str | None, old: Game) -> tuple[str, Game | None, bytes | None]:
    """Return id, game and idempotency record of the game that follows: the first one that is not aborted.

    After too many aborted games it is the last of them.
    """
    number = 0
    while True:
        new_id = id_from(hashlib.sha256(f"rematch/{old.id}/{old.host}/{number}".encode()).digest())
        game, record = games.stored.find_with_record(new_id, record_key)
        if game is None or game.status is not Status.ABORTED or number == MAX_ABORTED:
            return new_id, game, record
        number += 1


def _joined(  # noqa: PLR0913 - all but the first three by their types
    opened: Transition, seat: Seat, number: int, tokens: TokenSource, now_ms: int, *, has_token: bool
) -> Transition:
    """Seat a player in the game that follows, by another name or colour if somebody has the old one.

    :param number: the seat at the table; if the host has seated somebody else there, the lowest free one.
    :param has_token: whether the seat gets a token.
    :raises Problem: already_seated, game_already_started.
    """
    game, reservation = opened.game, _reservation(seat)
    others = [other for _, other in game.taken]
    holds_a_seat = bool(seat.player) and seat.player in {other.player for other in others}
    if holds_a_seat or reservation in {other.reservation for other in others}:
        raise Problem("already_seated", game_id=game.id)
    number = lobby.lowest_free_seat(game) if number in dict(game.taken) else number
    again = replace(
        seat,
        name=free_name(seat.name, [other.name for other in others]),
        color="" if seat.color in {other.color for other in others} else seat.color,
        token=tokens.seat_token(number, has_token=has_token),
        reservation=reservation,
    )
    return opened.then(lobby.join(game, again, now_ms, number=number, invited_by=reservation))


def _opened(old: Game, new_id: str, now_ms: int, copy_bot: CopyBot, first_seat: int | None) -> Transition:
    """Open the game that follows: its bots are seated, and seats are reserved for the players.

    All keep their places at the table. The game is a whole one, whatever the old one began from.
    """
    options = replace(
        old.options,
        first_seat=_first_seat_after(old) if first_seat is None else first_seat,
        seed=secrets.token_hex(16),
        seed_source=SeedSource.SERVER,
        nonce=None,
        host_may_abort=False,
    )
    game = Game(
        id=new_id,
        name=old.name,
        host=old.host,
        options=options,
        created_ms=now_ms,
        capacity=len(old.taken),
        private=old.private,
        start_when_full=True,
        host_player=old.host_player,
        clock_ms=None if old.clock_ms is None else now_ms,
        ruleset_hash=old.ruleset_hash,
    )
    table = [seat for _, seat in old.taken]
    numbers = [number for number, seat in enumerate(table) if not _plays_again(seat)]
    bots = tuple(_bot_again(table[number], new_id, copy_bot) for number in numbers)
    people = tuple(_reservation(seat) for seat in table if _plays_again(seat))
    return lobby.open_game(game, bots, now_ms, numbers=numbers, invites=people)


def _first_seat_after(old: Game) -> int | None:
    """Return the seat after the one that began the old game; None, which draws it, if that never started."""
    state = old.state
    if state is None:
        return None
    first = state.starting_seat - (state.round - 1)  # each round begins one seat further
    return (first + 1) % len(state.players)


def _bot_again(seat: Seat, new_id: str, copy_bot: CopyBot) -> Seat:
    """Return the seat of a bot in the game that follows; one at a URL gets its decisions there too."""
    url_bot = copy_bot(seat.url_bot, new_id) if seat.has_url_bot else ""
    return Seat(seat.name, seat.color, bot=seat.bot, url_bot=url_bot)


def _reservation(seat: Seat) -> str:
    """Return the hash that reserves a seat; no token and no invitation code has it."""
    return hash_token(f"rematch {seat.token} {seat.player}")
