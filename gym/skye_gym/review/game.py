"""A whole game: its decisions, its draws, and the account of each seat."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from random import Random
from statistics import fmean
from typing import Final, NamedTuple

from skye.positions.record import Record, replay
from skye.rules.moves import Move, SetOffer, TakeBack
from skye.rules.state import GameState, Phase
from skye.tiles.tile_set import Place
from skye.visibility.observation import determinize
from skye_gym.arena.ratings import Interval
from skye_gym.bots.expert_1.evaluation import WEIGHTS
from skye_gym.judge import margins, margins_after
from skye_gym.review.moves import (
    DEFAULT_SAMPLES,
    MIN_SAMPLES,
    Verdict,
    has_choice,
    mean_interval,
    review_move,
)

DEFAULT_BUDGET: Final = 120.0
"""Seconds of CPU."""

_MAX_SAMPLES: Final = 400

_SECONDS: Final = {2: 30.0, 3: 70.0, 4: 125.0, 5: 160.0}
"""By the number of seats: the CPU time of a review with `DEFAULT_SAMPLES` samples on the core on which it was
measured, in pure Python."""


class Decision(NamedTuple):
    """A decision of a game, with what the review says of it.

    :param number: the number of its action in the record, from 1.
    :param seat: the seat.
    :param game: the game before the decision.
    :param move: the chosen move.
    :param verdict: what it loses.
    """

    number: int
    seat: int
    game: GameState
    move: Move
    verdict: Verdict


class DrawLuck(NamedTuple):
    """The luck of the tiles that were drawn in a round.

    :param round: the round.
    :param luck: by seat, the predicted margin after the draw minus the mean over other draws, with its 99 %
        interval.
    """

    round: int
    luck: tuple[Interval, ...]


class Account(NamedTuple):
    """The margin of a seat over the mean of the others, in points.

    `final = start + luck - losses + losses_of_others + rest`.

    :param start: the prediction before the first draw of tiles.
    :param luck: the sum of the luck of all draws.
    :param losses: the sum of the losses that were found.
    :param losses_of_others: the sum of those of the others, each divided by the number of its opponents.
    :param rest: what they do not explain.
    :param final: the margin at the end.
    """

    start: float
    luck: float
    losses: float
    losses_of_others: float
    rest: float
    final: float


class Review(NamedTuple):
    """The review of a game.

    :param game: the game at its end.
    :param samples: the number of samples that measured each loss.
    :param decisions: the decisions in which the seat had a choice.
    :param draws: the luck of the draws.
    :param accounts: by seat, the account.
    """

    game: GameState
    samples: int
    decisions: tuple[Decision, ...]
    draws: tuple[DrawLuck, ...]
    accounts: tuple[Account, ...]


def samples_for(players: int, budget: float) -> int:
    """Return the number of samples whose review takes about a time on the core on which it was measured.

    The number, not the clock, ends a review: it does not depend on the speed of the machine.

    >>> samples_for(4, 120.0), samples_for(4, 0.1)
    (46, 12)

    :param budget: seconds of CPU. A review has at least 12 samples, also when they exceed the budget.
    """
    return min(_MAX_SAMPLES, max(MIN_SAMPLES, int(DEFAULT_SAMPLES * budget / _default_seconds(players))))


def min_seconds(players: int) -> float:
    """Return the CPU time of a review with the fewest samples on the core on which it was measured.

    >>> min_seconds(2), min_seconds(5)
    (7.5, 40.0)
    """
    return _default_seconds(players) * MIN_SAMPLES / DEFAULT_SAMPLES


def _default_seconds(players: int) -> float:
    return _SECONDS[min(max(players, min(_SECONDS)), max(_SECONDS))]


def review_game(
    record: Record,
    *,
    samples: int = DEFAULT_SAMPLES,
    seed: str = "1",
    progress: Callable[[int, int], None] = lambda _done, _left: None,
) -> Review:
    """Return the review of a finished game.

    :param samples: the number of samples that measure each loss and each luck.
    :param seed: the seed of the samples: equal seeds give equal reviews.
    :param progress: called after each part with the numbers of the parts that are done and left.
    :raises InvalidRecord: when the record is not that of a game.
    :raises ValueError: when the game is not over, or the judge has no weights for its number of seats.
    """
    states = [outcome.game for outcome in replay(record)]
    players = len(states[0].players)
    if not states[-1].is_over:
        raise ValueError("the game of this record is not over: only finished games are reviewed")
    if players not in WEIGHTS:
        raise ValueError(f"the judge has no weights for games of {players} seats")
    chosen = [*_choices(record, states)]
    rounds = [game for before, game in zip([None, *states], states, strict=False) if _begins(before, game)]
    parts = len(rounds) + len(chosen)
    draws, start = [], _predicted(states[0], seed, samples)
    for done, game in enumerate(rounds, 1):
        before, luck = _luck(game, f"{seed}/draw/{game.round}", samples)
        if game is states[0]:
            start = before
        draws.append(DrawLuck(game.round, luck))
        progress(done, parts - done)
    decisions = []
    for done, (number, seat, game, move) in enumerate(chosen, len(rounds) + 1):
        verdict = review_move(game, seat, move, seed=f"{seed}/{number}", samples=samples)
        decisions.append(Decision(number, seat, game, move, verdict))
        progress(done, parts - done)
    accounts = _accounts(states[-1], start, draws, decisions)
    return Review(states[-1], samples, tuple(decisions), tuple(draws), accounts)


def _choices(record: Record, states: Sequence[GameState]) -> Iterator[tuple[int, int, GameState, Move]]:
    """Yield the decisions that counted, with the numbers of their actions: where a seat had a choice.

    An offer that its seat replaced, and a placement that it took back, did not count. An offer that replaces
    another is reviewed in the game before the first one of its round.
    """
    offers: dict[tuple[int, int], tuple[int, GameState]] = {}
    placed: dict[tuple[int, int], list[int]] = {}
    counted: dict[int, GameState] = {}
    for number, action in enumerate(record.actions, 1):
        game, key = states[number - 1], (action.seat, states[number - 1].round)
        if isinstance(action.move, TakeBack):
            del counted[placed[key].pop()]
            continue
        if isinstance(action.move, SetOffer):
            before, game = offers.get(key, (number, game))
            counted.pop(before, None)
            offers[key] = number, game
        elif isinstance(action.move, Place):
            placed.setdefault(key, []).append(number)
        counted[number] = game
    for number, game in sorted(counted.items(), key=lambda each: each[0]):
        action = record.actions[number - 1]
        if has_choice(game, action.seat):
            yield number, action.seat, game, action.move


def _begins(before: GameState | None, game: GameState) -> bool:
    """Return whether a round begins with a game: its tiles are drawn, and no seat has set its offer."""
    if game.phase is not Phase.PRICING or any(player.prices for player in game.players):
        return False
    return before is None or before.round != game.round


def _luck(game: GameState, seed: str, samples: int) -> tuple[list[float], tuple[Interval, ...]]:
    """Return the predicted margins before the draw of a round, and its luck by seat."""
    rng = Random(seed)
    before, after = [], []
    for at in range(samples):
        sample = determinize(game, None, rng)
        after.append(margins_after(sample, Random(f"{seed}/{at}")))
        before.append(margins_after(_drawn_again(sample, rng), Random(f"{seed}/{at}")))
    luck = [
        mean_interval([two - one for one, two in zip(*pair, strict=True)])
        for pair in zip(zip(*before, strict=True), zip(*after, strict=True), strict=True)
    ]
    return [fmean(each) for each in zip(*before, strict=True)], tuple(luck)


def _drawn_again(game: GameState, rng: Random) -> GameState:
    """Return a game at the beginning of a round with other tiles from the same bag."""
    empty = [player._replace(tiles_on_offer=()) for player in game.players]
    each = game.ruleset.tiles_drawn
    tiles = rng.sample(game._replace(players=tuple(empty)).bag, each * len(empty))
    players = [
        player._replace(tiles_on_offer=tuple(tiles[each * seat : each * (seat + 1)]))
        for seat, player in enumerate(empty)
    ]
    return game._replace(players=tuple(players))


def _predicted(game: GameState, seed: str, samples: int) -> list[float]:
    """Return the predicted margins of a game that begins within a round; 0 if it is over."""
    if game.is_over or _begins(None, game):
        return [0.0] * len(game.players)  # `_luck` predicts the beginning of a round
    rng = Random(f"{seed}/start")
    after = [margins_after(determinize(game, None, rng), rng) for _ in range(samples)]
    return [fmean(each) for each in zip(*after, strict=True)]


def _accounts(
    end: GameState, start: Sequence[float], draws: Sequence[DrawLuck], decisions: Sequence[Decision]
) -> tuple[Account, ...]:
    seats = range(len(end.players))
    losses = [
        sum(each.verdict.loss.value for each in decisions if each.seat == seat and each.verdict.is_loss)
        for seat in seats
    ]
    finals = margins([player.score for player in end.players])
    accounts = []
    for seat in seats:
        luck = sum(draw.luck[seat].value for draw in draws)
        of_others = (sum(losses) - losses[seat]) / (len(losses) - 1)
        rest = finals[seat] - (start[seat] + luck - losses[seat] + of_others)
        accounts.append(Account(start[seat], luck, losses[seat], of_others, rest, finals[seat]))
    return tuple(accounts)
