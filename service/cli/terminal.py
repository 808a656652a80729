"""A game told in a terminal: its events as lines, its territories as maps, its points as a table.

All of it is made from what the API answers. With `colour` it is told in ANSI colours, without in plain text.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import Any, TypeAlias

Json: TypeAlias = Any
"""A JSON value, as the API answers it."""

LEGEND = """\
ground: . pasture  ^ mountain  ~ water    roads: - |
on it:  @ castle  w whisky  s sheep  c cattle  F farm  B broch  S ship  L lighthouse  $ scroll"""

_SIDES = ("north", "east", "south", "west")
_GROUND = {"pasture": ".", "mountain": "^", "water": "~"}
_THINGS = {
    "whisky": "w",
    "sheep": "s",
    "cattle": "c",
    "farm": "F",
    "broch": "B",
    "ship": "S",
    "lighthouse": "L",
}
_BACKGROUNDS = {"pasture": "48;5;28", "mountain": "48;5;240", "water": "48;5;25"}
_TEXTURES = {"pasture": "38;5;71", "mountain": "38;5;246", "water": "38;5;67"}
_SEAT_COLOURS = {
    "red": "38;5;203",
    "blue": "38;5;75",
    "yellow": "38;5;221",
    "white": "38;5;255",
    "green": "38;5;77",
}
_BOLD, _FAINT, _BRIGHT = "1", "2", "1;38;5;231"
_TILE_WIDTH, _TILE_HEIGHT = 7, 3
_GAP = " " * 4


def painted(text: str, style: str, *, colour: bool) -> str:
    """Return a text in an ANSI style, or as it is without colour."""
    return f"\x1b[{style}m{text}\x1b[0m" if colour else text


class Narrator:
    """Tells the events of one game, as a spectator hears them, in lines."""

    def __init__(self, players: Sequence[Json], *, colour: bool) -> None:
        self._colour = colour
        self._names = [
            painted(player["name"], _SEAT_COLOURS[player["color"]], colour=colour) for player in players
        ]
        self._slots: list[Json] = []
        self._rounds = 0
        self._built: dict[int, list[str]] = {}

    def lines(self, events: Iterable[Json]) -> Iterator[str]:
        """Tell events, oldest first; what needs no words is passed over."""
        for event in events:
            tell = getattr(self, f"_{event['type']}", None)
            if tell is not None:
                yield from tell(event)

    def names(self, seats: Iterable[int]) -> str:
        """Return the names of some seats."""
        return " and ".join(self._names[seat] for seat in seats)

    def _game_started(self, event: Json) -> Iterator[str]:
        self._rounds, self._slots = event["rounds"], event["scoring_tiles"]
        for tile in self._slots:
            rounds = ", ".join(map(str, tile["rounds"]))
            yield f"  {tile['slot']}  {tile['id']:<24}scored in rounds {rounds}"

    def _round_started(self, event: Json) -> Iterator[str]:
        number = event["round"]
        scored = ", ".join(tile["id"] for tile in self._slots if number in tile["rounds"])
        title = painted(f"Round {number} of {self._rounds}", _BOLD, colour=self._colour)
        yield ""
        yield f"{title}: {self._names[event['starting_seat']]} starts; it will score {scored}"

    def _income_paid(self, event: Json) -> Iterator[str]:
        paid = (f"{self._names[of['seat']]} {of['total']}" for of in event["players"])
        yield self._phase("income", ", ".join(paid))

    def _tiles_drawn(self, event: Json) -> Iterator[str]:
        drawn = (f"{self._names[of['seat']]} {' '.join(of['tiles'])}" for of in event["players"])
        yield self._phase("draw", ", ".join(drawn))

    def _offers_revealed(self, event: Json) -> Iterator[str]:
        for offer in event["players"]:
            title = "" if offer["seat"] else "prices"
            prices = ", ".join(f"{tile} for {gold}" for tile, gold in offer["prices"].items())
            yield self._phase(title, f"{self._names[offer['seat']]}: {prices}; discards {offer['discard']}")

    def _tile_bought(self, event: Json) -> Iterator[str]:
        buyer, seller = self._names[event["seat"]], self._names[event["seller"]]
        yield self._phase("buy", f"{buyer} buys {event['tile']} from {seller} for {event['price']}")

    def _buy_passed(self, event: Json) -> Iterator[str]:
        yield self._phase("buy", f"{self._names[event['seat']]} passes")

    def _tile_placed(self, event: Json) -> Iterator[str]:
        turned = f" turned {event['rotation']}" if event["rotation"] else ""
        placed = f"{event['tile']} at ({event['x']}, {event['y']}){turned}"
        self._built.setdefault(event["seat"], []).append(placed)
        yield from ()

    def _placement_taken_back(self, event: Json) -> Iterator[str]:
        self._built[event["seat"]].pop()
        yield from ()

    def _building_finished(self, event: Json) -> Iterator[str]:
        deeds = self._built.pop(event["seat"], [])
        deeds += [f"{tile} fits nowhere and goes back" for tile in event["returned"]]
        yield self._phase("build", f"{self._names[event['seat']]}: {', '.join(deeds) or 'nothing'}")

    def _round_scored(self, event: Json) -> Iterator[str]:
        scored = (
            f"{self._names[of['seat']]} +{sum(of['points'].values())} = {of['score']}"
            for of in event["players"]
        )
        yield self._phase("score", ", ".join(scored))

    def _phase(self, title: str, text: str) -> str:
        return f"  {painted(f'{title:<8}', _FAINT, colour=self._colour)}{text}"


def territory_map(placed: Sequence[Json], catalogue: Mapping[str, Json], *, colour: bool) -> list[str]:
    """Draw a territory, north up, 7 by 3 characters for each tile: terrain, roads and what it shows."""
    tiles = {(at["x"], at["y"]): _tile(catalogue[at["tile"]], at["rotation"] // 90) for at in placed}
    columns = range(min(x for x, _ in tiles), max(x for x, _ in tiles) + 1)
    rows = range(min(y for _, y in tiles), max(y for _, y in tiles) + 1)
    blank = [[(" ", "")] * _TILE_WIDTH] * _TILE_HEIGHT
    return [
        "".join(_cell(*cell, colour=colour) for x in columns for cell in tiles.get((x, y), blank)[line])
        for y in rows
        for line in range(_TILE_HEIGHT)
    ]


def _tile(tile: Json, quarters: int) -> list[list[tuple[str, str]]]:
    """Return three lines of (character, terrain) for a tile turned clockwise."""
    turned = {side: _SIDES[(number + quarters) % 4] for number, side in enumerate(_SIDES)}
    edges = {turned[side]: terrain for side, terrain in tile["edges"].items()}
    roads = {turned[side] for road in tile["roads"] for side in road}
    center = tile["center"]

    def ground(terrain: str) -> tuple[str, str]:
        return _GROUND[terrain], terrain

    def row(side: str) -> list[tuple[str, str]]:
        """Lay the northern or southern edge; where two terrains meet, the middle's goes first."""
        edge = edges[side]
        corners = [ground(center if center == edges[end] else edge) for end in ("west", "east")]
        middle = ("|", edge) if side in roads else ground(edge)
        return [corners[0], ground(edge), ground(edge), middle, ground(edge), ground(edge), corners[1]]

    def end(side: str) -> tuple[str, str]:
        return ("-", center) if side in roads else ground(center)

    shown = [(thing, center) if thing else ground(center) for thing in _shown(tile)]
    across = [ground(edges["west"]), end("west"), *shown, end("east"), ground(edges["east"])]
    return [row("north"), across, row("south")]


def _shown(tile: Json) -> list[str]:
    """Return three signs of what a tile shows, the empty string where there is nothing."""
    if tile["castle"]:
        return ["", "@", ""]
    things = [_THINGS[thing] for thing, number in tile["counts"].items() for _ in range(number)]
    things = ["$"] * bool(tile["scroll"]) + things
    if len(things) > 3:  # then not each of several
        things = list(dict.fromkeys(things))[:3]
    return {0: ["", "", ""], 1: ["", *things, ""], 2: [things[0], "", things[-1]]}.get(len(things), things)


def _cell(sign: str, terrain: str, *, colour: bool) -> str:
    if not colour or not terrain:
        return sign
    style = _TEXTURES[terrain] if sign == _GROUND[terrain] else _BRIGHT
    return painted(sign, f"{style};{_BACKGROUNDS[terrain]}", colour=True)


def side_by_side(maps: Sequence[tuple[str, Sequence[str], int]], width: int) -> Iterator[str]:
    """Set maps, each a title, lines and how wide these are, beside one another as far as they fit."""
    while maps:
        wides = [max(wide, len(title)) for title, _, wide in maps]
        here = 1
        while here < len(maps) and sum(wides[: here + 1]) + len(_GAP) * here <= width:
            here += 1
        blocks = [
            [f"{title:<{wide}}", *(line + " " * (wide - of_lines) for line in lines)]
            for (title, lines, of_lines), wide in zip(maps[:here], wides, strict=False)
        ]
        for row in zip_longest(*blocks):
            yield _GAP.join(line or " " * wide for line, wide in zip(row, wides, strict=False)).rstrip()
        yield ""
        maps = maps[here:]


def score_table(scores: Json, result: Json, names: Sequence[str]) -> Iterator[str]:
    """Tell the points of each player by round and scoring tile, then of final scoring, then all."""
    players = scores["players"]

    def line(title: str, numbers: Iterable[object]) -> str:
        return f"{title:<34}" + "".join(f"{number!s:>8}" for number in numbers)

    yield line("", names)
    for number, of_round in enumerate(players[0]["rounds"]):
        for slot, tile in enumerate(of_round["scoring_tiles"]):
            points = [of["rounds"][number]["scoring_tiles"][slot]["points"] for of in players]
            yield line(f"round {of_round['round']}  {tile['slot']}  {tile['id']}", points)
    yield line("final    scrolls", [of["scroll_points"] for of in result["players"]])
    yield line("final    gold, 1 for every 5", [of["gold_points"] for of in result["players"]])
    yield line("total", [of["score"] for of in result["players"]])
