"""What the requests that seat players need of bots at URLs; the feature `url_bots` has the bots."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from skye_server.commands.attempts import Command


class NoUrlBots:
    """The bots at URLs of a server without them: no body of a request names one."""

    def of_games(
        self, command: Command, bodies: Sequence[dict[str, Any]], pointer: str = ""
    ) -> Mapping[str, str]:
        """Return the secrets of the bots at URLs of the games to create, by the ids of the bots."""
        del command, bodies, pointer
        return {}

    @contextmanager
    def of_player(self, command: Command, player: dict[str, Any]) -> Iterator[str | None]:
        """Yield the secret of the bot at a URL of a body."""
        del command, player
        yield None

    def copied(self, url_bot: str, game_id: str) -> str:
        """Return the id of a bot for another game."""
        del game_id
        return url_bot
