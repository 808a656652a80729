"""Shows a game in a terminal: events as lines, territories as maps, scores as a table.

Everything is made from responses of the API. The results are rich's texts and tables, which a console without
colours prints as plain text.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from rich.columns import Columns
from rich.table import Table
from rich.text import Text

Json: TypeAlias = Any
"""A JSON value from a response of the API."""

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
_BACKGROUNDS = {"pasture": "color(28)", "mountain": "color(240)", "water": "color(25)"}
_TEXTURES = {"pasture": "color(71)", "mountain": "color(246)", "water": "color(67)"}
_SEAT_COLORS = {
    "red": "color(203)",
    "blue": "color(75)",
    "yellow": "color(221)",
    "white": "color(255)",
    "green": "color(77)",
}
_SIGN_STYLE = "bold color(231)"
_TILE_WIDTH, _TILE_HEIGHT = 7, 3


class Narrator:
    """Describes the events of one game, as a spectator gets them, in lines."""

    def __init__(self, players: Sequence[Json]) -> None:
        self._names = [Text(player["name"], _SEAT_COLORS[player["color"]]) for player in players]
        self._slots: list[Json] = []
        self._rounds = 0
        self._built: dict[int, list[str]] = {}

    def lines(self, events: Iterable[Json]) -> Iterator[Text]:
        """Yield lines for events, oldest first; some types of events have none."""
        for event in events:
            describe = getattr(self, f"_{event['type']}", None)
            if describe is not None:
                yield from describe(event)

    def _game_started(self, event: Json) -> Iterator[Text]:
        self._rounds, self._slots = event["round_count"], event["scoring_tiles"]
        for tile in self._slots:
            rounds = ", ".join(map(str, tile["rounds"]))
            yield Text(f"  {tile['slot']}  {tile['scoring_tile']:<24}scored in rounds {rounds}")

    def _round_started(self, event: Json) -> Iterator[Text]:
        number = event["round"]
        scored = ", ".join(tile["scoring_tile"] for tile in self._slots if number in tile["rounds"])
        yield Text()
        yield Text.assemble(
            (f"Round {number} of {self._rounds}", "bold"),
            ": ",
            self._names[event["starting_seat"]],
            f" starts; it will score {scored}",
        )

    def _income_paid(self, event: Json) -> Iterator[Text]:
        paid = [self._said(of["seat"], f" {of['total']}") for of in event["players"]]
        yield _phase("income", Text(", ").join(paid))

    def _tiles_drawn(self, event: Json) -> Iterator[Text]:
        drawn = [self._said(of["seat"], f" {' '.join(of['tiles'])}") for of in event["players"]]
        yield _phase("draw", Text(", ").join(drawn))

    def _offers_revealed(self, event: Json) -> Iterator[Text]:
        for offer in event["players"]:
            title = "" if offer["seat"] else "prices"
            prices = ", ".join(f"{tile} for {gold}" for tile, gold in offer["prices"].items())
            yield _phase(title, self._said(offer["seat"], f": {prices}; discards {offer['discard']}"))

    def _tile_bought(self, event: Json) -> Iterator[Text]:
        bought = self._said(event["seat"], f" buys {event['tile']} from ")
        yield _phase("buy", bought + self._said(event["seller"], f" for {event['price']}"))

    def _purchase_passed(self, event: Json) -> Iterator[Text]:
        yield _phase("buy", self._said(event["seat"], " passes"))

    def _tile_placed(self, event: Json) -> Iterator[Text]:
        rotated = f" turned {event['rotation']}" if event["rotation"] else ""
        placed = f"{event['tile']} at ({event['x']}, {event['y']}){rotated}"
        self._built.setdefault(event["seat"], []).append(placed)
        yield from ()

    def _placement_taken_back(self, event: Json) -> Iterator[Text]:
        self._built[event["seat"]].pop()
        yield from ()

    def _building_finished(self, event: Json) -> Iterator[Text]:
        built = self._built.pop(event["seat"], [])
        built += [f"{tile} fits nowhere and goes back" for tile in event["tiles_returned"]]
        yield _phase("build", self._said(event["seat"], f": {', '.join(built) or 'nothing'}"))

    def _round_scored(self, event: Json) -> Iterator[Text]:
        scored = [
            self._said(of["seat"], f" +{sum(tile['points'] for tile in of['scoring_tiles'])} = {of['score']}")
            for of in event["players"]
        ]
        yield _phase("score", Text(", ").join(scored))

    def _said(self, seat: int, text: str) -> Text:
        """Return a player's name in its colour, followed by a text."""
        return Text.assemble(self._names[seat], text)


def _phase(title: str, text: Text) -> Text:
    return Text.assemble("  ", (f"{title:<8}", "dim"), text)


def territory_map(placed: Sequence[Json], catalogue: Mapping[str, Json]) -> Text:
    """Draw a territory, north up, 7 by 3 characters for each tile: terrain, roads and symbols."""
    tiles = {(at["x"], at["y"]): _tile(catalogue[at["tile"]], at["rotation"] // 90) for at in placed}
    columns = range(min(x for x, _ in tiles), max(x for x, _ in tiles) + 1)
    rows = range(min(y for _, y in tiles), max(y for _, y in tiles) + 1)
    blank = [[(" ", "")] * _TILE_WIDTH] * _TILE_HEIGHT
    lines = [
        Text.assemble(*(_styled(*cell) for x in columns for cell in tiles.get((x, y), blank)[line]))
        for y in rows
        for line in range(_TILE_HEIGHT)
    ]
    return Text("\n").join(lines)


def _tile(tile: Json, quarters: int) -> list[list[tuple[str, str]]]:
    """Return three lines of (character, terrain) of a tile, rotated clockwise."""
    turned = {side: _SIDES[(number + quarters) % 4] for number, side in enumerate(_SIDES)}
    edges = {turned[side]: terrain for side, terrain in tile["edges"].items()}
    roads = {turned[side] for road in tile["roads"] for side in road}
    center = tile["center"]

    def ground(terrain: str) -> tuple[str, str]:
        return _GROUND[terrain], terrain

    def row(side: str) -> list[tuple[str, str]]:
        """Return the northern or southern edge; in a corner of two terrains, the center's comes first."""
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
    """Return three symbols of a tile, or empty strings."""
    if tile["kind"] == "castle":
        return ["", "@", ""]
    things = [_THINGS[thing] for thing, number in tile["counts"].items() for _ in range(number)]
    things = ["$"] * bool(tile["scroll"]) + things
    if len(things) > 3:  # then one of each kind
        things = list(dict.fromkeys(things))[:3]
    return {0: ["", "", ""], 1: ["", *things, ""], 2: [things[0], "", things[-1]]}.get(len(things), things)


def _styled(sign: str, terrain: str) -> tuple[str, str]:
    """Return a character and its style."""
    if not terrain:
        return sign, ""
    style = _TEXTURES[terrain] if sign == _GROUND[terrain] else _SIGN_STYLE
    return sign, f"{style} on {_BACKGROUNDS[terrain]}"


def side_by_side(maps: Iterable[tuple[str, Text]]) -> Columns:
    """Set maps with their titles next to each other, as many in a row as fit."""
    return Columns([Text.assemble(title, "\n", drawn, "\n") for title, drawn in maps], padding=(0, 4))


def score_table(scores: Json, result: Json, names: Sequence[str]) -> Table:
    """Return the points of each player by round and scoring tile, then of final scoring, then the totals."""
    players = scores["players"]
    table = Table("", box=None, pad_edge=False)
    for name in names:
        table.add_column(name, justify="right")

    def add(title: str, numbers: Iterable[int]) -> None:
        table.add_row(title, *map(str, numbers))

    for number, of_round in enumerate(players[0]["rounds"]):
        for slot, tile in enumerate(of_round["scoring_tiles"]):
            points = [of["rounds"][number]["scoring_tiles"][slot]["points"] for of in players]
            add(f"round {of_round['round']}  {tile['slot']}  {tile['scoring_tile']}", points)
    add("final    scrolls", [of["scroll_points"] for of in result["players"]])
    add("final    gold, 1 for every 5", [of["gold_points"] for of in result["players"]])
    add("total", [of["score"] for of in result["players"]])
    return table
