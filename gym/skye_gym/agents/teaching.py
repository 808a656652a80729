"""The lesson that teaches the game to a language model."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import files
from typing import Final

from skye.rulesets import BASE, Ruleset
from skye_gym.agents.wording import PLAIN, Wording

_RULES: Final = files("skye_gym.agents").joinpath("lesson.md").read_text(encoding="utf-8")

_NUMBERS: Final = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


CONVENTIONS: Final = (
    "Conventions: a cell (x, y) is x cells east and y cells south of the castle at (0, 0), so y grows to the "
    "south. Sides a/b/c/d are north/east/south/west. r90 is a clockwise rotation by 90 degrees."
)
"""What coordinates, sides and rotations mean; every text that has some contains it."""


def lesson(wording: Wording = PLAIN, ruleset: Ruleset = BASE) -> str:
    """Return the rules of the game in about 700 words, with the scoring tiles of the ruleset.

    >>> lesson().splitlines()[-1]
    'completed_mountains: 2 points for each completed mountain area.'
    """
    tiles = [f"{wording.scoring_tile(tile.id)}: {tile.text}" for tile in ruleset.scoring_tiles.values()]
    return wording.text("\n".join([_RULES.format(**_facts(ruleset)), "**Scoring tiles.**", *tiles]))


def number_word(number: int) -> str:
    """Return a number as a word, if it is small.

    >>> number_word(2), number_word(12)
    ('two', '12')
    """
    return _NUMBERS[number] if number < len(_NUMBERS) else str(number)


def _facts(ruleset: Ruleset) -> dict[str, object]:
    """Return what the rules say about a ruleset."""
    slots, fewest = ruleset.slots, ruleset.players[0]
    times = {sum(slot in scored for scored in ruleset.rounds(n)) for n in ruleset.players for slot in slots}
    rounds_of = {
        slot: [number for number, scored in enumerate(ruleset.rounds(fewest), 1) if slot in scored]
        for slot in slots
    }
    late = [rounds for rounds in rounds_of.values() if rounds and rounds[0] > 2] or [*rounds_of.values()]
    catch_up = next((number for number, gold in enumerate(ruleset.catch_up, 1) if gold), None)
    others = ruleset.tiles_drawn - 1
    return {
        "conventions": CONVENTIONS,
        "players": f"{fewest} to {ruleset.players[-1]}",
        "rounds": _rounds(ruleset),
        "slots": f"{number_word(len(slots)).capitalize()} scoring tiles, {slots[0]} to {slots[-1]},",
        "times": f"Each scores {number_word(times.pop())}\ntimes. " if len(times) == 1 else "",
        "gold_per_point": ruleset.final.gold_per_point,
        "castle": ruleset.castle_income,
        "whisky": ruleset.whisky_income,
        "catch_up": "no catch-up gold"
        if catch_up is None
        else f"from round {catch_up} catch-up gold for each player\n   ahead of you",
        "behind": "" if catch_up is None else " Being behind pays catch-up gold in the later rounds.",
        "drawn": number_word(ruleset.tiles_drawn),
        "minimum": ruleset.minimum_price,
        "others": "the other" if others == 1 else f"each of the other\n   {number_word(others)}",
        "later": _listed(late[0]),
    }


def _rounds(ruleset: Ruleset) -> str:
    usual, *_ = numbers = [len(ruleset.rounds(players)) for players in ruleset.players]
    others = [
        f"{number_word(number)} with {number_word(players)} players"
        for players, number in zip(ruleset.players, numbers, strict=True)
        if number != usual
    ]
    return f"{number_word(usual)} rounds" + (f" ({', '.join(others)})" if others else "")


def _listed(rounds: Sequence[int]) -> str:
    *most, last = map(str, rounds)
    return f"rounds {', '.join(most)} and {last}" if most else f"round {last}"
