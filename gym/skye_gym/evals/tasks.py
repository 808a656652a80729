"""Tasks with exact answers. Each function makes one of a position, or returns None if it is not suitable."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
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


class Task(NamedTuple):
    """A task.

    :param prompt: the text, in the words of its wording.
    :param answer: the answer as JSON data, in the words of the game.
    :param options: answers from which a baseline chooses, or none.
    """

    prompt: str
    answer: Any
    options: tuple[Any, ...] = ()


_CODES: Final = ("legal", "terrain_mismatch")


def legality(position: Position, rng: Random, wording: Wording) -> Task | None:
    """Return the question whether a placement is legal on a free cell next to a tile.

    The cell is one where the tile is legal in some rotation and not in another, and both answers are as
    likely: neither the cell nor the rotation tells which it is.
    """
    game, seat, _ = position
    player = game.players[seat]
    if not player.tiles_to_build:
        return None
    tile = rng.choice(player.tiles_to_build)
    by_cell: dict[tuple[int, int], dict[str, list[Place]]] = defaultdict(lambda: defaultdict(list))
    for x, y in map(coordinates_of, player.territory.frontier):
        for rotation in ROTATIONS:
            error = player.territory.placement_error(tile, x, y, rotation)
            by_cell[x, y][_CODES[error is not None]].append(Place(tile, x, y, rotation))
    cells = sorted(cell for cell, places in by_cell.items() if len(places) == len(_CODES))
    if not cells:
        return None
    code = rng.choice(_CODES)
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


def points(position: Position, rng: Random, wording: Wording) -> Task | None:  # noqa: ARG001 - makes no choice
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


def area(position: Position, rng: Random, wording: Wording) -> Task | None:
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
    its, cell = rng.choice(sorted(found, key=lambda each: each[1]))
    x, y = coordinates_of(cell)
    question = f"""Consider the area that includes the middle of the tile at ({wording.x(x)}, {y}).
How many tiles does it reach, and is it completed?"""
    return Task(
        _prompt(game, seat, question, '{"tiles": 1, "completed": false}', wording),
        {"tiles": its.size, "completed": its.completed},
        tuple({"tiles": size, "completed": done} for size in (2, 3, 4, 5) for done in (False, True)),
    )


def best_of_four(position: Position, rng: Random, wording: Wording) -> Task | None:
    """Return the question which of four placements gives most points this round."""
    game, seat, _ = position
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
"""The gold that a rival pays for a point in the task `prices`."""


def prices(position: Position, rng: Random, wording: Wording) -> Task | None:
    """Return the question which prices a rival would just pay, by what the tiles gain in its territory."""
    game, seat, _ = position
    slots = game.slots_scored_in(game.round)
    if game.phase is not Phase.PRICING or _compares_seats(game, slots):
        return None
    rival = rng.choice([other for other in range(len(game.players)) if other != seat])
    tiles = rng.sample(game.players[seat].tiles_on_offer, 2)
    gold = rng.randint(5, 12)
    gains = [
        max([_gain(place, slots) for place in placement_gains_view(game, rival, tile)], default=0)
        for tile in tiles
    ]
    answer = {tile: min(gold, 1 + _PER_POINT * max(0, gain)) for tile, gain in zip(tiles, gains, strict=True)}
    if len(set(answer.values())) < len(answer):
        return None
    names = [f"{slot} {wording.scoring_tile(game.scoring_tile(slot))}" for slot in slots]
    features = "\n".join(f"  {tile_text(tile, 0, wording, game.ruleset)}" for tile in tiles)
    question = f"""You sell these tiles to the rival, described at rotation 0:
{features}
The rival has {gold} gold, and never pays more. For each tile alone it pays 1 gold, and {_PER_POINT} more for
each point that it would gain in this round with the tile at its best legal place. This round scores
{", ".join(names)}. Which are the highest prices that the rival pays?"""
    example = json.dumps(dict.fromkeys(tiles, 2))
    text = _prompt(game, rival, question, wording.text(example), wording, title="The territory of a rival")
    guesses = [dict(zip(tiles, pair, strict=True)) for pair in product((1, 3, 5, 7), repeat=2)]
    return Task(text, answer, tuple(guesses))


def _compares_seats(game: GameState, slots: Iterable[str]) -> bool:
    """Return whether one of some slots has a majority, which depends on other territories."""
    return any(game.ruleset.scoring_tile(game.scoring_tile(slot)).majority for slot in slots)


TASKS: Final[Mapping[str, Callable[[Position, Random, Wording], Task | None]]] = MappingProxyType(
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
        TASKS[kind](position, Random(f"{seed}/{number}/{kind}/{at}"), wording)
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
    title: str = "Your territory",
) -> str:
    placed = territory_tiles_view(game.players[seat].territory.placed)
    lines = [
        CONVENTIONS,
        f"\n{title} (cell rotation: tile):",
        *territory_lines(placed, wording, game.ruleset),
        f"\n{question}",
        f"End your reply with a JSON object on a line of its own, such as {example}",
    ]
    return wording.text("\n".join(lines))
