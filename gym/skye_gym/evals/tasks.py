"""Tasks with exact answers. Each function makes one of a position, or returns None if it is not suitable."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import product
from random import Random
from types import MappingProxyType
from typing import Any, Final, NamedTuple

from skye.rules.state import GameState, Phase
from skye.tiles import ROTATIONS, coordinates_of
from skye.tiles.tile_set import Place
from skye.views import PlacementGainsView, move_view, placement_gains_view, territory_tiles_view, what_if_view
from skye_gym.agents import CONVENTIONS, UnusableReply, Wording, action_text, json_in, tile_text
from skye_gym.agents.decision import territory_lines
from skye_gym.evals.positions import Position, in_random_order
from skye_gym.evals.questions import VARIANTS, canonical, wording_of
from skye_gym.evals.scripts import neighbours


class Task(NamedTuple):
    """A task.

    :param prompt: the text, in the words of its wording.
    :param answer: the answer as JSON data, in the words of the game.
    :param options: answers from which a baseline chooses, or none.
    """

    prompt: str
    answer: Any
    options: tuple[Any, ...] = ()


class Draw(NamedTuple):
    """What the choices of a task depend on, beside its position.

    :param rng: the generator.
    :param seed: the seed of the run.
    :param number: the number of the task.
    """

    rng: Random
    seed: str
    number: int


_CODES: Final = ("legal", "terrain_mismatch")

_BLOCK: Final = 10
"""Of so many tasks `legality` in a row, each answer is that of half, in random order."""


def legality(position: Position, draw: Draw, wording: Wording) -> Task | None:
    """Return the question whether a placement is legal on a free cell next to a tile.

    The cell is one where the tile is legal in some rotation and not in another. Half of the tasks have each
    answer, and half a cell with one neighbour: neither the cell nor the rotation tells which it is.
    """
    game, seat, _ = position
    rng = draw.rng
    player = game.players[seat]
    if not player.tiles_to_build:
        return None
    tile = rng.choice(player.tiles_to_build)
    by_cell: dict[tuple[int, int], dict[str, list[Place]]] = defaultdict(lambda: defaultdict(list))
    for x, y in map(coordinates_of, player.territory.frontier):
        for rotation in ROTATIONS:
            error = player.territory.placement_error(tile, x, y, rotation)
            by_cell[x, y][_CODES[error is not None]].append(Place(tile, x, y, rotation))
    code, one_neighbour = _wanted_legality(draw)
    taken = {(placed.x, placed.y) for placed in player.territory.placed}
    cells = sorted(
        cell
        for cell, places in by_cell.items()
        if len(places) == len(_CODES) and (neighbours(*cell, taken) == 1) == one_neighbour
    )
    if not cells:
        return None
    place = rng.choice(by_cell[rng.choice(cells)][code])
    action = {"type": "place", "body": move_view(place)}
    question = f"""In your hand: {tile_text(tile, 0, wording, game.ruleset)}
Is this legal: {action_text(action, wording)}? A rotation is clockwise, from the orientation described.
The answer is one of: legal; terrain_mismatch (terrain differs on a shared edge)."""
    return Task(
        _prompt(game, seat, question, '{"answer": "legal"}', wording),
        {"answer": code},
        tuple({"answer": each} for each in _CODES),
    )


def _wanted_legality(draw: Draw) -> tuple[str, bool]:
    """Return the answer of a task `legality`, and whether its cell has one neighbour."""
    block, at = divmod(draw.number, _BLOCK)
    order = Random(f"{draw.seed}/legality/{block}").sample(range(_BLOCK), _BLOCK)[at]
    return _CODES[order % 2], bool((order // 2 + block) % 2)


def points(position: Position, draw: Draw, wording: Wording) -> Task | None:  # noqa: ARG001 - makes no choice
    """Return the question where points come from."""
    game, seat, _ = position
    worth = {
        each["slot"]: each["before"]
        for each in what_if_view(game, seat, [])["scoring_tiles"]
        if not game.ruleset.scoring_tile(each["scoring_tile"]).majority
    }
    total = sum(value or 0 for value in worth.values())
    if len(worth) < 2 or not total:
        return None
    names = [f"{slot} {wording.scoring_tile(game.scoring_tile(slot))}" for slot in worth]
    question = f"""The territory is worth {total} points by these scoring tiles: {", ".join(names)}.
How many points are from each of them?"""
    example = json.dumps(dict.fromkeys(worth, 0))
    return Task(_prompt(game, seat, question, example, wording), worth)


def area(position: Position, draw: Draw, wording: Wording) -> Task | None:
    """Return the question how large an area is, and whether it is completed."""
    game, seat, _ = position
    found = [
        (area, cell)
        for area in game.players[seat].territory.summary.areas
        for cell, region in area.parts
        if region.center and area.size > 1
    ]
    if not found:
        return None
    its, cell = draw.rng.choice(sorted(found, key=lambda each: each[1]))
    x, y = coordinates_of(cell)
    question = f"""Consider the area that includes the middle of the tile at ({wording.x(x)}, {y}).
How many tiles does it reach, and is it completed?"""
    return Task(
        _prompt(game, seat, question, '{"tiles": 1, "completed": false}', wording),
        {"tiles": its.size, "completed": its.completed},
        tuple({"tiles": size, "completed": done} for size in (2, 3, 4, 5) for done in (False, True)),
    )


def best_of_four(position: Position, draw: Draw, wording: Wording) -> Task | None:
    """Return the question which of four placements gives most points this round."""
    game, seat, _ = position
    rng = draw.rng
    slots = game.slots_scored_in(game.round)
    if _compares_seats(game, slots):
        return None
    by_gain: dict[int, list[Place]] = defaultdict(list)
    for tile in game.players[seat].tiles_to_build:
        for place in placement_gains_view(game, seat, tile):
            by_gain[_gain(place, slots)].append(
                Place(place["tile"], place["x"], place["y"], place["rotation"])
            )
    lower = [place for gain, places in by_gain.items() if gain < max(by_gain) for place in places]
    if len(lower) < 3:
        return None
    best = rng.choice(by_gain[max(by_gain)])
    four = [best, *rng.sample(lower, 3)]
    rng.shuffle(four)
    listed = "\n".join(
        f"{number}: {action_text({'type': 'place', 'body': move_view(place)}, wording)}"
        for number, place in enumerate(four, 1)
    )
    tiles = "\n".join(
        f"  {tile_text(tile, 0, wording, game.ruleset)}" for tile in dict.fromkeys(each.tile for each in four)
    )
    names = [f"{slot} {wording.scoring_tile(game.scoring_tile(slot))}" for slot in slots]
    question = f"""Tiles in your hand, at rotation 0:
{tiles}
This round scores {", ".join(names)}.
Each of these placements is legal. Which one gives you most points this round?
{listed}"""
    return Task(
        _prompt(game, seat, question, '{"number": 1}', wording),
        {"number": four.index(best) + 1},
        tuple({"number": number} for number in range(1, 5)),
    )


def _gain(place: PlacementGainsView, slots: Iterable[str]) -> int:
    return sum(gain["points"] or 0 for gain in place["gains"] if gain["slot"] in slots)


_PER_POINT: Final = 2
"""The gold that a point is worth in the task `prices`."""

_ONE_FORMULA: Final = 3
"""One in so many tasks `prices` may have an answer that one of the simple formulas gives."""


def prices(position: Position, draw: Draw, wording: Wording) -> Task | None:
    """Return the question which prices of two tiles are best against a rival that buys by a given rule.

    The minimum, the purse and what the tiles gain in both territories are those of the position. In most
    tasks none of some simple formulas (`formula_prices`) gives the answer.
    """
    game, seat, _ = position
    if game.phase is not Phase.PRICING:
        return None
    slots = [slot for slot in game.ruleset.slots if not _compares_seats(game, [slot])]
    rival = draw.rng.choice([other for other in range(len(game.players)) if other != seat])
    tiles = draw.rng.sample(game.players[seat].tiles_on_offer, 2)
    minimum, purses = game.ruleset.minimum_price, [each.gold + each.stakes for each in game.players]
    left = draw.rng.randint(2 * minimum, max(2 * minimum, purses[rival] // 2))
    own, others = ([_best_gain(game, each, tile, slots) for tile in tiles] for each in (seat, rival))
    results = {
        pair: left_after(pair, own, others, left)
        for pair in product(range(minimum, purses[seat] + 1), repeat=2)
        if sum(pair) <= purses[seat]
    }
    if not results:
        return None
    most = max(results.values())
    best = min(
        (pair for pair, result in results.items() if result == most), key=lambda pair: (sum(pair), pair)
    )
    formulas = formula_prices(others, left, minimum)
    excluded = ("worth", "minimum") if draw.number % _ONE_FORMULA == 0 else formulas
    if best in [formulas[name] for name in excluded]:
        return None
    names = [f"{slot} {wording.scoring_tile(game.scoring_tile(slot))}" for slot in slots]
    features = "\n".join(f"  {tile_text(tile, 0, wording, game.ruleset)}" for tile in tiles)
    question = f"""You offer these two tiles to the rival, described at rotation 0:
{features}
You have {purses[seat]} gold, and put the price of each tile on it: at least {minimum} each, at most your gold
together. The rival has {left} gold left. The worth of a tile to a player is {_PER_POINT} gold for each point
that the tile gains in the territory of the player at its best legal place, placed alone, and at least 0.
These scoring tiles count, once each, as the territories are now: {", ".join(names)}.
The rival buys at most one tile, at a price that the rival can pay: the tile whose worth to the rival is most
above its price, of two equal ones {tiles[0]}. The rival buys none whose worth to the rival is below its
price. If a tile is sold you get its price, and your own gold on it back. A tile that is not sold is yours:
you gain its worth to you, and lose the gold on it.
Which two prices leave you most? Of equally good ones, those with the lowest sum,
then with the lower price of {tiles[0]}."""
    example = json.dumps(dict.fromkeys(tiles, 2))
    text = _prompt(game, seat, question, wording.text(example), wording, rival=rival)
    guesses = [dict(zip(tiles, pair, strict=True)) for pair in product((1, 2, 3, 5), repeat=2)]
    return Task(text, dict(zip(tiles, best, strict=True)), tuple(guesses))


def formula_prices(others: Sequence[int], purse: int, minimum: int) -> dict[str, tuple[int, int]]:
    """Return the prices of simple formulas, which ignore some constraint of the task `prices`, by name.

    >>> formula_prices([3, 1], 9, 1)["worth"]
    (6, 2)

    :param others: the points that each of the two tiles gains the rival.
    :param purse: the gold of the rival.
    """
    one, other = (min(purse, max(minimum, _PER_POINT * points)) for points in others)
    more = _PER_POINT * (others[0] - others[1])
    above = min(purse, max(minimum, more + minimum)), minimum
    below = minimum, min(purse, max(minimum, -more + minimum - 1))
    return {
        "worth": (one, other),
        "worth of the first": (one, minimum),
        "worth of the second": (minimum, other),
        "difference": above if more >= 0 else below,
        "minimum": (minimum, minimum),
    }


def _best_gain(game: GameState, seat: int, tile: str, slots: Iterable[str]) -> int:
    return max([0, *[_gain(place, slots) for place in placement_gains_view(game, seat, tile)]])


def left_after(prices: Sequence[int], own: Sequence[int], others: Sequence[int], purse: int) -> int:
    """Return what two prices leave the seller, by the rule of the task `prices`.

    :param own: the points that each tile gains the seller.
    :param others: those that it gains the rival.
    :param purse: the gold of the rival.
    """
    bought, most = None, -1
    for at, price in enumerate(prices):
        above = _PER_POINT * others[at] - price
        if price <= purse and above > most:
            bought, most = at, above
    return sum(price if at == bought else _PER_POINT * own[at] - price for at, price in enumerate(prices))


def _compares_seats(game: GameState, slots: Iterable[str]) -> bool:
    """Return whether one of some slots has a majority, which depends on other territories."""
    return any(game.ruleset.scoring_tile(game.scoring_tile(slot)).majority for slot in slots)


TASKS: Final[Mapping[str, Callable[[Position, Draw, Wording], Task | None]]] = MappingProxyType(
    {"legality": legality, "points": points, "area": area, "best_of_four": best_of_four, "prices": prices}
)
"""The tasks with exact answers by name."""


def task_of(kind: str, seed: str, number: int, wording: Wording) -> Task:
    """Return a task: the first position of a game that is suitable makes it.

    The wording changes no choice.

    :param kind: one of `TASKS`.
    :param seed: the seed of the run.
    :param number: the number of the task.
    """
    tried = (
        TASKS[kind](position, Draw(Random(f"{seed}/{number}/{kind}/{at}"), seed, number), wording)
        for at, position in in_random_order(seed, number, kind)
    )
    return next(task for task in tried if task is not None)


def is_correct(reply: str, task: Task, wording: Wording) -> bool:
    """Return whether a reply has the answer of a task; the types count, so `true` is not 1."""
    try:
        return canonical(json_in(wording.game_text(reply))) == canonical(task.answer)
    except UnusableReply:
        return False


def task_line(kind: str, seed: str, number: int) -> bytes:
    """Return a task with both wordings as a line of JSON; published hashes are those of such lines."""
    tasks = {
        variant: task_of(kind, seed, number, wording_of(variant, f"{seed}/{number}")) for variant in VARIANTS
    }
    prompts = {variant: task.prompt for variant, task in tasks.items()}
    line = {"kind": kind, "number": number, "prompts": prompts, "answer": tasks["plain"].answer}
    return canonical(line) + b"\n"


def _prompt(
    game: GameState,
    seat: int,
    question: str,
    example: str,
    wording: Wording,
    *,
    rival: int | None = None,
) -> str:
    """Return the text of a task.

    :param rival: a seat whose territory the text has, too.
    """
    lines = [CONVENTIONS]
    for title, each in (("Your territory", seat), ("The territory of the rival", rival)):
        if each is not None:
            placed = territory_tiles_view(game.players[each].territory.placed)
            lines += [f"\n{title} (cell rotation: tile):", *territory_lines(placed, wording, game.ruleset)]
    lines += [
        f"\n{question}",
        f"End your reply with a JSON object on a line of its own, such as {example}",
    ]
    return wording.text("\n".join(lines))
