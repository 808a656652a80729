"""The record of a game: its options, draws and actions, from which a replay reproduces the same states."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, islice
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
    TilesDrawn,
    with_rounds,
)
from skye.rules.moves import CHANCE, Buy, Draw, FinishBuilding, Move, Pass, SetOffer, TakeBack
from skye.rules.play import Outcome, phase_of, play
from skye.rules.setup import Options, new_game
from skye.rules.state import GameState, check_seat
from skye.tiles.tile_set import Place
from skye.visibility.types.game import ActionView, MoveActionView, MoveView

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
class RecordedDraws:
    """What was drawn in a recorded game.

    :param scoring_tiles: the scoring tiles in slots A to D, also those that the options name.
    :param starting_seat: the seat that started round 1, or the round of the position, also a named one.
    :param tiles: the tiles that came out of the bag after the setup or the position, in order: in each round
        three of seat 0, three of seat 1 and so on.
    """

    scoring_tiles: tuple[str, ...]
    starting_seat: int
    tiles: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Record:
    """The setup of a game, all its actions in order, and its draws.

    :param colors: the color of each seat.
    :param seed: the seed of all draws.
    :param options: the options of the game.
    :param actions: the actions.
    :param position: the state in which the game began, if it did not begin with a setup.
    :param draws: what was drawn. None: nothing was recorded, and a replay draws from the seed.
    :param gave_up: the seats that their players had given up at the end, those of one date together, the
        earliest date first. The states of a replay have them from the beginning; they cannot win.
    """

    colors: tuple[str, ...]
    seed: str | None
    options: Options
    actions: tuple[Action, ...]
    position: GameState | None = None
    draws: RecordedDraws | None = None
    gave_up: tuple[tuple[int, ...], ...] = ()


def replay(record: Record) -> list[Outcome]:
    """Replay a record; return the outcome of the setup and of each action.

    >>> from skye import Action, Options, SetOffer
    >>> offer = Action(0, SetOffer.of("L61", {"L66": 2, "L37": 1}))
    >>> replay(Record(("red", "blue"), "play", Options(), (offer,)))[-1].game.players[0].prices
    (2, 0, 1)

    :raises InvalidSetup: when the players or options are invalid.
    :raises InvalidRecord: when an action breaks a rule, or seats that were given up do not exist or repeat.
    :raises TypeError: when it is not a record.
    """
    if not isinstance(record, Record):
        raise TypeError(f"a record is a Record, not {type(record).__name__}")
    draws = record.draws
    if record.position is not None:
        begun = Outcome(record.position, ())
        tiles = None if draws is None else draws.tiles
    elif draws is None:
        begun, tiles = new_game(record.colors, seed=record.seed, options=record.options), None
    else:
        begun = begin_recorded(record.colors, record.seed, record.options, draws)
        tiles = draws.tiles[begun.game.ruleset.tiles_drawn * len(record.colors) :]
    begun = Outcome(
        begun.game._replace(gave_up=checked_groups(record.gave_up, len(record.colors))), begun.events
    )
    return [begun, *apply_actions(begun.game, record.actions, tiles)]


def checked_groups(gave_up: Sequence[Sequence[int]], players: int) -> tuple[tuple[int, ...], ...]:
    """Return the seats that were given up in a recorded game, those of one date in ascending order.

    >>> checked_groups([[1], [2, 0]], 3)
    ((1,), (0, 2))

    :raises InvalidRecord: when a seat does not exist or is named twice, or a date has no seat.
    """
    seats = [seat for group in gave_up for seat in group]
    if len(set(seats)) < len(seats) or not set(seats) <= set(range(players)) or not all(gave_up):
        raise InvalidRecord("The seats that were given up do not exist, or are not distinct.")
    return tuple([tuple(sorted(group)) for group in gave_up])


def begin_recorded(
    colors: Sequence[str], seed: str | None, options: Options, draws: RecordedDraws
) -> Outcome:
    """Set up a game and start round 1 with recorded draws; later draws are those of the seed.

    >>> scoring_tiles = ("sheep", "squares", "most_gold", "largest_lake")
    >>> draws = RecordedDraws(scoring_tiles, 1, ("L01", "L02", "L03", "L04", "L05", "L06"))
    >>> game, _ = begin_recorded(("red", "blue"), "play", Options(), draws)
    >>> game.starting_seat, game.players[1].tiles_on_offer, game.seed
    (1, ('L04', 'L05', 'L06'), 'play')

    :param options: what they name was not drawn.
    :raises InvalidSetup: when the players or options are invalid.
    :raises InvalidRecord: when the draws cannot have been made.
    """
    game, events = new_game(colors, chance_nodes=True, options=options)
    items: list[str] = []
    if options.scoring_tiles is None:
        items += draws.scoring_tiles
    if options.first_seat is None:
        items.append(str(draws.starting_seat))
    for item in items:
        game, more = _draw(game, item)
        events += more
    if (game.scoring_tiles, game.starting_seat) != (tuple(draws.scoring_tiles), draws.starting_seat):
        raise InvalidRecord("The options name other scoring tiles or another first seat than the draws.")
    game, more = _draw_tiles(game, iter(draws.tiles))
    return Outcome(game._replace(seed=seed), events + more)


def apply_actions(
    game: GameState, actions: Iterable[Action], tiles: Iterable[str] | None = None
) -> Iterator[Outcome]:
    """Apply recorded actions to a game; yield the outcome of each.

    >>> import skye
    >>> list(apply_actions(skye.new_game(2, seed="play").game, [Action(0, skye.Pass())]))
    Traceback (most recent call last):
    skye.errors.InvalidRecord: Action 1: This belongs to the buying phase; the game is in pricing.

    :param tiles: the tiles drawn in the next rounds; None: the seed of the game draws.
    :raises InvalidRecord: when an action breaks a rule, or the tiles cannot have been drawn after it;
        `facts["action"]` is its number, from 1.
    """
    left = None if tiles is None else iter(tiles)
    for number, action in enumerate(actions, 1):
        try:
            if action.seat not in range(len(game.players)):
                raise InvalidRecord(f"There is no seat {action.seat}.")
            outcome = _play_recorded(game, action, left)
        except RuleError as error:
            raise InvalidRecord(
                f"Action {number}: {error.detail}", action=number, reason=error.code
            ) from error
        game = outcome.game
        yield outcome


def _play_recorded(game: GameState, action: Action, tiles: Iterator[str] | None) -> Outcome:
    """Play an action; if it ends a round, the seats draw the recorded tiles instead of those of the seed."""
    if tiles is None or game.round == game.rounds or not isinstance(action.move, FinishBuilding):
        return play(game, action.seat, action.move)
    after, events = play(game._replace(seed=None), action.seat, action.move)
    next_draws = game.next_draws
    if after.is_chance_node:
        after, drawn = _draw_tiles(after, tiles)
        events += drawn
        next_draws = next_draws[game.ruleset.tiles_drawn * len(game.players) :]
    return Outcome(after._replace(seed=game.seed, next_draws=next_draws), events)


def _draw_tiles(game: GameState, tiles: Iterator[str]) -> Outcome:
    """Draw the recorded tiles of a round.

    :raises InvalidRecord: when they are missing or cannot be drawn.
    """
    of_seat = game.ruleset.tiles_drawn
    of_round = tuple(islice(tiles, of_seat * len(game.players)))
    if len(of_round) < of_seat * len(game.players):
        raise InvalidRecord(f"The draws do not have {of_seat} tiles of each seat in round {game.round}.")
    events: tuple[Event, ...] = ()
    for tile in of_round:
        game, more = _draw(game, tile)
        events += more
    return Outcome(game, events)


def _draw(game: GameState, item: str) -> Outcome:
    try:
        return play(game, CHANCE, Draw(item))
    except RuleError as error:
        raise InvalidRecord(f"The draws: {error.detail}", reason=error.code) from error


def draws_of(scoring_tiles: Sequence[str], starting_seat: int, events: Iterable[Event]) -> RecordedDraws:
    """Return what was drawn in a game, from its events.

    :param scoring_tiles: the scoring tiles with which the game began.
    :param starting_seat: the starting seat with which it began.
    :param events: the events since the setup or the position.

    >>> import skye
    >>> game, events = skye.new_game(2, seed="play")
    >>> draws_of(game.scoring_tiles, game.starting_seat, events).tiles
    ('L66', 'L61', 'L37', 'L53', 'L44', 'L51')
    """
    drawn = [event.tiles for event in events if isinstance(event, TilesDrawn)]
    tiles = chain.from_iterable(chain.from_iterable(drawn))
    return RecordedDraws(tuple(scoring_tiles), starting_seat, tuple(tiles))


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


def action_of_move(move: Move) -> MoveActionView:
    """Return a move as an action of the HTTP API has it: its `type`, and its fields as the `body`.

    >>> action_of_move(SetOffer("L01", (("L02", 3), ("L03", 1))))
    {'type': 'set_offer', 'body': {'discard': 'L01', 'prices': {'L02': 3, 'L03': 1}}}
    >>> action_of_move(Pass()), action_of_move(FinishBuilding())
    ({'type': 'pass', 'body': {'tile': None}}, {'type': 'finish_building', 'body': None})
    """
    fields: dict[str, object] = {**move_view(move)}
    del fields["type"]
    body = {"tile": None} if isinstance(move, Pass) else fields or None
    return {"type": MOVE_TYPES[type(move)], "body": body}


def move_from_action(action: Mapping[str, Any]) -> Move:
    """Return the move of an action, the inverse of `action_of_move`.

    >>> move_from_action({"type": "buy", "body": {"tile": "L07"}, "method": "PUT"})
    Buy(tile='L07')

    :param action: an object with `type` and `body`, such as a legal action of the HTTP API. Other fields do
        not matter.
    :raises ValueError: when it is no action that makes a move.
    """
    try:
        move = move_from(action["type"], action.get("body") or {})
        hash(move)
    except (KeyError, TypeError, AttributeError):
        raise ValueError(
            f"no action that makes a move, with `type` and the fields of its `body`: {action!r:.200}"
        ) from None
    return move
