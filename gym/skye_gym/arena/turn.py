"""A decision of a bot. A bot is a function `decide(turn) -> action`, here and at a server (skye-client)."""

from __future__ import annotations

import inspect
import time
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from importlib import import_module
from random import Random
from typing import Any, Final, TypeAlias

from skye.bots.registry import Bot
from skye.rules.moves import Move, SetOffer, TakeBack
from skye.rules.play import legal_moves, offer_limits
from skye.rules.state import GameState
from skye.views import action_of_move, game_view, move_from_action
from skye_gym.arena.bot_errors import own_frames

_REQUESTS: Final = {
    "set_offer": ("PUT", "offer"),
    "buy": ("PUT", "purchase"),
    "pass": ("PUT", "purchase"),
    "place": ("POST", "placements"),
    "finish_building": ("POST", "building/finish"),
}


class Turn:
    """A decision to make, with the attributes that a turn at a server has.

    :param game: the game as the seat may know it.
    :param seat: the number of the seat.
    :param rng: the source of the bot's random choices.
    :param time_left_ms: the time limit of the decision in milliseconds.
    :param href: the path of the game in the actions.
    """

    def __init__(
        self, game: GameState, seat: int, rng: Random, time_left_ms: float, href: str = "/v1/games/local"
    ) -> None:
        self.game, self.seat, self.rng = game, seat, rng
        self._deadline = time.monotonic() + time_left_ms / 1000
        self._href = href

    @property
    def time_left_ms(self) -> int:
        """The milliseconds until the decision is late, 0 after that."""
        return max(0, round(1000 * (self._deadline - time.monotonic())))

    @cached_property
    def view(self) -> Mapping[str, Any]:
        """The view of the seat: that of the HTTP API without its name, options and deadline."""
        return {**game_view(self.game, self.seat), "you": {"seat": self.seat, "roles": ["player"]}}

    @cached_property
    def actions(self) -> Sequence[Mapping[str, Any]]:
        """The legal actions, without those that take something back.

        That of type `set_offer` is an example; `constraints` defines all others.
        """
        limits = offer_limits(self.game, self.seat)
        if limits is None:
            moves = legal_moves(self.game, self.seat)
            return [self._action(move) for move in moves if not isinstance(move, TakeBack)]
        discard, *kept = limits.tiles
        example = self._action(SetOffer(discard, tuple((tile, limits.minimum) for tile in kept)))
        return [example | {"constraints": limits._asdict()}]

    @property
    def moves(self) -> Sequence[Mapping[str, Any]]:
        """The actions that bring the game forward: here all of them."""
        return self.actions

    def _action(self, move: Move) -> dict[str, Any]:
        action = action_of_move(move)
        method, path = _REQUESTS[action["type"]]
        href = f"{self._href}/players/{self.seat}/{path}"
        return {**action, "method": method, "href": href, "revises": False}


Decide: TypeAlias = Callable[[Turn], Mapping[str, Any]]
"""Returns one of `turn.actions`, or a `set_offer` with another `body`."""


def chosen_move(bot: Decide | Bot, turn: Turn) -> Move:
    """Return the move of a bot, a function of a turn, or one `(game, seat, rng) -> move`.

    :raises ValueError: when the bot returns no action, or no move.
    """
    if takes_turn(bot):
        action: Any = bot(turn)  # type: ignore[call-arg, arg-type]
        try:
            return move_from_action(action)
        except ValueError as error:
            raise ValueError(f"returned {error}") from None
    move: Any = bot(turn.game, turn.seat, turn.rng)  # type: ignore[call-arg, arg-type]
    if not isinstance(move, Move):
        raise ValueError(f"returned no move: {move!r:.200}")
    return move


def takes_turn(bot: Callable[..., Any]) -> bool:
    """Return whether a bot takes a turn; otherwise it takes `(game, seat, rng)`.

    >>> takes_turn(lambda turn: turn.actions[0]), takes_turn(lambda game, seat, rng: None)
    (True, False)
    """
    try:
        parameters = inspect.signature(bot).parameters.values()
    except (TypeError, ValueError):  # a function of a compiled module
        return False
    positional = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return sum(each.kind in positional and each.default is each.empty for each in parameters) == 1


def function_named(name: str) -> Any:
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
    return found
