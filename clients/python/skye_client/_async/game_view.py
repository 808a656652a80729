"""A view of a game to which events are applied (a fold)."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping, Sequence
from typing import Any, Final, Self, Unpack

from skye_client import models as m
from skye_client._async.iteration import AsyncIteration
from skye_client._async.resources import AsyncGame, AsyncSeat
from skye_client.errors import ApiError, HistoryLostError
from skye_client.fold import fold
from skye_client.options import CallOptions, ReadOptions

_NOT_AWAY: Final = frozenset({"seat_not_taken_over", "game_finished", "game_aborted"})
"""The problems of a return that was not necessary: the player has returned already, or the game is over."""


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
        self._take(self.data["last_event"], await self.game.get())

    def _take(self, known: int, loaded: m.Game) -> m.Game:
        """Make the view of a response the view, unless later events were applied to the view meanwhile.

        :param known: the last event of the view before the request; a server that lost events returns less.
        """
        if not known <= loaded["last_event"] < self.data["last_event"]:
            self.data = loaded
        return loaded

    @property
    def over(self) -> bool:
        """Whether the game is over, so that nothing can change any more."""
        return self.data["status"] in ("finished", "aborted")

    @property
    def my_turn(self) -> bool:
        """Whether the seat of the viewer must act now."""
        seat = self.data["you"]["seat"]
        return seat is not None and seat in self.data["waiting_for"]

    @property
    def seat(self) -> AsyncSeat:
        """The seat of the viewer.

        :raises LookupError: when the viewer has no seat.
        """
        number = self.data["you"]["seat"]
        if number is None:
            raise LookupError("The viewer of this game has no seat.")
        return self.game.seat(number)

    async def actions(self, **options: Unpack[ReadOptions]) -> Sequence[m.Action]:
        """Return the legal actions of the viewer's seat; `act` has loaded them with its response."""
        view = self.data
        if "actions" not in view:
            view = self._take(view["last_event"], await self.game.get(include=["actions"], **options))
        return view.get("actions", [])

    async def act(self, action: Mapping[str, Any], **options: Unpack[CallOptions]) -> None:
        """Send an action of `actions`; the response becomes the view, with the next legal actions.

        If `follow` has applied later events meanwhile, the view stays, and `actions` loads the legal actions.
        """
        known = self.data["last_event"]
        view = await self.seat.act(action, include=["actions"], **options)
        if view["last_event"] < known:  # a replayed response, or the server has lost events
            view = await self.game.get(include=["actions"])
        self._take(known, view)

    def follow(self) -> AsyncIteration[m.Event | None]:
        """Yield each event of the game after it was applied to `data`, until the game is over.

        The loop may call `act` and `actions`: their view includes events that are yielded after it.

        Yields None after the view was loaded again: because the server has lost events, or because an event
        of a type newer than this client says so.

        :raises ApiError: when the game or the token does not exist any more.
        """
        return AsyncIteration(self._events())

    async def _events(self) -> AsyncGenerator[m.Event | None, None]:
        while True:
            try:
                async with self.game.events(self.data["last_event"]) as events:
                    async for event in events:
                        if event.get("reload"):
                            break
                        if event["id"] > self.data["last_event"]:  # `act` may have taken a newer view
                            fold(self.data, event)
                            self.data.pop("actions", None)
                        yield event
                    else:
                        return
            except HistoryLostError:
                pass
            await self.reload()
            yield None

    async def until_my_turn(self) -> bool:
        """Wait until the seat of the viewer must act, or the game is over.

        A seat that the server has taken over is taken back.

        :returns: False when the game is over.
        """
        await self.take_back_seat()
        if not self._may_act_or_over():
            async with self.follow() as events:
                async for event in events:
                    if event is not None and event["type"] != "turn_changed":
                        continue  # more events of the same version follow
                    await self.take_back_seat()
                    if self._may_act_or_over():
                        break
        return not self.over

    async def take_back_seat(self) -> None:
        """Take the seat of the viewer back, if the server has taken it over."""
        known, number = self.data["last_event"], self.data["you"]["seat"]
        if number is None or self.data["status"] != "playing":
            return
        if self.data["players"][number].get("takeover") is None:
            return
        try:
            self._take(known, await self.seat.return_to_seat())
        except ApiError as error:
            if error.code not in _NOT_AWAY:
                raise
            await self.reload()

    def _may_act_or_over(self) -> bool:
        return self.my_turn or self.over
