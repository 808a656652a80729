"""The rulesets of games in this process; those that an operator has corrected come from the catalogue."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

from skye.rulesets import RULESETS, InvalidRulesetData, Ruleset, register, ruleset_of
from skye_client import AsyncSkye
from skye_mcp.choice import Json


class UnknownRuleset(Exception):
    """A game has rules that this version does not know; the message says so."""


async def load_ruleset(skye: AsyncSkye, ruleset_id: str) -> Ruleset:
    """Return the ruleset of a game; load its tiles and rounds from the server if this process lacks them.

    :raises UnknownRuleset: when it corrects no ruleset of this version, or its id does not fit its tiles.
    """
    if ruleset_id in RULESETS:
        return ruleset_of(ruleset_id)
    original = RULESETS.get(ruleset_id.partition("+")[0])
    if original is None:
        raise UnknownRuleset(f"This version of skye-mcp does not know the ruleset {ruleset_id}.")
    query = {"ruleset": ruleset_id}
    tiles = await skye.transport.json("GET", "/v1/tiles", query=query)
    scoring = await skye.transport.json("GET", "/v1/scoring-tiles", query=query)
    try:
        loaded = original.with_data(
            "\n".join(_lines(tiles["tiles"], scoring["round_tables"])), "the catalogue"
        )
    except InvalidRulesetData as error:
        raise UnknownRuleset(f"The server's catalogue of {ruleset_id} cannot be read: {error}") from error
    if loaded.id != ruleset_id:
        raise UnknownRuleset(f"The server's catalogue of {ruleset_id} is that of {loaded.id}.")
    return register(loaded)


async def ruleset_of_new_games(skye: AsyncSkye) -> Ruleset:
    """Return the ruleset of games that are created without naming one."""
    listed = cast("Json", await skye.transport.json("GET", "/v1/scoring-tiles"))
    return await load_ruleset(skye, listed["ruleset"])


def _lines(tiles: list[Any], tables: list[Any]) -> Iterator[str]:
    """Return the lines of a data file of a ruleset, as `skye.rulesets.data` describes them."""
    for tile in tiles:
        ground = "".join(tile["edges"][side][0] for side in ("north", "east", "south", "west"))
        roads = ",".join("".join(side[0] for side in road) for road in tile["roads"])
        shown = [f"{thing}*{number}" for thing, number in tile["counts"].items() if number]
        scroll = [f"scroll:{tile['scroll']}"] if tile["scroll"] else []
        terrain = f"{ground}/{tile['center'][0]}".upper()
        yield " ".join([tile["id"], terrain, roads.upper() or "-", *shown, *scroll])
    for table in tables:
        yield f"rounds {table['players']} {' '.join(map(''.join, table['rounds']))}"
