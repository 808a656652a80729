"""The action that the arguments of a tool choose, checked before it is sent."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from skye_gym.agents import action_text, numbered_actions

Json = Mapping[str, Any]

_NEAREST = 6
"""How many legal actions an error names."""


class UnusableChoice(Exception):
    """The arguments choose no legal action; the message says what to send instead."""


def chosen_action(
    actions: Sequence[Json],
    number: int | None,
    offer: Mapping[str, Any] | None,
    place: Mapping[str, Any] | None,
    *,
    take_back: bool = False,
) -> Json:
    """Return the action to send.

    :param number: the number of an action in the list, from 1.
    :param offer: `discard` and `prices`.
    :param place: `tile`, `x`, `y` and `rotation`.
    :param take_back: whether to take back the last placement, which has no number.
    :raises UnusableChoice: when not exactly one is given, or it is no legal action.
    """
    given = [choice for choice in (number, offer, place, take_back or None) if choice is not None]
    if len(given) != 1:
        raise UnusableChoice("Send exactly one of number, offer, place and take_back.")
    if number is not None:
        numbered = numbered_actions(actions)
        if not 1 <= number <= len(numbered):
            raise UnusableChoice(f"There is no action {number}: the numbers are 1 to {len(numbered)}.")
        return numbered[number - 1]
    if take_back:
        return _take_back(actions)
    if offer is not None:
        return _offer(actions, offer)
    assert place is not None
    return _placement(actions, place)


def nearest(actions: Sequence[Json], place: Mapping[str, Any] | None = None) -> str:
    """Return legal actions in words; with a place the nearest ones for its tile."""
    numbered = list(enumerate(numbered_actions(actions), 1))
    if place is not None:
        of_tile = [one for one in numbered if (one[1].get("body") or {}).get("tile") == place["tile"]]
        numbered = sorted(of_tile or numbered, key=lambda one: _distance(one[1], place))
    return "; ".join(f"{number}: {action_text(action)}" for number, action in numbered[:_NEAREST])


def _offer(actions: Sequence[Json], offer: Mapping[str, Any]) -> Json:
    listed = next((action for action in actions if action["type"] == "set_offer"), None)
    if listed is None:
        raise UnusableChoice(f"There is no offer to set now. Legal actions: {nearest(actions)}")
    return {**listed, "body": dict(offer)}


def _take_back(actions: Sequence[Json]) -> Json:
    for action in actions:
        if action["type"] == "take_back":
            return action
    raise UnusableChoice(f"There is no placement to take back now. Legal actions: {nearest(actions)}")


def _placement(actions: Sequence[Json], place: Mapping[str, Any]) -> Json:
    for action in actions:
        if action["type"] == "place" and action["body"] == place:
            return action
    raise UnusableChoice(f"That placement is not legal. The nearest legal actions: {nearest(actions, place)}")


def _distance(action: Json, place: Mapping[str, Any]) -> int:
    body = action.get("body") or {}
    if "x" not in body:
        return 1000
    distance: int = abs(body["x"] - place["x"]) + abs(body["y"] - place["y"])
    return distance
