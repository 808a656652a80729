"""One decision: the best alternative, and what the chosen move loses against it."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from math import sqrt
from random import Random
from statistics import fmean, stdev
from typing import Final, NamedTuple

from skye.bots.registry import choose_move
from skye.evaluation import placement_values
from skye.rules.moves import Move, SetOffer
from skye.rules.play import offer_limits, play, rule_error
from skye.rules.state import GameState, Phase
from skye.tiles.tile_set import Place
from skye.visibility.observation import observed_game
from skye_gym.agents import legal_actions
from skye_gym.arena.ratings import Interval
from skye_gym.bots import expert
from skye_gym.judge import MEMBERS, mean_values, offers_of, samples_of, values_in, values_of

DEFAULT_SAMPLES: Final = 48

MIN_SAMPLES: Final = 12
"""With fewer, the interval of a loss means nothing."""

_SHARE_OF_CHOICE: Final = 4
"""The samples that choose the best alternative are one in so many of the others."""

_OFFERS: Final = 5
"""The number of likely offers that an offer is compared with, beside that of the expert."""

_PLACEMENTS: Final = 6
"""The number of placements that a placement is compared with: those of most value to the bots."""

MODEL_ERROR: Final = 3.0
"""What the judge's model may be wrong about the difference of two moves, in points. Without it
the review would list 16 % of the expert's own decisions."""

SECOND: Final = MEMBERS["strategist"]
"""The member of the judge whose opinion the interval of a loss also covers: it plays only to the end of the
round, so it takes little time."""

_Z: Final = 2.575829
"""The quantile of the normal distribution for a two-sided interval of 99 %."""


class Verdict(NamedTuple):
    """What the review says of a decision.

    :param best: the best alternative that was found, or None if it is the chosen move.
    :param loss: what the chosen move loses against it, in points of the final margin, with its interval: the
        99 % interval of the samples, widened by `MODEL_ERROR`, and so that it has what `SECOND` says; 0 if
        there is no better alternative.
    """

    best: Move | None
    loss: Interval

    @property
    def is_loss(self) -> bool:
        """Whether the interval of the loss excludes 0; otherwise no difference was found."""
        return self.loss.low > 0


NO_DIFFERENCE: Final = Verdict(None, Interval(0.0, 0.0, 0.0))


def review_move(
    game: GameState, seat: int, move: Move, *, seed: str = "1", samples: int = DEFAULT_SAMPLES
) -> Verdict:
    """Return what a move of a seat loses against the best alternative that is found.

    It depends on nothing that the seat cannot see.

    >>> import skye
    >>> game = skye.new_game(2, seed="review").game
    >>> review_move(game, 0, skye.choose_move("greedy", game, 0, Random(1)), samples=12).is_loss
    False

    :param seed: the seed of the samples.
    :param samples: the number of samples that measure the loss; a quarter as many choose the alternative.
    :raises RuleError: when the move is illegal.
    :raises ValueError: when there is no such seat, or there are fewer samples than 12.
    """
    if samples < MIN_SAMPLES:
        raise ValueError(f"the smallest number of samples is {MIN_SAMPLES}, not {samples}")
    if (error := rule_error(game, seat, move)) is not None:
        raise error
    moves = _candidates(game, seat, move, Random(seed))
    if len(moves) < 2:
        return NO_DIFFERENCE
    values = mean_values(game, seat, moves, f"{seed}/choice", max(4, samples // _SHARE_OF_CHOICE))
    at = max(range(len(moves)), key=values.__getitem__)
    if at == 0:
        return NO_DIFFERENCE
    by_sample = values_of(game, seat, [moves[at], move], f"{seed}/loss", samples)
    mean, low, high = mean_interval([best - chosen for best, chosen in by_sample])
    seen_by_second = [*samples_of(game, seat, f"{seed}/second", samples, SECOND.offers)]
    of_second = values_in(seen_by_second, seat, [moves[at], move], f"{seed}/second", SECOND)
    second = fmean([best - chosen for best, chosen in of_second])
    return Verdict(moves[at], Interval(mean, min(low - MODEL_ERROR, second), max(high + MODEL_ERROR, second)))


def mean_interval(values: Sequence[float]) -> Interval:
    """Return the mean of values with its 99 % interval, by Student's distribution.

    >>> [round(value, 2) for value in mean_interval([1.0, 2.0, 3.0] * 4)]
    [2.0, 1.24, 2.76]
    """
    mean, degrees = fmean(values), len(values) - 1
    quantile = _Z + (_Z**3 + _Z) / (4 * degrees) + (5 * _Z**5 + 16 * _Z**3 + 3 * _Z) / (96 * degrees**2)
    half = quantile * stdev(values) / sqrt(len(values))
    return Interval(mean, mean - half, mean + half)


def has_choice(game: GameState, seat: int) -> bool:
    """Return whether a seat has more than one legal action."""
    return offer_limits(game, seat) is not None or len(legal_actions(game, seat)) > 1


def _candidates(game: GameState, seat: int, move: Move, rng: Random) -> Sequence[Move]:
    """Return the chosen move and the alternatives, each once.

    A placement that can still follow the chosen one is no alternative to it: what it gains is lost later.
    """
    moves = _distinct([move, *_alternatives(game, seat, rng)])
    if not isinstance(move, Place):
        return moves
    after = play(game, seat, move).game
    return [move, *[each for each in moves[1:] if rule_error(after, seat, each) is not None]]


def _alternatives(game: GameState, seat: int, rng: Random) -> Sequence[Move]:
    if game.phase is Phase.PRICING:
        observed = observed_game(game, seat)
        return [choose_move(expert, game, seat, rng), *offers_of(observed, seat, rng, _OFFERS)]
    moves = legal_actions(game, seat)
    if game.phase is Phase.BUYING or len(moves) <= _PLACEMENTS:
        return moves
    values = {
        place: value
        for tile in dict.fromkeys(game.players[seat].tiles_to_build)
        for place, value in placement_values(game, seat, tile).items()
    }
    return [
        choose_move(expert, game, seat, rng),
        *sorted(values, key=values.__getitem__, reverse=True)[:_PLACEMENTS],
    ]


def _distinct(moves: Iterable[Move]) -> list[Move]:
    """Return moves without repetitions; the order of the prices of an offer does not matter."""
    by_key: dict[Hashable, Move] = {}
    for move in moves:
        key = (move.discard, frozenset(move.prices)) if isinstance(move, SetOffer) else move
        by_key.setdefault(key, move)
    return [*by_key.values()]
