"""Tasks with exact answers. Each function makes one of a position, or returns None if it is not suitable."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
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


_CODES: Final = ("legal", "cell_occupied", "not_adjacent", "terrain_mismatch")


def legality(position: Position, rng: Random, wording: Wording) -> Task | None:
    """Return the question whether a placement is legal, and why not."""
    game, seat, _ = position
    player = game.players[seat]
    if not player.tiles_to_build:
        return None
    tile = rng.choice(player.tiles_to_build)
    by_code = defaultdict(list)
    for place in _places_around(game, seat, tile):
        error = player.territory.placement_error(*place)
        by_code["legal" if error is None else error.code].append(place)
    code = rng.choice(sorted(by_code))
    action = {"type": "place", "body": move_view(rng.choice(by_code[code]))}
    question = f"""In your hand: {tile_text(tile, 0, wording, game.ruleset)}
Is this legal: {action_text(action, wording)}? A rotation is clockwise, from the orientation described.
The answer is one of: legal; cell_occupied (the cell has a tile); not_adjacent (no tile shares an edge
with the cell); terrain_mismatch (terrain differs on a shared edge)."""
    return Task(
        _prompt(game, seat, question, '{"answer": "legal"}', wording),
        {"answer": code},
        tuple({"answer": each} for each in _CODES),
    )


def _places_around(game: GameState, seat: int, tile: str) -> Iterator[Place]:
    placed = game.players[seat].territory.placed
    xs, ys = [each.x for each in placed], [each.y for each in placed]
    for x in range(min(xs) - 2, max(xs) + 3):
        for y in range(min(ys) - 2, max(ys) + 3):
            for rotation in ROTATIONS:
                yield Place(tile, x, y, rotation)


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
    if any(game.ruleset.scoring_tile(game.scoring_tile(slot)).majority for slot in slots):
        return None  # it depends on other territories
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


def prices(position: Position, rng: Random, wording: Wording) -> Task | None:
    """Return the question which prices meet constraints."""
    game, seat, _ = position
    if game.phase is not Phase.PRICING:
        return None
    _, dear, cheap = rng.sample(game.players[seat].tiles_on_offer, 3)
    others = [rng.randint(3, 9) for _ in range(len(game.players) - 1)]
    reserve, high = rng.randint(0, 4), max(others) + 1
    gold = high + reserve + rng.randint(1, 9)
    purses = " and ".join(map(str, others))
    question = f"""Before the offers, you have {gold} gold, and the others have {purses}.
Nobody's gold changes before you sell. Price {dear} so that nobody can pay it, as cheaply as that is possible.
Keep at least {reserve} gold in your purse. Under these conditions price {cheap} as high as possible, but so
that each of the others could pay it. Which prices are these?"""
    example = json.dumps({dear: 2, cheap: 1})
    low = min(*others, gold - reserve - high)
    return Task(_prompt(game, seat, question, wording.text(example), wording), {dear: high, cheap: low})


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


def _prompt(game: GameState, seat: int, question: str, example: str, wording: Wording) -> str:
    placed = territory_tiles_view(game.players[seat].territory.placed)
    lines = [
        CONVENTIONS,
        "\nYour territory (cell rotation: tile):",
        *territory_lines(placed, wording, game.ruleset),
        f"\n{question}",
        f"End your reply with a JSON object on a line of its own, such as {example}",
    ]
    return wording.text("\n".join(lines))
