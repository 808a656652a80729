"""A decision of a bot. A bot is a function `decide(turn) -> action`, here and in leagues of skye-gym."""

from __future__ import annotations

import inspect
import time
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from functools import cached_property
from importlib import import_module
from random import Random
from typing import TYPE_CHECKING, Any, Final, TypeAlias, cast

from skye_client import models as m
from skye_client._async.resources import AsyncSeat
from skye_client._sync.resources import Seat
from skye_client.bot_errors import own_frames
from skye_client.errors import SkyeError
from skye_client.known import is_known

if TYPE_CHECKING:
    from types import ModuleType

    from skye import GameState

_PAGE: Final = 1000


class _Turn:
    """The attributes that every turn has.

    :param view: the view of the seat that must act.
    :param actions: its legal actions.
    :param rng: the source of the bot's random choices; by default a new one.
    :param time_left_ms: the time limit; by default up to the deadline of the seat.
    """

    def __init__(
        self,
        view: m.Game,
        actions: Sequence[m.Action],
        rng: Random | None = None,
        time_left_ms: int | None = None,
    ) -> None:
        self.view, self.actions = view, actions
        self.rng = rng or Random()  # noqa: S311 - moves are no secrets
        self._received = time.monotonic()
        self._limit_ms = _time_limit_ms(view) if time_left_ms is None else time_left_ms

    @property
    def seat(self) -> int:
        """The number of the seat."""
        return cast("int", self.view["you"]["seat"])

    @property
    def time_left_ms(self) -> int | None:
        """The milliseconds until the deadline, 0 after it; None without one."""
        if self._limit_ms is None:
            return None
        return max(0, self._limit_ms - round(1000 * (time.monotonic() - self._received)))

    @property
    def moves(self) -> list[m.Action]:
        """The actions of known types, without `take_back`: each brings the game forward."""
        return [action for action in self.actions if is_known(action) and action["type"] != "take_back"]


class Turn(_Turn):
    """A decision to make.

    :param view: the view of the seat that must act.
    :param actions: its legal actions. That of type `set_offer` is an example; `constraints` defines all.
    :param api_seat: the seat at the server, for requests such as `what_if`; None for a bot at a URL.
    :param rng: the source of the bot's random choices; by default a new one.
    :param time_left_ms: the time limit; by default up to the deadline of the seat.
    """

    def __init__(
        self,
        view: m.Game,
        actions: Sequence[m.Action],
        api_seat: Seat | None = None,
        rng: Random | None = None,
        time_left_ms: int | None = None,
    ) -> None:
        super().__init__(view, actions, rng, time_left_ms)
        self.api_seat = api_seat

    @cached_property
    def game(self) -> GameState:
        """The game as the seat may know it, for the functions of skye-engine, which must be installed.

        Hidden purses are exact, since they follow from the events, which are requested first. Only a bot at a
        URL, which gets no events, has to assume them (see `skye.game_from_view`).

        :raises SkyeError: when skye-engine is not installed, or a request for the events fails.
        """
        engine = _engine()
        events: list[Any] = []
        last = self.view["last_event"] if self.api_seat is not None else 0
        while self.api_seat is not None and _last(events) < last:
            page = self.api_seat.game.event_page(after=_last(events), limit=_PAGE)["events"]
            if not page:
                break
            events += page
        return cast("GameState", engine.game_from_view(self.view, events))


class AsyncTurn(_Turn):
    """A decision to make, for an async function.

    :param view: the view of the seat that must act.
    :param actions: its legal actions.
    :param api_seat: the seat at the server, for requests such as `what_if`.
    """

    def __init__(self, view: m.Game, actions: Sequence[m.Action], api_seat: AsyncSeat) -> None:
        super().__init__(view, actions)
        self.api_seat = api_seat

    async def load_game(self) -> GameState:
        """Return the game as the seat may know it, as `Turn.game`."""
        engine = _engine()
        events: list[Any] = []
        while _last(events) < self.view["last_event"]:
            page = (await self.api_seat.game.event_page(after=_last(events), limit=_PAGE))["events"]
            if not page:
                break
            events += page
        return cast("GameState", engine.game_from_view(self.view, events))


Decide: TypeAlias = Callable[[Turn], Mapping[str, Any]]
"""Returns one of `turn.actions`, or a `set_offer` with another `body`; `type` and `body` are enough."""


def as_decide(bot: Callable[..., Any]) -> Decide:
    """Return a bot as a function of a turn, also one `(game, seat, rng) -> move` of skye-engine."""
    try:
        parameters = inspect.signature(bot).parameters.values()
    except (TypeError, ValueError):  # a function of a compiled module
        parameters = cast("Any", ())
    positional = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    if sum(each.kind in positional and each.default is each.empty for each in parameters) == 1:
        return bot

    def decide(turn: Turn) -> Mapping[str, Any]:
        move = bot(turn.game, turn.seat, turn.rng)
        return cast("Mapping[str, Any]", import_module("skye.views").action_of_move(move))

    return decide


def function_named(name: str) -> Callable[..., Any]:
    """Return a function as `module:function`.

    :raises ValueError: when there is none.
    :raises Exception: what the module raises while it is imported.
    """
    module, _, function = name.partition(":")
    try:
        found = getattr(import_module(module), function)
    except (ImportError, AttributeError, ValueError) as error:
        if own_frames(error) is not None:
            raise
        raise ValueError(f"there is no bot {name!r}: {error}") from error
    if not callable(found):
        raise ValueError(f"there is no bot {name!r}: it is no function")
    return cast("Callable[..., Any]", found)


def completed(action: Any, actions: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
    """Return an action with the request of the legal action that has its type, unless it names one itself.

    >>> completed({"type": "buy", "body": {"tile": "L07"}}, [{"type": "buy", "method": "PUT", "href": "/v1"}])
    {'type': 'buy', 'body': {'tile': 'L07'}, 'method': 'PUT', 'href': '/v1'}

    :raises SkyeError: when it is no action, or none of a type that is legal.
    """
    kind: Any = action.get("type") if isinstance(action, Mapping) else None
    if not isinstance(kind, str):
        raise SkyeError(f"`decide` returned no action, with `type` and `body`: {action!r:.200}")
    chosen: Mapping[str, Any] = action
    if isinstance(chosen.get("href"), str) and isinstance(chosen.get("method"), str):
        return chosen
    for listed in actions:
        if listed["type"] == kind:
            return {**chosen, "method": listed["method"], "href": listed["href"]}
    raise SkyeError(f"`decide` returned an action that is not legal now: {action!r:.200}")


def _last(events: Sequence[Mapping[str, Any]]) -> int:
    return cast("int", events[-1]["id"]) if events else 0


def _time_limit_ms(view: Mapping[str, Any]) -> int | None:
    """Return the milliseconds from the time of a view to the deadline of its seat."""
    deadline = view["players"][view["you"]["seat"]]["deadline"]
    if deadline is None:
        return None
    left = datetime.fromisoformat(deadline) - datetime.fromisoformat(view["now"])
    return round(1000 * left.total_seconds())


def _engine() -> ModuleType:
    try:
        return import_module("skye")
    except ImportError:
        raise SkyeError("`turn.game` needs skye-engine: pip install skye-engine") from None
