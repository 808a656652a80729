"""The legal actions of a seat, each as a complete request."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Literal, TypeAlias, TypedDict, cast

from skye import (
    Buy,
    FinishBuilding,
    Move,
    OfferLimits,
    Pass,
    Place,
    SetOffer,
    TakeBack,
    legal_moves,
    offer_limits,
)
from skye.fields import Component, Count, Keywords, LandscapeTileIds
from skye.rulesets import MAX_DRAWN
from skye.views import action_of_move
from skye.words import Word
from skye_server.games.agreements import (
    can_propose,
    is_left_alone,
    needs_agreement,
    people_of,
    plays_alone,
)
from skye_server.games.authorization import Caller
from skye_server.games.game import Game, Status
from skye_server.games.pauses import can_pause
from skye_server.games.proposals import ProposalKind
from skye_server.games.takeover_requests import requestable
from skye_server.games.transitions import can_revise, is_revision
from skye_server.games.views.fields import UnknownType, Version

_Put: TypeAlias = Annotated[Literal["PUT"], "The method of the request."]
_Post: TypeAlias = Annotated[Literal["POST"], "The method of the request."]
_NoBody: TypeAlias = Annotated[None, "Null: send no body."]


class OfferLimitsView(TypedDict):
    """The constraints of an offer.

    Discard any one of the tiles. Price each of the others at the minimum or more; the sum of the prices is at
    most the gold.
    """

    tiles: Annotated[LandscapeTileIds, Keywords(maxItems=MAX_DRAWN), "The tiles drawn."]
    gold: Annotated[Count, "The maximum sum of the prices."]
    minimum: Annotated[Count, "The minimum of each price."]


class _ActionView(TypedDict):
    href: Annotated[str, Keywords(maxLength=200), "The path of the request."]
    revises: Annotated[
        bool,
        "Whether it takes back or replaces an earlier decision, takes the seat back, or is an agreement. "
        "The seat need not act.",
    ]


class OfferActionView(_ActionView):
    """Set prices and discard. The body is one example; the constraints define all others."""

    type: Literal["set_offer"]
    method: _Put
    body: Annotated[Mapping[str, object], Component("Offer"), "A legal offer."]
    constraints: Annotated[OfferLimitsView, "The constraints of every legal offer."]


class PurchaseActionView(_ActionView):
    """Buy a tile."""

    type: Literal["buy"]
    method: _Put
    body: Annotated[Mapping[str, object], Component("Purchase"), "The tile."]


class PassActionView(_ActionView):
    """Buy nothing."""

    type: Literal["pass"]
    method: _Put
    body: Annotated[Mapping[str, object], Component("Purchase"), "The tile is null."]


class PlacementActionView(_ActionView):
    """Place a tile."""

    type: Literal["place"]
    method: _Post
    body: Annotated[Mapping[str, object], Component("Placement"), "The placement."]


class TakeBackActionView(_ActionView):
    """Take back the last placement of this round."""

    type: Literal["take_back"]
    method: Annotated[Literal["DELETE"], "The method of the request."]
    body: _NoBody


class FinishActionView(_ActionView):
    """Declare the build finished."""

    type: Literal["finish_building"]
    method: _Post
    body: _NoBody


class ReturnActionView(_ActionView):
    """Take the seat back that a bot took over after a missed deadline."""

    type: Literal["return"]
    method: _Post
    body: _NoBody


class AbortActionView(_ActionView):
    """Propose to the other people who play to end the game without a result."""

    type: Literal["propose_abort"]
    method: _Post
    body: _NoBody


class PauseActionView(_ActionView):
    """Pause the game, or propose that to the other people who play."""

    type: Literal["pause"]
    method: _Post
    body: _NoBody


class ResumeActionView(_ActionView):
    """End the pause of the game."""

    type: Literal["resume"]
    method: _Post
    body: _NoBody


class TakeoverRequestActionView(_ActionView):
    """Ask for a seat to be taken over, for which a game without a clock has waited for a day."""

    type: Literal["request_takeover"]
    method: _Post
    body: _NoBody


class AnswerActionView(_ActionView):
    """Accept or refuse the open proposal; the seat that made it withdraws it."""

    type: Literal["answer_proposal"]
    method: _Post
    body: Annotated[Mapping[str, object], Component("ProposalAnswer"), "The answer."]


class ActionOfLaterVersionView(_ActionView):
    """The fields that every action has. An action of a type that a later version added has more fields."""

    type: UnknownType
    method: Annotated[str, Keywords(maxLength=10), "The method of the request."]


ActionView: TypeAlias = (
    OfferActionView
    | PurchaseActionView
    | PassActionView
    | PlacementActionView
    | TakeBackActionView
    | FinishActionView
    | ReturnActionView
)

AgreementView: TypeAlias = (
    AbortActionView | PauseActionView | ResumeActionView | TakeoverRequestActionView | AnswerActionView
)

Actions: TypeAlias = Annotated[Sequence[Annotated[ActionView, Component("Action")]], Keywords(maxItems=2000)]
"""More than the number of legal placements of the tiles in a hand."""


class ActionListView(TypedDict):
    """Every legal action of a seat now; those that `revises` marks are possible when it need not act.

    While the server plays the seat there are none, except to take back a seat that was taken over.
    """

    version: Version
    actions: Annotated[Actions, "The actions."]
    agreements: Annotated[
        Sequence[Annotated[AgreementView, Component("Agreement")]],
        Keywords(maxItems=8),
        "What the seat can propose to the others, or answer them: to end the game, to pause it; and that a "
        "player who is slow in a game without a clock loses the turn. A program that only plays needs none "
        "of it, and an answer may end the game.",
    ]


class Inclusion(Word):
    """An optional part of the view of a game."""

    ACTIONS = "actions", "the legal actions of the caller's seat."


class IncludedActionsView(TypedDict):
    """The legal actions of a seat, as a part of the view of a game."""

    actions: Annotated[
        Actions,
        "With `include=actions`: the legal actions of the caller's seat; none for other callers.",
    ]


def legal_actions(game: Game, seat: int) -> list[ActionView]:
    """Return every legal move of a seat, each as a complete request."""
    actions: list[ActionView] = []
    is_running = game.status is Status.PLAYING and game.pause is None
    if game.state is not None and is_running and game.seats[seat].bot is None:
        limits = offer_limits(game.state, seat)
        moves = legal_moves(game.state, seat) if limits is None else []
        if not can_revise(game, seat):
            limits = None if game.state.players[seat].prices else limits
            moves = [move for move in moves if not isinstance(move, TakeBack)]
        if limits is not None:
            actions.append(_offer_action(game, seat, limits))
        actions += [_action(game, seat, move) for move in moves]
    if game.status is Status.PLAYING and game.seats[seat].can_return:
        actions.append(_return_action(game, seat))
    return actions


def seat_actions(game: Game, caller: Caller) -> IncludedActionsView:
    """Return the legal actions of the caller's seat, none without one, as a part of the view of a game."""
    return {"actions": [] if caller.seat is None else legal_actions(game, caller.seat)}


_REQUESTS: dict[type, tuple[str, str]] = {
    SetOffer: ("PUT", "offer"),
    Buy: ("PUT", "purchase"),
    Pass: ("PUT", "purchase"),
    Place: ("POST", "placements"),
    TakeBack: ("DELETE", "placements/{number}"),
    FinishBuilding: ("POST", "building/finish"),
}


def _action(game: Game, seat: int, move: Move) -> ActionView:
    method, path = _REQUESTS[type(move)]
    path = path.format(number=0 if game.state is None else game.state.players[seat].placed_this_round)
    chosen = action_of_move(move)
    action = {
        "type": chosen["type"],
        "method": method,
        "href": f"/v1/games/{game.id}/players/{seat}/{path}",
        "body": chosen["body"],
        "revises": is_revision(game, seat, move),
    }
    return cast("ActionView", action)  # mypy cannot see that the type of the move decides method and body


def _return_action(game: Game, seat: int) -> ReturnActionView:
    href = f"/v1/games/{game.id}/players/{seat}/return"
    return {"type": "return", "method": "POST", "href": href, "body": None, "revises": True}


def agreements(game: Game, seat: int, now_ms: int) -> Iterator[AgreementView]:
    """Yield how the seat can pause or resume, propose to abort the game, answer, or ask for take-overs.

    Time adds to them without a change of the game.
    """
    can_ask = can_propose(game, seat, ProposalKind.ABORT, now_ms) or is_left_alone(game, seat, now_ms)
    if needs_agreement(game) and can_ask:
        href = f"/v1/games/{game.id}/abort"
        yield {"type": "propose_abort", "method": "POST", "href": href, "body": None, "revises": True}
    if game.status is Status.PLAYING and game.pause is not None:
        if seat in people_of(game):
            yield _game_action(game, "resume")
    elif can_pause(game) and (plays_alone(game, seat) or can_propose(game, seat, ProposalKind.PAUSE, now_ms)):
        yield _game_action(game, "pause")
    for late in requestable(game, seat, now_ms):
        href = f"/v1/games/{game.id}/players/{late}/takeover"
        yield {"type": "request_takeover", "method": "POST", "href": href, "body": None, "revises": True}
    proposal = game.proposal
    if proposal is None or not game.seats[seat].is_present:
        return
    for accept in (False,) if seat in (proposal.seat, *proposal.agreed) else (True, False):
        yield {
            "type": "answer_proposal",
            "method": "POST",
            "href": f"/v1/games/{game.id}/players/{seat}/proposal",
            "body": {"accept": accept},
            "revises": True,
        }


def _game_action(game: Game, kind: str) -> PauseActionView | ResumeActionView:
    action = {
        "type": kind,
        "method": "POST",
        "href": f"/v1/games/{game.id}/{kind}",
        "body": None,
        "revises": True,
    }
    return cast("PauseActionView | ResumeActionView", action)


def _offer_action(game: Game, seat: int, limits: OfferLimits) -> OfferActionView:
    """Return one legal offer and the constraints that every legal offer meets."""
    discard, *kept = limits.tiles
    example = SetOffer(discard, tuple((tile, limits.minimum) for tile in kept))
    constraints: OfferLimitsView = {"tiles": limits.tiles, "gold": limits.gold, "minimum": limits.minimum}
    return cast("OfferActionView", {**_action(game, seat, example), "constraints": constraints})
