"""Create a new game from its options and seed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from skye.draws import SeededDraws
from skye.errors import InvalidSetup
from skye.rules.chance import begin
from skye.rules.play import Outcome
from skye.rules.state import PRICING, GameState, Player, TieBreak
from skye.scoring.schedule import SLOTS
from skye.scoring.scoring_tiles import SCORING_TILES
from skye.territory.territory import castle_alone
from skye.tiles.catalogue import COLORS

PLAYERS = range(2, 6)
"""The possible numbers of players."""


@dataclass(frozen=True, slots=True)
class Options:
    """The options of a game.

    :param scoring_tiles: four different ids for slots A to D; None draws them.
    :param starting_seat: the seat that starts round 1; None draws it.
    :param tie_break: the way to break a tie (R11).
    :param open_gold: whether all purses are public.
    """

    scoring_tiles: tuple[str, ...] | None = None
    starting_seat: int | None = None
    tie_break: TieBreak = TieBreak.LEFTOVER_GOLD
    open_gold: bool = False


def new_game(colors: Sequence[str], seed: str | None, options: Options | None = None) -> Outcome:
    """Set up a game and start round 1.

    :param colors: the color of each seat, clockwise; 2 to 5 different ones of `COLORS`.
    :param seed: the seed of all draws. None makes draws chance decisions (see `skye.rules.chance`), those of
        the setup first.
    :raises InvalidSetup: when the number of players, a color, the scoring tiles or the starting seat is
        invalid.
    """
    options = options or Options()
    _check(colors, options)
    starting_seat, scoring_tiles = options.starting_seat, options.scoring_tiles
    if seed is not None:
        starting_seat = starting_seat_by(seed, len(colors)) if starting_seat is None else starting_seat
        scoring_tiles = scoring_tiles or scoring_tiles_by(seed)
    game = GameState(
        seed=seed,
        scoring_tiles=scoring_tiles or (),
        players=tuple(Player(color, castle_alone(color)) for color in colors),
        starting_seat=-1 if starting_seat is None else starting_seat,
        tie_break=options.tie_break,
        open_gold=options.open_gold,
        phase=PRICING,
    )
    return Outcome(*begin(game))


def _check(colors: Sequence[str], options: Options) -> None:
    if len(colors) not in PLAYERS:
        raise InvalidSetup(f"2 to 5 can play, not {len(colors)}.")
    if len(set(colors)) < len(colors) or not set(colors) <= set(COLORS):
        raise InvalidSetup(f"Each player has one of {', '.join(COLORS)} for their own.")
    tiles = options.scoring_tiles
    if tiles is not None and (
        len(tiles) != len(SLOTS) or len(set(tiles) & SCORING_TILES.keys()) != len(SLOTS)
    ):
        raise InvalidSetup("A game uses four different scoring tiles, for slots A to D.")
    if options.starting_seat is not None and options.starting_seat not in range(len(colors)):
        seat = options.starting_seat
        raise InvalidSetup(f"The starting seat is {seat}, but no player has this seat.", seat=seat)


def scoring_tiles_by(seed: str) -> tuple[str, ...]:
    """Return the scoring tiles that a seed assigns to slots A to D."""
    left = sorted(SCORING_TILES)
    draws = SeededDraws(seed)
    return tuple([draws.draw(f"scoring/{slot}", left) for slot in SLOTS])


def starting_seat_by(seed: str, players: int) -> int:
    """Return the seat that a seed assigns as the starting seat of round 1."""
    return SeededDraws(seed).index("start", players)
