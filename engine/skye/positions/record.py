"""The record of a game: its options, seed and actions, from which a replay reproduces the same states."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, cast

from skye.errors import InvalidRecord, RuleError
from skye.events import (
    BuildingFinished,
    Event,
    OfferSet,
    OffersRevealed,
    PlacementTakenBack,
    PurchasePassed,
    TileBought,
    TilePlaced,
    with_rounds,
)
from skye.rules.moves import Buy, FinishBuilding, Move, Pass, SetOffer, TakeBack
from skye.rules.play import Outcome, phase_of, play
from skye.rules.setup import Options, new_game
from skye.rules.state import GameState, check_seat
from skye.territory.frontier import Place
from skye.visibility.types.game import ActionView, MoveView

MOVE_TYPES: dict[type[Any], str] = {
    SetOffer: "set_offer",
    Buy: "buy",
    Pass: "pass",
    Place: "place",
    TakeBack: "take_back",
    FinishBuilding: "finish_building",
}
"""The name of each move, as in legal actions and records."""

_MOVES: Final = {name: kind for kind, name in MOVE_TYPES.items()}


@dataclass(frozen=True, slots=True)
class Action:
    """A move and the seat that made it."""

    seat: int
    move: Move


@dataclass(frozen=True, slots=True)
class Record:
    """The setup of a game and all its actions, in order.

    :param colors: the color of each seat.
    :param seed: the seed of all draws.
    :param options: the options of the game.
    :param actions: the actions.
    :param position: the state in which the game began, if it did not begin with a setup.
    """

    colors: tuple[str, ...]
    seed: str | None
    options: Options
    actions: tuple[Action, ...]
    position: GameState | None = None


def replay(record: Record) -> list[Outcome]:
    """Replay a record; return the outcome of the setup and of each action.

    >>> from skye import Action, Options, SetOffer
    >>> offer = Action(0, SetOffer.of("L61", {"L66": 2, "L37": 1}))
    >>> replay(Record(("red", "blue"), "play", Options(), (offer,)))[-1].game.players[0].prices
    (2, 0, 1)

    :raises InvalidSetup: when the players or options are invalid.
    :raises InvalidRecord: when an action breaks a rule.
    :raises TypeError: when it is not a record.
    """
    if not isinstance(record, Record):
        raise TypeError(f"a record is a Record, not {type(record).__name__}")
    if record.position is None:
        begun = new_game(record.colors, seed=record.seed, options=record.options)
    else:
        begun = Outcome(record.position, ())
    return [begun, *apply_actions(begun.game, record.actions)]


def apply_actions(game: GameState, actions: Iterable[Action]) -> Iterator[Outcome]:
    """Apply recorded actions to a game; yield the outcome of each.

    >>> import skye
    >>> list(apply_actions(skye.new_game(2, seed="play").game, [Action(0, skye.Pass())]))
    Traceback (most recent call last):
    skye.errors.InvalidRecord: Action 1: This belongs to the buying phase; the game is in pricing.

    :raises InvalidRecord: when an action breaks a rule; `facts["action"]` is its number, from 1.
    """
    for number, action in enumerate(actions, 1):
        try:
            if action.seat not in range(len(game.players)):
                raise InvalidRecord(f"There is no seat {action.seat}.")
            outcome = play(game, action.seat, action.move)
        except RuleError as error:
            raise InvalidRecord(
                f"Action {number}: {error.detail}", action=number, reason=error.code
            ) from error
        game = outcome.game
        yield outcome


def action_of(event: Event) -> Action | None:
    """Return the action that caused an event, or None for an automatic event.

    >>> import skye.events
    >>> action_of(skye.events.PurchasePassed(1))
    Action(seat=1, move=Pass())
    """
    match event:
        case OfferSet(seat, discard, prices):
            return Action(seat, SetOffer(discard, prices))
        case TileBought(seat, _, tile):
            return Action(seat, Buy(tile))
        case PurchasePassed(seat):
            return Action(seat, Pass())
        case TilePlaced(seat, tile, x, y, rotation):
            return Action(seat, Place(tile, x, y, rotation))
        case PlacementTakenBack(seat):
            return Action(seat, TakeBack())
        case BuildingFinished(seat):
            return Action(seat, FinishBuilding())
        case _:
            return None


def actions_view(
    game: GameState, viewer: int | None, events: Iterable[Event], *, first_round: int = 0
) -> list[ActionView]:
    """Return the actions of a game, derived from its events, without the information hidden from a viewer.

    The contents of another seat's offer are hidden until the offers are revealed; those of an offer that its
    seat replaced, until the game is over.

    >>> import skye
    >>> game, events = skye.new_game(2, seed="actions")
    >>> game, more = skye.play(game, 0, skye.legal_moves(game, 0)[0])
    >>> actions_view(game, 1, events + more)
    [{'seat': 0, 'round': 1, 'phase': 'pricing', 'type': 'set_offer', 'discard': None, 'prices': None}]

    :param game: the game after the events.
    :param viewer: a seat, or None for a spectator.
    :param first_round: the round of the position from which the game began; 0 without one.
    """
    check_seat(game, viewer, spectator=True)
    views: list[ActionView] = []
    secret: dict[int, tuple[int, ActionView]] = {}
    for number, event in with_rounds(events, first_round):
        if isinstance(event, OffersRevealed):
            for at, view in secret.values():
                views[at] = view
            secret.clear()
        action = action_of(event)
        if action is None:
            continue
        view = _action_view(action, number)
        if view["type"] == "set_offer" and not game.is_over and viewer != action.seat:
            secret[action.seat] = (len(views), view)
            view = {**view, "discard": None, "prices": None}
        views.append(view)
    return views


def _action_view(action: Action, number: int) -> ActionView:
    made = {"seat": action.seat, "round": number, "phase": str(phase_of(action.move))}
    return cast("ActionView", {**made, **move_view(action.move)})  # mypy merges no unions


def move_view(move: Move) -> MoveView:
    """Return a move as JSON data: its `type` and its fields.

    >>> move_view(SetOffer("L01", (("L02", 3), ("L03", 1))))
    {'type': 'set_offer', 'discard': 'L01', 'prices': {'L02': 3, 'L03': 1}}
    """
    fields = {name: getattr(move, name) for name in move.__match_args__}
    if isinstance(move, SetOffer):
        fields["prices"] = dict(move.prices)
    return cast("MoveView", {"type": MOVE_TYPES[type(move)], **fields})


def move_from(name: str, fields: Mapping[str, Any]) -> Move:
    """Return the move with this type and these fields, the inverse of `move_view`.

    >>> move_from("place", {"tile": "L07", "x": 0, "y": 1, "rotation": 90})
    Place(tile='L07', x=0, y=1, rotation=90)

    :raises KeyError: when there is no such type of move, or a field of it is missing.
    """
    kind = _MOVES[name]
    if kind is SetOffer:
        return SetOffer(fields["discard"], tuple(fields["prices"].items()))
    move: Move = kind(*(fields[field] for field in kind.__match_args__))
    return move
