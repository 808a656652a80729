"""The move that the reply of a language model chooses."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from skye.errors import SkyeError
from skye.positions.record import move_from
from skye.rules.moves import Move, TakeBack
from skye.rules.play import rule_error
from skye.rules.state import GameState
from skye.tiles.geometry import ROTATIONS
from skye.tiles.tile_set import Place
from skye_gym.agents.local import legal_actions
from skye_gym.agents.wording import PLAIN, Wording
from skye_gym.answers import json_of, well_formed, wrong_value_in

REPLY_FORMAT: Final = """End your reply with one JSON object on a line of its own, one of
{"number": 3} for a listed action
{"type": "set_offer", "discard": "L01", "prices": {"L02": 3, "L03": 1}}
{"type": "buy", "tile": "L02"}
{"type": "pass"}
{"type": "place", "tile": "L02", "x": 0, "y": -1, "rotation": 90}
{"type": "finish_building"}
Rotations are clockwise degrees, and tiles are described at rotation 0."""
"""The instruction for replies to a decision."""

_MAX_JSON: Final = 2000
"""The maximum length of the JSON object in a reply, in characters."""


class UnusableReply(SkyeError):
    """A reply chooses no legal move; the message says what to send instead."""

    def __init__(self, message: str) -> None:
        super().__init__(well_formed(message))  # it may repeat what the reply names


def json_in(reply: str) -> Mapping[str, Any]:
    r"""Return the last JSON object in a reply.

    >>> json_in('Action 1 is {"number": 1}, but action 3 is better.\n{"number": 3}')
    {'number': 3}

    :raises UnusableReply: when there is none.
    """
    end = reply.rfind("}") + 1
    start = end
    while (start := reply.rfind("{", max(0, end - _MAX_JSON), start)) >= 0:
        try:
            found = json_of(reply[start:end])
        except (ValueError, RecursionError):
            continue
        if isinstance(found, dict) and (start == 0 or reply[:start].rstrip()[-1:] not in (":", "[", ",")):
            return found
    raise UnusableReply("The reply does not end with a JSON object.")


def move_in(reply: str, game: GameState, seat: int, *, listed: bool = True, wording: Wording = PLAIN) -> Move:
    """Return the legal move that a reply chooses.

    >>> import skye
    >>> move_in('{"number": 1}', skye.new_game(2, seed="text").game, 0)
    SetOffer(discard='L41', prices=(('L47', 1), ('L19', 1)))

    :param listed: whether the text listed the actions, so that a reply may choose one by its number.
    :param wording: that of the text.
    :raises UnusableReply: when the reply has no JSON object, or chooses no legal move.
    """
    fields = json_in(wording.game_text(reply))
    if "number" in fields and listed:
        actions = legal_actions(game, seat)
        number = fields["number"]
        if type(number) is not int or not 1 <= number <= len(actions):
            given = wording.text(repr(number))
            raise UnusableReply(f"There is no action {given:.40}: the numbers are 1 to {len(actions)}.")
        return actions[number - 1]
    move = _move(fields, wording)
    try:
        error = rule_error(game, seat, move)
    except (TypeError, ValueError) as wrong:
        reason = wording.text(wrong_value_in(move, wrong))
        raise UnusableReply(f"The move cannot be used: {reason}") from wrong
    if error is not None:
        raise UnusableReply(f"The move is not legal: {wording.detail(error.detail)}")
    return move


def _move(fields: Mapping[str, Any], wording: Wording) -> Move:
    try:
        move = move_from(fields["type"], fields)
        hash(move)
        if isinstance(move, Place) and _is_place(move):
            move = Place(move.tile, wording.x(move.x), move.y, wording.rotation(move.rotation))
    except (KeyError, TypeError, AttributeError) as wrong:
        reason = wording.text(str(wrong))
        raise UnusableReply(f"A field of the move is missing or wrong: {reason:.100}") from wrong
    if isinstance(move, TakeBack):
        raise UnusableReply("Placements cannot be taken back here.")
    return move


def _is_place(move: Place) -> bool:
    """Return whether the fields have values that the mirror can change; the engine refuses others."""
    return type(move.x) is type(move.y) is type(move.rotation) is int and move.rotation in ROTATIONS
