"""`skye-server games` and `skye-server players`: what an operator looks up, deletes and blocks.

They work on the store of a server, which may run meanwhile. Players have the ids that the API shows
(`GET /v1/me`): the keys themselves are not stored.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import Any, Final, TypeGuard

import click

from skye_server.cli.stored_games import opened_store, reporting_errors, warn_of_unfinished_restore
from skye_server.commands.current_games import Games
from skye_server.features import installed
from skye_server.games.authorization import player_id, players_of
from skye_server.games.game import Game, Status
from skye_server.games.views.game import visibility_of
from skye_server.settings import Settings
from skye_server.store.codec import StoredFormatError
from skye_server.store.shards import PLAYER_OWNER

_AS_JSON: Final = click.option("--json", "as_json", is_flag=True, help="Print JSON, an object in each line.")
_PREFIX: Final = "skye_"
"""How each key and token begins."""

_WORD: Final = re.compile(r"[A-Za-z0-9:+._-]+")
"""What is shown without quotation marks: ids, times, words of enumerations."""

_STATUSES: Final = click.Choice([str(status) for status in Status])
_TIMES: Final = click.DateTime(["%Y-%m-%d", "%Y-%m-%dT%H:%M", "%Y-%m-%dT%H:%M:%S"])


@contextmanager
def _opened() -> Iterator[Games]:
    with reporting_errors(), opened_store() as store:
        warn_of_unfinished_restore(store)
        yield Games(store, Settings())


@click.group("games")
def games() -> None:
    """Look up and delete games."""


@games.command("list")
@click.option("--status", type=_STATUSES, help="Only games of this status.")
@_AS_JSON
def list_games(status: str | None, as_json: bool) -> None:
    """List all games, private ones too."""
    with _opened() as opened:
        for owner, kind in opened.store.stored():
            game = _readable(opened, owner) if kind == "game" else None
            if game is not None and status in (None, game.status):
                _print(_summary(game), as_json)


@games.command("show")
@click.argument("game")
@_AS_JSON
def show_game(game: str, as_json: bool) -> None:
    """Show a game with its seats, without what is hidden in it."""
    with _opened() as opened:
        found = _game(opened, game)
        seats = [
            {
                "seat": number,
                "name": seat.name,
                "bot": seat.bot,
                "player": player_id(seat.player) if seat.player else None,
            }
            for number, seat in found.taken
        ]
        host = player_id(found.host_player) if found.host_player else None
        _print(_summary(found) | {"host_player": host, "version": found.version, "seats": seats}, as_json)


@games.command("delete")
@click.argument("game", required=False)
@click.option("--status", type=_STATUSES, help="Delete all games of this status, with --before.")
@click.option("--before", type=_TIMES, help="Only games that were created before this time, in UTC.")
@click.option("--yes", is_flag=True, help="Do not ask.")
def delete_game(game: str | None, status: str | None, before: datetime | None, yes: bool) -> None:
    """Delete a game with all that is stored of it, also while it is played; or many games.

    GAME is the id of a game. Without it, all games of --status that were created --before a time are deleted.
    """
    if game is None:
        if status is None or before is None:
            raise click.UsageError("Name a GAME, or --status and --before.")
        _delete_games(status, before.replace(tzinfo=UTC), yes=yes)
        return
    if status is not None or before is not None:
        raise click.UsageError("Name a GAME, or --status and --before, not both.")
    with _opened() as opened:
        found = _game(opened, game)
        if not yes:
            click.confirm(f"Delete {game} ({found.status}, {_shown(_names(found))})?", abort=True)
        while not opened.stored.delete(found, None):
            found = _game(opened, game)
    click.echo(f"Deleted {game}.", err=True)


def _delete_games(status: str, before: datetime, *, yes: bool) -> None:
    """Delete the games of a status that were created before a time, except those that change meanwhile."""

    def is_meant(game: Game | None) -> TypeGuard[Game]:
        return game is not None and game.status == status and game.created_ms < before_ms

    before_ms, deleted = 1000 * before.timestamp(), 0
    with _opened() as opened:
        ids = [owner for owner, kind in opened.store.stored() if kind == "game"]
        if not yes:
            count = sum(is_meant(_readable(opened, owner)) for owner in ids)
            click.confirm(
                f"Delete {count} games ({status}, created before {before:%Y-%m-%d %H:%M} UTC)?", abort=True
            )
        for owner in ids:
            game = _readable(opened, owner)
            deleted += is_meant(game) and opened.stored.delete(game, None)
    click.echo(f"Deleted {deleted} games.", err=True)


@click.group("players")
def players() -> None:
    """Look up, block and delete players, by the id that `GET /v1/me` shows."""


@players.command("show")
@click.argument("player")
@_AS_JSON
def show_player(player: str, as_json: bool) -> None:
    """Show how many games a player has and has finished, and whether the player is blocked."""
    with _opened() as opened:
        found = _player(opened, player)
        shown: dict[str, Any] = {
            "player": player,
            "blocked": opened.identities.is_blocked(found),
            "games": opened.players.count_games(found, active=False),
            "active_games": opened.players.count_games(found, active=True),
            "past_games": opened.store.history.count(found),
        }
        for feature in installed():
            shown |= feature.counts_of_player(opened.store, found)
        _print(shown, as_json)


_NAMED: Final = click.option("--name", help="Not a player, but the name of a profile.")


@players.command("block")
@click.argument("player", required=False)
@_NAMED
def block_player(player: str | None, name: str | None) -> None:
    """Refuse the key of a player: it creates and joins no games, and reads no list.

    In games in play, the tokens of seats work on. With --name, block the name of a profile instead: the
    profile that has it is deleted, and nobody can claim it.
    """
    _set_blocked(player, name, is_blocked=True)


@players.command("unblock")
@click.argument("player", required=False)
@_NAMED
def unblock_player(player: str | None, name: str | None) -> None:
    """Accept the key of a player again; with --name, let a name be claimed again."""
    _set_blocked(player, name, is_blocked=False)


def _set_blocked(player: str | None, name: str | None, *, is_blocked: bool) -> None:
    if (player is None) == (name is None):
        raise click.UsageError("Name a PLAYER, or --name, not both.")
    with _opened() as opened:
        if player is not None:
            opened.identities.set_blocked(_player(opened, player), is_blocked=is_blocked)
        for feature in installed():
            if name is not None and feature.set_name_blocked is not None:
                try:
                    feature.set_name_blocked(opened.store, name, is_blocked)
                except ValueError as error:
                    raise click.ClickException(str(error)) from error
    click.echo(f"{'Blocked' if is_blocked else 'Unblocked'} {player or name}.", err=True)


@players.command("delete")
@click.argument("player")
@click.option("--yes", is_flag=True, help="Do not ask.")
def delete_player(player: str, yes: bool) -> None:
    """Delete the list of games, the events, the history and the webhooks of a player.

    The games stay for the others. `skye-server rebuild` derives list and history of stored games again.
    """
    with _opened() as opened:
        found = _player(opened, player)
        if not yes:
            count = opened.players.count_games(found, active=False)
            past = opened.store.history.count(found)
            click.confirm(f"Delete the data of {player} ({count} games, {past} past ones)?", abort=True)
        for feature in installed():
            feature.player_deleted(opened.store, found)
        opened.store.players.delete(found)
    click.echo(f"Deleted {player}.", err=True)


def _readable(opened: Games, game_id: str) -> Game | None:
    """Return a game, None if there is none or, after a line that says so, if it cannot be read."""
    try:
        return opened.stored.find(game_id)
    except StoredFormatError as error:
        click.echo(f"{game_id} cannot be read: {error}", err=True)
        return None


def _game(opened: Games, game_id: str) -> Game:
    if _PREFIX in game_id:
        raise click.ClickException("That is a token: GAME is the id of a game, which `games list` shows.")
    found = _readable(opened, game_id)
    if found is None:
        raise click.ClickException(f"There is no game {game_id}.")
    return found


def _player(opened: Games, shown: str) -> str:
    """Return the internal id of a player.

    :raises click.ClickException: if there is no such player. A key, which is a secret, is not repeated.
    """
    if _PREFIX in shown:
        fault = "That is a key, a secret: PLAYER is the id of the player"
        raise click.ClickException(f"{fault}, which `GET /v1/me` with the key and `games show` return.")
    for owner, kind in opened.store.stored():
        if owner.startswith(PLAYER_OWNER):
            if player_id(owner.removeprefix(PLAYER_OWNER)) == shown:
                return owner.removeprefix(PLAYER_OWNER)
        elif kind == "game" and (game := _readable(opened, owner)) is not None:
            for player in players_of(game):
                if player_id(player) == shown:
                    return player
    raise click.ClickException(f"There is no player {shown}.")


def _summary(game: Game) -> dict[str, Any]:
    return {
        "game": game.id,
        "status": str(game.status),
        "visibility": str(visibility_of(game)),
        "created": datetime.fromtimestamp(game.created_ms / 1000, UTC).isoformat(timespec="seconds"),
        "name": game.name,
        "players": _names(game),
    }


def _names(game: Game) -> list[str]:
    return [seat.name for _, seat in game.taken]


def _print(shown: dict[str, Any], as_json: bool) -> None:
    if as_json:
        click.echo(json.dumps(shown, ensure_ascii=False))
    else:
        click.echo("  ".join(f"{name}: {_shown(value)}" for name, value in shown.items()))


def _shown(value: Any) -> str:
    r"""Return a value in one line: words as they are, others as JSON, with escapes for the unprintable.

    So a name looks like no other column.

    >>> _shown(["Jörg", "a\u202eb", "Ann  status: playing"])
    '"Jörg", "a\\u202eb", "Ann  status: playing"'
    >>> _shown("k3v9"), _shown("nobody  players: Ann"), _shown([])
    ('k3v9', '"nobody  players: Ann"', 'nobody')
    """
    if isinstance(value, list) and all(isinstance(name, str) for name in value):
        return ", ".join(map(_quoted, value)) or "nobody"
    return value if isinstance(value, str) and _WORD.fullmatch(value) else _quoted(value)


def _quoted(value: Any) -> str:
    """Return a value as JSON, with escapes for the unprintable."""
    return "".join(
        character if character.isprintable() else json.dumps(character)[1:-1]
        for character in json.dumps(value, ensure_ascii=False)
    )
