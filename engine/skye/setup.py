"""How a game begins."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from skye.draws import Chance
from skye.errors import InvalidSetup
from skye.game import Game, Player, TieBreak
from skye.rounds import start_round
from skye.rules import Outcome
from skye.schedule import SLOTS
from skye.scoring import SCORING_TILES
from skye.territory import castle_alone
from skye.tiles import COLORS

PLAYERS = range(2, 6)
"""How many can play."""


@dataclass(frozen=True, slots=True)
class Options:
    """What the creator of a game may choose; None leaves it to the draw.

    `scoring_tiles` are four different ids, for slots A to D. `tie_break` is ruling R11's.
    `open_gold` shows every purse to everybody.
    """

    scoring_tiles: tuple[str, ...] | None = None
    starting_seat: int | None = None
    tie_break: TieBreak = TieBreak.LEFTOVER_GOLD
    open_gold: bool = False


def new_game(colors: Sequence[str], seed: str, options: Options | None = None) -> Outcome:
    """Set a game up, one colour for each seat clockwise, and begin round 1.

    :raises InvalidSetup: for a number of players other than 2 to 5, a colour unknown or taken twice,
        scoring tiles that are not four different ones, or a starting seat that nobody has.
    """
    options = options or Options()
    _check(colors, options)
    starting_seat = _starting_seat(seed, len(colors), options.starting_seat)
    game = Game(
        seed=seed,
        scoring_tiles=options.scoring_tiles or _draw_scoring_tiles(seed),
        players=tuple(Player(color, castle_alone(color)) for color in colors),
        starting_seat=starting_seat,
        tie_break=options.tie_break,
        open_gold=options.open_gold,
    )
    return Outcome(*start_round(game, starting_seat, [player.territory.summary for player in game.players]))


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
        raise InvalidSetup(f"Nobody has seat {options.starting_seat}, which was to start.")


def _draw_scoring_tiles(seed: str) -> tuple[str, ...]:
    left = sorted(SCORING_TILES)
    chance = Chance(seed)
    return tuple([chance.draw(f"scoring/{slot}", left) for slot in SLOTS])


def _starting_seat(seed: str, players: int, chosen: int | None) -> int:
    return Chance(seed).index("start", players) if chosen is None else chosen
