"""Bots at URLs among the players of a request: prepare them, and show their secrets in the response."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from skye_server.commands.attempts import Command
from skye_server.contract.responses.changes import SeatTokenView
from skye_server.error_codes import ERROR_CODES, Problem
from skye_server.http.framework import collaborators
from skye_server.http.rate_limits import charge_webhook_request
from skye_server.webhooks.bots import delete_bots, urls_of


def prepared_bots(command: Command, bodies: Sequence[dict[str, Any]], pointer: str) -> Mapping[str, str]:
    """Prepare the bots at URLs of the games to create; return their secrets by their ids.

    :param pointer: the pointer to each body, with `{}` for its index.
    :raises Problem: too_many_requests, what `UrlBots.prepare` raises.
    """
    players = [
        (f"{pointer.format(number)}/players/{index}", player)
        for number, body in enumerate(bodies)
        for index, player in enumerate(body.get("players", ()))
    ]
    return _prepared(command, players)


@contextmanager
def prepared_bot(command: Command, player: dict[str, Any]) -> Iterator[str | None]:
    """Prepare the bot at a URL of a body, and yield its secret; None if there is no such bot.

    If the request is refused, the bot is deleted again, unless an earlier attempt has stored it.

    :raises Problem: too_many_requests, what `UrlBots.prepare` raises.
    """
    started_ms = collaborators().games.now_ms()
    secrets = _prepared(command, [("", player)])
    try:
        yield next(iter(secrets.values()), None)
    except Problem as problem:
        if ERROR_CODES[problem.code].status < 500:
            delete_bots(collaborators().games.store, *secrets, since_ms=started_ms)
        raise


def _prepared(command: Command, players: Sequence[tuple[str, dict[str, Any]]]) -> Mapping[str, str]:
    for _ in urls_of(player for _, player in players):
        charge_webhook_request()
    return collaborators().url_bots.prepare(command, players)


def show_secrets(seats: Iterable[SeatTokenView], body: Mapping[str, Any], secrets: Mapping[str, str]) -> None:
    """Add the secrets of bots at URLs to the seats of a new game."""
    players = [player for player in body.get("players", ()) if "invite" not in player]
    for seat, player in zip(seats, players, strict=False):
        if "url_bot" in player:
            seat["secret"] = secrets[player["url_bot"]]
