"""Records as JSON data, in the format that the HTTP API exports and imports."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, TypedDict

from skye.errors import InvalidRecord, SkyeError
from skye.positions.importing import game_from_position
from skye.positions.record import (
    MOVE_TYPES,
    Action,
    Record,
    RecordedDraws,
    checked_groups,
    draws_of,
    move_from,
    move_view,
    replay,
)
from skye.positions.snapshot import Position, position_of
from skye.rules.moves import SetOffer
from skye.rules.setup import Options
from skye.rulesets.ruleset import RULESETS
from skye.scoring.final import TieBreak
from skye.tiles.tile_set import DEFAULT_RULESET

RECORD_FORMAT: Final = 3
"""The version of the format of records."""

OLDEST_RECORD_FORMAT: Final = 2
"""The oldest format that is read: in it each seat that was given up has a date of its own."""


class RecordedPlayerView(TypedDict):
    """A player of a recorded game."""

    name: str
    color: str
    bot: str | None


class RecordedOptionsView(TypedDict):
    """The seed and the options of a recorded game."""

    seed: str | None
    scoring_tiles: list[str] | None
    first_seat: int | None
    tie_break: str
    open_gold: bool


class RecordedDrawsView(TypedDict):
    """What was drawn in a recorded game."""

    scoring_tiles: Sequence[str]
    starting_seat: int
    tiles: Sequence[str]


class RecordView(TypedDict):
    """A record as JSON data."""

    format: int
    ruleset: str
    players: list[RecordedPlayerView]
    options: RecordedOptionsView
    position: Position | None
    draws: RecordedDrawsView
    gave_up: list[list[int]]
    actions: list[dict[str, Any]]


def record_to_json(record: Record, names: Sequence[str] | None = None) -> RecordView:
    """Return a record as JSON data, from which a server of the HTTP API can begin a game too.

    >>> from skye import Options
    >>> view = record_to_json(Record(("red", "blue"), "lab", Options(), ()))
    >>> view["players"][0], view["options"]["seed"]
    ({'name': 'Player 1', 'color': 'red', 'bot': None}, 'lab')

    :param names: the names of the players, by seat.
    :raises InvalidRecord: when an action breaks a rule.
    """
    outcomes = replay(record)
    before = [outcome.game for outcome in outcomes]
    names = names or [f"Player {seat}" for seat in range(1, len(record.colors) + 1)]
    options, chosen = record.options, record.options.scoring_tiles
    return {
        "format": RECORD_FORMAT,
        "ruleset": options.ruleset if record.position is None else record.position.ruleset_id,
        "players": [
            {"name": name, "color": color, "bot": None}
            for name, color in zip(names, record.colors, strict=True)
        ],
        "options": {
            "seed": record.seed,
            "scoring_tiles": None if chosen is None else list(chosen),
            "first_seat": options.first_seat,
            "tie_break": str(options.tie_break),
            "open_gold": options.open_gold,
        },
        "position": None if record.position is None else position_of(record.position),
        "draws": draws_to_json(
            draws_of(
                before[0].scoring_tiles,
                before[0].starting_seat,
                [event for outcome in outcomes for event in outcome.events],
            )
        ),
        "gave_up": [list(group) for group in record.gave_up],
        "actions": [
            {"seat": action.seat, "round": game.round, "phase": str(game.phase), **move_view(action.move)}
            for game, action in zip(before, record.actions, strict=False)
        ],
    }


def draws_to_json(draws: RecordedDraws) -> RecordedDrawsView:
    """Return the draws of a record as JSON data.

    >>> draws_to_json(RecordedDraws(("sheep", "squares", "most_gold", "largest_lake"), 1, ()))
    {'scoring_tiles': ['sheep', 'squares', 'most_gold', 'largest_lake'], 'starting_seat': 1, 'tiles': []}
    """
    return {
        "scoring_tiles": list(draws.scoring_tiles),
        "starting_seat": draws.starting_seat,
        "tiles": list(draws.tiles),
    }


def record_from_json(data: Mapping[str, Any]) -> Record:
    """Return the record that JSON data describe; `replay` checks its actions.

    >>> from skye import Options
    >>> record = record_from_json(record_to_json(Record(("red", "blue"), "lab", Options(), ())))
    >>> record.seed, record.draws.tiles[:3]
    ('lab', ('L51', 'L41', 'L19'))
    >>> record_from_json(record_to_json(record)) == record
    True

    :param data: a record as `record_to_json` and the HTTP API return it, of a game that is over. One without
        `draws`, such as a record written by hand, is replayed with the draws of its seed.
    :raises InvalidRecord: when a field is missing or has another type, values are hidden, there is no such
        ruleset, or the format is newer.
    :raises InvalidPosition: when no game can have the position.
    """
    if not isinstance(data, Mapping):
        raise InvalidRecord("The record is not an object.")
    if data.get("format", RECORD_FORMAT) not in range(OLDEST_RECORD_FORMAT, RECORD_FORMAT + 1):
        raise InvalidRecord(
            f"The record has the format {data['format']!r:.40}; from {OLDEST_RECORD_FORMAT} to "
            f"{RECORD_FORMAT} are read."
        )
    try:
        ruleset = _field(data, "", "ruleset", str) if "ruleset" in data else DEFAULT_RULESET
        if ruleset not in RULESETS:
            raise InvalidRecord(f"There is no ruleset {ruleset!r} here.")
        options, position = _field(data, "", "options", Mapping), data.get("position")
        chosen = _field(options, "/options", "scoring_tiles", list, or_null=True)
        if chosen is not None and not all(isinstance(tile, str) for tile in chosen):
            raise _other_format("/options/scoring_tiles is not a list of strings")
        seed = _field(options, "/options", "seed", str, or_null=True)
        if seed is None and position is None:
            raise InvalidRecord("The record has no seed: the game was not over.")
        players = _field(data, "", "players", list)
        begun = None if position is None else game_from_position(position, seed)
        if begun is not None and len(players) != len(begun.players):
            raise InvalidRecord(
                f"The record has {len(players)} players, and its position {len(begun.players)}."
            )
        return Record(
            tuple(
                [_field(_object(player, at), at, "color", str) for at, player in _items("/players", players)]
            ),
            seed,
            Options(
                None if chosen is None else tuple(chosen),
                _field(options, "/options", "first_seat", int, or_null=True),
                TieBreak(options["tie_break"]),
                _field(options, "/options", "open_gold", bool),
                ruleset,
            ),
            tuple(
                [
                    _action(number, at, _object(entry, at))
                    for number, (at, entry) in enumerate(
                        _items("/actions", _field(data, "", "actions", list)), 1
                    )
                ]
            ),
            begun,
            _draws(data.get("draws")),
            _gave_up(data),
        )
    except SkyeError:
        raise
    except KeyError as error:
        raise InvalidRecord(f"The record has no field or value {error}.") from None
    except (AttributeError, TypeError, ValueError) as error:
        raise _other_format(str(error)) from None


_KINDS: Final[dict[type, tuple[str, tuple[type, ...]]]] = {
    bool: ("true or false", (bool,)),
    int: ("a whole number", (int,)),
    str: ("a string", (str,)),
    list: ("a list", (list, tuple)),
    Mapping: ("an object", (Mapping,)),
}
"""By the type of a field: its name in errors, and the Python types of its values."""


def _field(owner: Mapping[str, Any], at: str, name: str, kind: type, *, or_null: bool = False) -> Any:
    """Return a field of an object.

    :param at: the JSON pointer of the object.
    :param or_null: whether the field may be null.
    :raises InvalidRecord: when the field is missing or has another type.
    """
    if name not in owner:
        raise _other_format(f"{at}/{name} is missing")
    value = owner[name]
    word, types = _KINDS[kind]
    if (or_null and value is None) or (
        isinstance(value, types) and isinstance(value, bool) == (kind is bool)
    ):
        return value
    null = " or null" if or_null else ""
    raise _other_format(f"{at}/{name} is not {word}{null}")


def _object(value: Any, at: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise _other_format(f"{at} is not an object")
    return value


def _items(at: str, values: Sequence[Any]) -> list[tuple[str, Any]]:
    """Return the elements of a list, each with its JSON pointer."""
    return [(f"{at}/{index}", value) for index, value in enumerate(values)]


def _other_format(reason: str) -> InvalidRecord:
    return InvalidRecord(f"The record has another format: {reason}.")


def _gave_up(data: Mapping[str, Any]) -> tuple[tuple[int, ...], ...]:
    """Return the seats that were given up; format 2 lists them one by one, each with a date of its own."""
    entries = _field(data, "", "gave_up", list) if "gave_up" in data else ()
    groups = [[entry] if isinstance(entry, int) else entry for entry in entries]
    if not all(isinstance(group, list | tuple) for group in groups):
        raise _other_format("/gave_up is not a list of lists of seats")
    return checked_groups(groups, len(data["players"]))


def _draws(draws: Mapping[str, Any] | None) -> RecordedDraws | None:
    if draws is None:
        return None
    drawn, tiles = (
        _field(_object(draws, "/draws"), "/draws", name, list) for name in ("scoring_tiles", "tiles")
    )
    return RecordedDraws(tuple(drawn), draws["starting_seat"], tuple(tiles))


_MOVE_FIELDS: Final[dict[str, type]] = {
    "discard": str,
    "prices": Mapping,
    "tile": str,
    "x": int,
    "y": int,
    "rotation": int,
}


def _action(number: int, at: str, entry: Mapping[str, Any]) -> Action:
    if None in entry.values():
        raise InvalidRecord(f"Action {number} is hidden: the game was not over.", action=number)
    kinds = {name: kind for kind, name in MOVE_TYPES.items()}
    kind = kinds.get(_field(entry, at, "type", str))
    if kind is None:
        raise _other_format(f"{at}/type is not one of {', '.join(kinds)}")
    for name in kind.__match_args__:
        _field(entry, at, name, _MOVE_FIELDS[name])
    if kind is SetOffer:
        for tile in entry["prices"]:
            _field(entry["prices"], f"{at}/prices", tile, int)
    return Action(_field(entry, at, "seat", int), move_from(entry["type"], entry))
