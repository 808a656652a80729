"""The legal actions of a seat, each a request that can be sent as it stands."""

from __future__ import annotations

from typing import Any

from marshmallow import fields

from service.schemas.fields import ListOf
from service.schemas.objects import Always, One, Tagged, UnknownType, Variants
from service.schemas.requests import Offer, PassToBuy, Placement, TileToBuy
from service.schemas.responses.shape import Count, LandscapeTiles, ResponseObject, Text, Version

_MAX_ACTIONS = 2000
"""More than the legal placements of every tile that a hand can hold."""


class _Action(ResponseObject):
    href = Text("The path to send it to.", 200)


class Nothing(fields.Field[Any]):
    """Null: the request has no body."""

    def __init__(self) -> None:
        super().__init__(metadata={"description": "Null: send no body.", "const": None})


class OfferLimits(ResponseObject):
    """Every offer that a seat may set.

    Discard any one of the tiles, and price each of the others at the minimum or more, together no more than
    there is gold.
    """

    tiles = LandscapeTiles("The three tiles drawn.", 3)
    gold = Count("The most that the prices may come to.")
    minimum = Count("The least that each price may be.")


class OfferAction(_Action):
    """Set prices and mark a tile for discarding. The body is one example; the constraints give all others."""

    type = Always("set_offer")
    method = Always("PUT", "How to send it.")
    body = One(Offer, "An offer that would be accepted.")
    constraints = One(OfferLimits, "What makes an offer acceptable.")


class PurchaseAction(_Action):
    """Buy a tile."""

    type = Always("buy")
    method = Always("POST", "How to send it.")
    body = One(TileToBuy, "The tile.")


class PassAction(_Action):
    """Buy nothing."""

    type = Always("pass")
    method = Always("POST", "How to send it.")
    body = One(PassToBuy, "The pass.")


class PlacementAction(_Action):
    """Place a tile."""

    type = Always("place")
    method = Always("POST", "How to send it.")
    body = One(Placement, "The tile, where, and how turned.")


class TakeBackAction(_Action):
    """Take back the last placement of this round."""

    type = Always("take_back")
    method = Always("DELETE", "How to send it.")
    body = Nothing()


class FinishAction(_Action):
    """Declare the build finished."""

    type = Always("finish_building")
    method = Always("POST", "How to send it.")
    body = Nothing()


ACTIONS = (OfferAction, PurchaseAction, PassAction, PlacementAction, TakeBackAction, FinishAction)


class ActionOfLaterVersion(_Action):
    """The fields that every action has. An action of a type that a later version added has more of them."""

    type = UnknownType(ACTIONS)
    method = Text("How to send it.", 10)


class UnknownAction(Variants):
    """An action of a type that a later version added: pass over it."""

    variants = (ActionOfLaterVersion,)


class Action(Tagged):
    """One action open to a seat: a request that would be accepted.

    There may be new types: pass over those you do not know. The `body` of the known types gets no new fields.
    """

    variants = ACTIONS
    fallback = UnknownAction


class Actions(ListOf):
    """Actions open to a seat."""

    def __init__(self, description: str) -> None:
        super().__init__(Action, description, length=(0, _MAX_ACTIONS))


class ActionList(ResponseObject):
    """Every action open to a seat now; none when it is not its turn to decide."""

    version = Version()
    actions = Actions("The actions.")
