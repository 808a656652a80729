"""The start of an episode: a new game or a position, by the options of `reset`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from random import Random
from typing import Any, Final

from skye.positions.importing import game_from_position
from skye.positions.text import position_from_text
from skye.rules.setup import Options, new_game
from skye.rules.state import GameState
from skye.tiles.tile_set import DEFAULT_RULESET
from skye_gym.encoding import EncodedGame
from skye_gym.envs.arguments import whole_number

OPTIONS: Final = ("scoring_tiles", "first_seat", "position")
"""Options for the start: an id for each slot; a seat; a position as JSON data or as text."""


def start_game(
    players: int, rng: Random, options: Mapping[str, Any], ruleset_id: str = DEFAULT_RULESET
) -> EncodedGame:
    """Return the game at the start of an episode.

    :param options: some of `OPTIONS`; None counts as missing.
    :param ruleset_id: the ruleset.
    :raises TypeError: when an option has a wrong type.
    :raises ValueError: when an option is invalid, with the reason.
    """
    seed = f"{rng.getrandbits(128):032x}"
    if options.get("position") is not None:
        if any(options.get(name) is not None for name in ("scoring_tiles", "first_seat")):
            raise ValueError(
                "a position contains the scoring tiles and the first seat: leave these options out"
            )
        return EncodedGame(_game_from(options["position"], players, seed, ruleset_id))
    first_seat = options.get("first_seat")
    chosen = Options(
        _scoring_tiles(options.get("scoring_tiles")),
        None if first_seat is None else whole_number("first_seat", first_seat),
        ruleset=ruleset_id,
    )
    return EncodedGame(new_game(players, seed=seed, options=chosen).game)


def check_options(options: Mapping[str, Any] | None, known: tuple[str, ...]) -> Mapping[str, Any]:
    """Return the options of `reset`.

    :raises TypeError: when they are not a dictionary.
    :raises ValueError: when one of them is not known.
    """
    if options is not None and not isinstance(options, Mapping):
        raise TypeError(f"options={options!r:.100}: give a dictionary, with some of {', '.join(known)}")
    unknown = set(options or ()) - set(known)
    if unknown:
        raise ValueError(
            f"unknown options {', '.join(sorted(map(repr, unknown)))}: there are {', '.join(known)}"
        )
    return options or {}


def _scoring_tiles(tiles: Any) -> tuple[str, ...] | None:
    if tiles is None:
        return None
    if isinstance(tiles, str | Mapping) or not isinstance(tiles, Iterable):
        raise TypeError(f"scoring_tiles={tiles!r:.100}: give a list with an id for each slot")
    chosen = tuple(tiles)
    if not all(isinstance(tile, str) for tile in chosen):
        raise TypeError(f"scoring_tiles={tiles!r:.100}: an id is a string")
    return chosen


def _game_from(position: Mapping[str, Any] | str, players: int, seed: str, ruleset_id: str) -> GameState:
    if not isinstance(position, str | Mapping):
        raise TypeError(f"position={position!r:.100}: give an object of JSON data or a line of text")
    fields = dict(position_from_text(position) if isinstance(position, str) else position)
    if fields.get("seed") is None:
        fields["seed"] = seed
    game = game_from_position(fields)
    if game.ruleset_id != ruleset_id:
        raise ValueError(f"the position has the ruleset {game.ruleset_id!r}, the environment {ruleset_id!r}")
    if len(game.players) != players:
        raise ValueError(f"the position has {len(game.players)} seats, the environment {players}")
    if game.is_over:
        raise ValueError("the game of the position is over")
    return game
