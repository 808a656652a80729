"""A view of a game to which events are applied (a fold)."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import Self

from skye_client import models as m
from skye_client._async.resources import AsyncGame
from skye_client.errors import HistoryLostError
from skye_client.fold import fold


class AsyncGameView:
    """A view of a game that stays current: each event of the game is applied to it (a fold).

    :param game: the game to follow, with the token of its viewer.
    :param data: what `GET /v1/games/{game}` returned.
    """

    def __init__(self, game: AsyncGame, data: m.Game) -> None:
        self.game = game
        self.data = data

    @classmethod
    async def open(cls, game: AsyncGame) -> Self:
        """Load the view of a game."""
        return cls(game, await game.get())

    async def reload(self) -> None:
        """Load the view again."""
        self.data = await self.game.get()

    @property
    def over(self) -> bool:
        """Whether the game is over, so that nothing can change any more."""
        return self.data["status"] in ("finished", "aborted")

    @property
    def my_turn(self) -> bool:
        """Whether the seat of the viewer must act now."""
        seat = self.data["you"]["seat"]
        return seat is not None and seat in self.data["waiting_for"]

    async def follow(self) -> AsyncGenerator[m.Event | None, None]:
        """Yield each event of the game after it was applied to `data`, until the game is over.

        Yields None after the view was loaded again: because the server has lost events, or because an event
        of a type newer than this client says so.

        :raises ApiError: when the game or the token does not exist any more.
        """
        while True:
            try:
                async with aclosing(self.game.events(self.data["last_event"])) as events:
                    async for event in events:
                        if event.get("reload"):
                            break
                        fold(self.data, event)
                        yield event
                    else:
                        return
            except HistoryLostError:
                pass
            await self.reload()
            yield None

    async def until_my_turn(self) -> bool:
        """Wait until the seat of the viewer must act, or the game is over.

        :returns: False when the game is over.
        """
        if not self._may_act_or_over():
            async with aclosing(self.follow()) as events:
                async for event in events:
                    if event is not None and event["type"] != "turn_changed":
                        continue  # more events of the same version follow
                    if self._may_act_or_over():
                        break
        return not self.over

    def _may_act_or_over(self) -> bool:
        return self.my_turn or self.over
