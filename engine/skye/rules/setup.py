"""Create a new game from its options and seed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from secrets import token_hex

from skye.draws import SeededDraws
from skye.errors import InvalidSetup
from skye.rules.chance import begin
from skye.rules.play import Outcome
from skye.rules.state import PRICING, GameState, Player
from skye.rulesets.ruleset import RULESETS, Ruleset
from skye.scoring.final import TieBreak
from skye.territory.territory import castle_alone
from skye.tiles.tile_set import DEFAULT_RULESET


@dataclass(frozen=True, slots=True)
class Options:
    """The options of a game.

    :param ruleset: the id of the ruleset.
    :param scoring_tiles: a different id for each slot; None draws them.
    :param first_seat: the seat that starts round 1; None draws it.
    :param tie_break: the way to break a tie (R11).
    :param open_gold: whether all purses are public.
    """

    scoring_tiles: tuple[str, ...] | None = None
    first_seat: int | None = None
    tie_break: TieBreak = TieBreak.LEFTOVER_GOLD
    open_gold: bool = False
    ruleset: str = DEFAULT_RULESET


def new_game(
    players: int | Sequence[str] = 2,
    *,
    seed: str | None = None,
    chance_nodes: bool = False,
    options: Options | None = None,
) -> Outcome:
    """Set up a game and start round 1.

    >>> game, events = new_game(3, seed="a quiet evening")
    >>> game
    <GameState round 1 of 6, pricing: 0 - 0 - 0, waiting for seats [0, 1, 2]>

    :param players: the number of players, or the color of each seat, clockwise.
    :param seed: the seed of all draws; a random one by default.
    :param chance_nodes: whether draws are chance decisions instead (see `skye.rules.chance`), those of the
        setup first.
    :raises InvalidSetup: when the ruleset, the number of players, a color, the scoring tiles, the first seat
        or the tie-break is invalid.
    :raises TypeError: when an argument has another type.
    :raises ValueError: when there are both a seed and chance decisions.
    """
    options = Options() if options is None else options
    ruleset = _ruleset(options)
    colors = _colors(ruleset, players)
    _check(ruleset, colors, seed, options, chance_nodes=chance_nodes)
    first_seat, scoring_tiles = options.first_seat, options.scoring_tiles
    if not chance_nodes:
        seed = token_hex(16) if seed is None else seed
        first_seat = starting_seat_by(ruleset, seed, len(colors)) if first_seat is None else first_seat
        scoring_tiles = scoring_tiles or scoring_tiles_by(ruleset, seed)
    starting_seat = -1 if first_seat is None else first_seat
    return Outcome(*begin(set_up(colors, seed, options, tuple(scoring_tiles or ()), starting_seat)))


def set_up(
    colors: Sequence[str],
    seed: str | None,
    options: Options,
    scoring_tiles: tuple[str, ...],
    starting_seat: int,
) -> GameState:
    """Return a game before round 1. Nothing is checked.

    >>> set_up(["red", "blue"], "skye", Options(), ("sheep", "squares", "most_gold", "largest_lake"), 1).round
    0

    :param options: the options; the next two parameters replace those that can be drawn.
    :param scoring_tiles: the scoring tiles, named or drawn; fewer than the slots while some are to be drawn.
    :param starting_seat: the seat that starts round 1, named or drawn; -1 while it is to be drawn.
    """
    return GameState(
        seed=seed,
        scoring_tiles=scoring_tiles,
        players=tuple(Player(color, castle_alone(color, options.ruleset)) for color in colors),
        starting_seat=starting_seat,
        tie_break=TieBreak(options.tie_break),
        open_gold=options.open_gold,
        phase=PRICING,
        ruleset_id=options.ruleset,
    )


def _ruleset(options: Options) -> Ruleset:
    if not isinstance(options, Options):
        raise TypeError(f"the options are an Options, not {type(options).__name__}")
    try:
        return RULESETS[options.ruleset]
    except (KeyError, TypeError):
        raise InvalidSetup(f"There is no ruleset {options.ruleset!r}.") from None


def _colors(ruleset: Ruleset, players: int | Sequence[str]) -> Sequence[str]:
    if isinstance(players, str) or not isinstance(players, int | Sequence):
        raise TypeError(f"the players are a number or a sequence of colors, not {players!r}")
    number = players if isinstance(players, int) else len(players)
    if number not in ruleset.players:
        raise InvalidSetup(f"{ruleset.players[0]} to {ruleset.players[-1]} can play, not {number}.")
    return ruleset.colors[:players] if isinstance(players, int) else players


def _check(
    ruleset: Ruleset, colors: Sequence[str], seed: str | None, options: Options, *, chance_nodes: bool
) -> None:
    if seed is not None and not isinstance(seed, str):
        raise TypeError(f"a seed is a str, not {type(seed).__name__}")
    if seed is not None and chance_nodes:
        raise ValueError("a game with chance decisions has no seed")
    if not isinstance(options.open_gold, bool):
        raise TypeError(f"open_gold is a bool, not {options.open_gold!r}")
    if len({*colors}) < len(colors) or not {*colors} <= {*ruleset.colors}:
        raise InvalidSetup(f"Each player has one of {', '.join(ruleset.colors)} for their own.")
    tiles, slots = options.scoring_tiles, ruleset.slots
    if tiles is not None and not len(tiles) == len({*tiles} & ruleset.scoring_tiles.keys()) == len(slots):
        raise InvalidSetup(
            f"A game uses {len(slots)} different scoring tiles, for slots {slots[0]} to {slots[-1]}."
        )
    if options.tie_break not in tuple(TieBreak):
        raise InvalidSetup(f"A tie is broken by {' or '.join(TieBreak)}, not by {options.tie_break}.")
    seat = options.first_seat
    if seat is not None and (seat not in range(len(colors)) or seat.__class__ is not int):
        raise InvalidSetup(f"The first seat is {seat}, but no player has this seat.", seat=seat)


def scoring_tiles_by(ruleset: Ruleset, seed: str) -> tuple[str, ...]:
    """Return the scoring tiles that a seed assigns to the slots."""
    left = sorted(ruleset.scoring_tiles)
    draws = SeededDraws(seed, ruleset_id=ruleset.id)
    return tuple([draws.draw(f"scoring/{slot}", left) for slot in ruleset.slots])


def starting_seat_by(ruleset: Ruleset, seed: str, players: int) -> int:
    """Return the seat that a seed assigns as the starting seat of round 1."""
    return SeededDraws(seed, ruleset_id=ruleset.id).index("start", players)
