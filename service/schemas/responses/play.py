"""The legal actions of a seat, each a complete request."""

from __future__ import annotations

from typing import Any

from marshmallow import fields

from service.schemas.objects import Constant, ListOf, NestedObject, Tagged, UnknownType, Variants
from service.schemas.requests import Offer, PassToBuy, Placement, TileToBuy
from service.schemas.responses.shape import Count, LandscapeTiles, ResponseObject, Text, Version

_MAX_ACTIONS = 2000
"""More than the number of legal placements of the tiles in a hand."""


class _Action(ResponseObject):
    href = Text("The path of the request.", 200)


class Nothing(fields.Field[Any]):
    """Null: the request has no body."""

    def __init__(self) -> None:
        super().__init__(metadata={"description": "Null: send no body.", "const": None})


class OfferLimits(ResponseObject):
    """The constraints of an offer.

    Discard any one of the tiles. Price each of the others at the minimum or more; the sum of the prices is at
    most the gold.
    """

    tiles = LandscapeTiles("The three tiles drawn.", 3)
    gold = Count("The maximum sum of the prices.")
    minimum = Count("The minimum of each price.")


class OfferAction(_Action):
    """Set prices and discard. The body is one example; the constraints define all others."""

    type = Constant("set_offer")
    method = Constant("PUT", "The method of the request.")
    body = NestedObject(Offer, "A legal offer.")
    constraints = NestedObject(OfferLimits, "The constraints of every legal offer.")


class PurchaseAction(_Action):
    """Buy a tile."""

    type = Constant("buy")
    method = Constant("POST", "The method of the request.")
    body = NestedObject(TileToBuy, "The tile.")


class PassAction(_Action):
    """Buy nothing."""

    type = Constant("pass")
    method = Constant("POST", "The method of the request.")
    body = NestedObject(PassToBuy, "The pass.")


class PlacementAction(_Action):
    """Place a tile."""

    type = Constant("place")
    method = Constant("POST", "The method of the request.")
    body = NestedObject(Placement, "The placement.")


class TakeBackAction(_Action):
    """Take back the last placement of this round."""

    type = Constant("take_back")
    method = Constant("DELETE", "The method of the request.")
    body = Nothing()


class FinishAction(_Action):
    """Declare the build finished."""

    type = Constant("finish_building")
    method = Constant("POST", "The method of the request.")
    body = Nothing()


ACTIONS = (OfferAction, PurchaseAction, PassAction, PlacementAction, TakeBackAction, FinishAction)


class ActionOfLaterVersion(_Action):
    """The fields that every action has. An action of a type that a later version added has more fields."""

    type = UnknownType(ACTIONS)
    method = Text("The method of the request.", 10)


class UnknownAction(Variants):
    """An action of a type that a later version added: ignore it."""

    variants = (ActionOfLaterVersion,)


class Action(Tagged):
    """A legal action of a seat: a request that the server would accept.

    There may be new types: ignore those that you do not know. The `body` of known types gets no new fields.
    """

    variants = ACTIONS
    fallback = UnknownAction


class Actions(ListOf):
    """Legal actions of a seat."""

    def __init__(self, description: str) -> None:
        super().__init__(Action, description, length=(0, _MAX_ACTIONS))


class ActionList(ResponseObject):
    """Every legal action of a seat now; none if it need not act."""

    version = Version()
    actions = Actions("The actions.")
