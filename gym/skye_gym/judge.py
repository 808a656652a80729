"""The judge: what a move is worth, from games played on in samples of what a seat cannot see.

The judge has a population. Each member says how the rivals make the offers that are hidden, how all seats
play the rest of the round, and how far they play on: to the end of the game, whose points count, or to the
end of this round or the next. There the trained evaluation of the first expert, which never changes, predicts
the margins. So no single bot decides what is good, neither as a rival nor as an evaluation.

Later rounds are played as the greedy bot plays. All moves of a position have the same samples and the same
generators (common random numbers). The value of a move is the mean of its values by member; for a subject
that is in the population, without the members that are made of it (`left_out_for`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from random import Random
from statistics import fmean
from types import MappingProxyType
from typing import Final, NamedTuple, TypeAlias

from skye.bots import Bot
from skye.bots.evaluation import outlook_of, situation_of
from skye.bots.greedy import PLANNED_OFFER
from skye.bots.registry import choose_move
from skye.bots.territory_evaluation import evaluation_of
from skye.rules.moves import Move
from skye.rules.play import play
from skye.rules.state import GameState, Phase
from skye.visibility.observation import determinize, observed_game
from skye_gym.bots import expert, expert_1
from skye_gym.bots.expert_1.evaluation import WEIGHTS
from skye_gym.bots.expert_1.rivals import likely_offers

VERSION: Final = "skye-judge 2"
"""The version of the judge: equal versions give a move the same value in the same samples."""

Offers: TypeAlias = Callable[[GameState, int, Random, int], Sequence[Move]]
"""A function `(observed, seat, rng, number)` that returns so many offers of a seat."""

_MAX_OFFERS_OF_A_BOT: Final = 4
"""The number of offers that are asked of a bot; more samples repeat them."""


class Member(NamedTuple):
    """A member of the population.

    :param name: the name.
    :param offers: how the rivals make hidden offers.
    :param bot: what plays the rest of the round for all seats.
    :param rounds: the number of rounds that the greedy bot then plays; None to the end of the game.
    """

    name: str
    offers: Offers
    bot: str | Bot
    rounds: int | None


def offers_of(observed: GameState, seat: int, rng: Random, number: int) -> Sequence[Move]:
    """Return offers that a strong player of a seat may make, the best one first."""
    if observed.ruleset.tiles_drawn == PLANNED_OFFER:
        return likely_offers(observed, seat, rng, number)
    return [choose_move("strategist", observed, seat, rng) for _ in range(number)]


def _offers_by(bot: str | Bot) -> Offers:
    def offers(observed: GameState, seat: int, rng: Random, number: int) -> Sequence[Move]:
        made = [choose_move(bot, observed, seat, rng) for _ in range(min(number, _MAX_OFFERS_OF_A_BOT))]
        return [made[at % len(made)] for at in range(number)]

    return offers


_EXPERT_1: Final = expert_1()

LIKELY: Final = Member("likely", offers_of, "strategist", 1)
"""The member that samples the rivals' offers by the softmax of what they are worth. Reviews use it alone."""

MEMBERS: Final[Mapping[str, Member]] = MappingProxyType(
    {
        member.name: member
        for member in (
            Member("greedy", _offers_by("greedy"), "greedy", None),
            Member("strategist", _offers_by("strategist"), "strategist", 0),
            LIKELY,
            Member("expert@1", _offers_by(_EXPERT_1), _EXPERT_1, 1),
            Member("expert", _offers_by(expert), expert, 0),
        )
    }
)
"""The population by name. `expert` mixes its offers as in an equilibrium (of two seats)."""

_MADE_OF: Final[Mapping[str, frozenset[str]]] = MappingProxyType(
    {
        "greedy": frozenset(["greedy"]),
        "strategist": frozenset(["strategist"]),
        "expert@1": frozenset(["expert@1", "likely"]),
        "expert": frozenset(["expert"]),
        "rollouts": frozenset(["likely"]),
    }
)


def left_out_for(bot: str | None) -> frozenset[str]:
    """Return the members that have no part in judging a bot, since they are made of it.

    >>> sorted(left_out_for("expert@1/100")), sorted(left_out_for("greedy")), sorted(left_out_for(None))
    (['expert@1', 'likely'], ['greedy'], [])

    :param bot: the name of a bot or script of this package, with its time budget if it has one; None for any
        other subject.
    """
    return frozenset() if bot is None else _MADE_OF.get(bot.partition("/")[0], frozenset())


def samples_of(
    game: GameState, seat: int, seed: str, number: int, offers_by: Offers = offers_of
) -> Iterator[GameState]:
    """Yield games that are consistent with what a seat sees.

    :param seed: the seed of the samples.
    :param number: the number of the samples.
    :param offers_by: how the others make their offers; by default likely ones.
    """
    rng = Random(seed)
    others = [other for other in range(len(game.players)) if other != seat]
    offers: list[Sequence[Move]] = []
    if game.phase is Phase.PRICING:
        observed = observed_game(game, seat)
        offers = [offers_by(observed, other, rng, number) for other in others]
    for at in range(number):
        sample = determinize(game, seat, rng)
        for other, made in zip(others, offers, strict=False):
            sample = play(sample, other, made[at]).game
        yield sample


def margins_after(game: GameState, rng: Random, member: Member = LIKELY) -> list[float]:
    """Play on as a member does; return by seat the margin over the others at the end, or the predicted one.

    :param rng: the generator of the bots.
    """
    this = game.round
    last = game.rounds if member.rounds is None else this + member.rounds
    while not game.is_over and game.round <= last:
        mover = game.waiting_for[0]
        bot = member.bot if game.round == this else "greedy"
        game = play(game, mover, choose_move(bot, game, mover, rng)).game
    return margins(_predicted(game))


def margins(points: Sequence[float]) -> list[float]:
    """Return by seat its points minus the mean of the others.

    >>> margins([9, 4, 2])
    [6.0, -1.5, -4.5]
    """
    total, others = sum(points), len(points) - 1
    return [own - (total - own) / others for own in points]


def values_in(
    samples: Sequence[GameState], seat: int, moves: Sequence[Move], seed: str, member: Member = LIKELY
) -> list[list[float]]:
    """Return by sample the margin of a seat after each of some moves.

    :param samples: games that are consistent with what the seat sees (`samples_of`).
    :param seed: the seed of the generators: those of a sample are the same for all moves.
    """
    return [
        [margins_after(play(sample, seat, move).game, Random(f"{seed}/{at}"), member)[seat] for move in moves]
        for at, sample in enumerate(samples)
    ]


def values_of(game: GameState, seat: int, moves: Sequence[Move], seed: str, number: int) -> list[list[float]]:
    """Return by sample the margin of a seat after each of some moves, by the member `LIKELY`.

    :param seed: the seed of the samples.
    :param number: the number of the samples.
    """
    return values_in([*samples_of(game, seat, seed, number)], seat, moves, seed)


def mean_values(game: GameState, seat: int, moves: Sequence[Move], seed: str, number: int) -> list[float]:
    """Return the mean margin of a seat after each of some moves, by the member `LIKELY`."""
    return [fmean(each) for each in zip(*values_of(game, seat, moves, seed, number), strict=True)]


def _predicted(game: GameState) -> list[float]:
    """Return by seat the points that the trained evaluation predicts; differences of them are margins.

    A round has the weights of the base game with as many rounds left.
    """
    if game.is_over:
        return [player.score for player in game.players]
    by_round = WEIGHTS[len(game.players)]
    left = game.rounds - game.round + 1
    weights = by_round[max(0, len(by_round) - 1 - left)]
    situation = situation_of(game)
    return [
        weights.score * player.score
        + weights.later * evaluation_of(outlook_of(situation, seat), player.territory).value
        + weights.gold * player.gold
        for seat, player in enumerate(game.players)
    ]
