"""Positions as one line of text, for tests and bug reports: fields of the game, then of each player.

    round=5 phase=buying start=1 tiles=squares,sheep,most_gold,most_ships seed=lab | red gold=12 score=30
    territory=L28@0,-1;L44@0,1/180 offers=L10:3;L11:1 | blue ...

(in one line). The castle of a territory is omitted; a tile is `TILE@x,y/rotation`. In `offers` each tile has
its price, or `x` if it is to be discarded. Fields that a position omits are omitted in its text.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, cast
from urllib.parse import quote, unquote

from skye.errors import Fault, InvalidPosition, InvalidTerritory
from skye.positions.snapshot import FinalPointsView, PlayerPosition, Position, PositionDraw
from skye.rules.state import GameState
from skye.territory.notation import parse_placement
from skye.tiles.tile_set import DEFAULT_RULESET, Place

_Write = Callable[[Any], str]
_Read = Callable[[str], Any]


def _numbers(text: str) -> list[int]:
    return [int(number) for number in text.split(",") if number]


def _drawn_text(entries: list[Mapping[str, Any]]) -> str:
    def price(entry: Mapping[str, Any]) -> str:
        if entry.get("discard"):
            return ":x"
        return f":{entry['price']}" if entry.get("price") is not None else ""

    return ";".join([entry["tile"] + price(entry) for entry in entries])


def _drawn_from(text: str) -> list[PositionDraw]:
    entries: list[PositionDraw] = []
    for word in filter(None, text.split(";")):
        tile, known, price = word.partition(":")
        if not known:
            entries.append({"tile": tile, "price": None, "discard": None})
        elif price == "x":
            entries.append({"tile": tile, "price": None, "discard": True})
        else:
            entries.append({"tile": tile, "price": int(price), "discard": False})
    return entries


def _territory_text(tiles: list[Mapping[str, Any]]) -> str:
    places = [Place(tile["tile"], tile["x"], tile["y"], tile.get("rotation", 0)) for tile in tiles]
    return ";".join([str(place) for place in places if not place.tile.startswith("castle-")])


def _territory_from(text: str) -> list[dict[str, Any]]:
    return [parse_placement(word)._asdict() for word in text.split(";") if word]


def _rows_text(rows: list[list[int]]) -> str:
    return ";".join([",".join(map(str, row)) for row in rows])


def _rows_from(text: str) -> list[list[int]]:
    return [_numbers(row) for row in text.split(";") if row]


def _flag_from(text: str) -> bool:
    return bool(("no", "yes").index(text))


def _flag_text(flag: bool) -> str:
    return "yes" if flag else "no"


def _join(words: list[Any]) -> str:
    return ",".join(map(str, words))


def _words(text: str) -> list[str]:
    return [word for word in text.split(",") if word]


def _final_text(final: Mapping[str, int]) -> str:
    return f"{final['scroll_points']},{final['gold_points']}"


def _final_from(text: str) -> FinalPointsView:
    scrolls, gold = _numbers(text)
    return {"scroll_points": scrolls, "gold_points": gold}


_GAME: Final[dict[str, tuple[str, _Write, _Read]]] = {
    "rules": ("ruleset", str, str),
    "round": ("round", str, int),
    "phase": ("phase", lambda phase: phase or "over", lambda word: None if word == "over" else word),
    "start": ("starting_seat", str, int),
    "buys": ("buys", str, int),
    "tiles": ("scoring_tiles", _join, _words),
    "tie": ("tie_break", str, str),
    "open_gold": ("open_gold", _flag_text, _flag_from),
    "seed": ("seed", lambda seed: "" if seed is None else quote(seed, safe=""), unquote),
    "draws": ("next_draws", _join, _words),
}
_PLAYER: Final[dict[str, tuple[str, _Write, _Read]]] = {
    "gold": ("gold", str, int),
    "score": ("score", str, int),
    "territory": ("territory", _territory_text, _territory_from),
    "offers": ("tiles_on_offer", _drawn_text, _drawn_from),
    "offer_set": ("offer_set", _flag_text, _flag_from),
    "build": ("tiles_to_build", _join, _words),
    "placed": ("placed_this_round", str, int),
    "finished": ("building_finished", _flag_text, _flag_from),
    "points": ("points", _rows_text, _rows_from),
    "sizes": ("territory_sizes", _join, _numbers),
    "final": ("final", _final_text, _final_from),
}


_UNSAID: Final = {"ruleset": DEFAULT_RULESET}
"""Values that a text form leaves out."""


def position_to_text(position: Mapping[str, Any]) -> str:
    """Return a position as one line of text.

    >>> position_to_text({"round": 2, "seed": "a b", "players": [{"color": "red", "gold": 3}, {}]})
    'round=2 seed=a%20b | red gold=3 |'

    :raises TypeError: when it is not a position, such as a game, of which `position_of` returns one.
    """
    _check_type(position)
    game = _to_words(position, _GAME)
    if "seed" in position and position["seed"] is None:
        game = [word for word in game if not word.startswith("seed=")] + ["chance=explicit"]
    players = [
        [*([player["color"]] if player.get("color") else []), *_to_words(player, _PLAYER)]
        for player in position["players"]
    ]
    return " | ".join([" ".join(words) for words in (game, *players)]).strip()


def _check_type(position: object) -> None:
    if not isinstance(position, Mapping):
        hint = ": position_of(game) returns it" if isinstance(position, GameState) else ""
        raise TypeError(f"a position is JSON data, not {type(position).__name__}{hint}")


def position_from_text(text: str) -> Position:
    """Parse a position from one line of text; `game_from_position` checks its values.

    >>> position_from_text("round=2 phase=buying | red gold=3 |")["players"]
    [{'color': 'red', 'gold': 3}, {}]

    :raises InvalidPosition: when a word is unknown or has another format.
    :raises TypeError: when it is not text.
    """
    if not isinstance(text, str):
        raise TypeError(f"a position in text form is a str, not {type(text).__name__}")
    faults: list[Fault] = []
    game, *players = text.split("|")
    words = game.split()
    game_words = [word for word in words if word != "chance=explicit"]
    position = cast("Position", _from_words(game_words, _GAME, "", faults))
    if "chance=explicit" in words:
        position["seed"] = None
    position["players"] = [
        cast("PlayerPosition", _from_words(player.split(), _PLAYER, f"/players/{seat}", faults))
        for seat, player in enumerate(players)
    ]
    if faults:
        raise InvalidPosition(faults)
    return position


def _to_words(fields: Mapping[str, Any], table: dict[str, tuple[str, _Write, _Read]]) -> list[str]:
    words = []
    for word, (name, write, _) in table.items():
        if (
            name in fields
            and (fields[name] is not None or name == "phase")
            and (name not in _UNSAID or fields[name] != _UNSAID[name])
        ):
            words.append(f"{word}={write(fields[name])}")
    return words


def _from_words(
    words: list[str], table: dict[str, tuple[str, _Write, _Read]], at: str, faults: list[Fault]
) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    for word in words:
        name, value_follows, value = word.partition("=")
        if at and word.isalpha() and not value_follows and "color" not in fields:
            fields["color"] = word
        elif name not in table:
            faults.append(Fault(at, f"{word!r} cannot be read"))
        else:
            field, _, read = table[name]
            try:
                fields[field] = read(value)
            except (ValueError, InvalidTerritory):
                faults.append(Fault(f"{at}/{field}", f"{word!r} cannot be read"))
    return fields
