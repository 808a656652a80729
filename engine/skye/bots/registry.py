"""Bots: `random`, `greedy`, which maximizes its points, and `strategist`, which models all seats.

A bot chooses a move from the observation of its seat: without the seed, and without the prices of other seats
before they are revealed. Bots never take a placement back, so that every game ends.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from random import Random
from types import MappingProxyType
from typing import Final, TypeAlias

from skye.bots.evaluation import best_placement, outlook_of, situation_of
from skye.bots.greedy import PLANNED_OFFER, greedy_offer, greedy_purchase, random_offer
from skye.bots.joint_offers import best_joint_offer, best_joint_purchase
from skye.events import Event
from skye.lookup import named
from skye.rules.chance import chance_outcomes
from skye.rules.moves import CHANCE, Move, TakeBack
from skye.rules.play import Outcome, legal_moves, offer_limits, play
from skye.rules.state import GameState, Phase, check_seat
from skye.visibility.observation import observed_game

Bot: TypeAlias = Callable[[GameState, int, Random], Move]
"""A function `(game, seat, rng)` that returns a legal move; the same generator state gives the same move."""


def random_move(game: GameState, seat: int, rng: Random) -> Move:
    """Return a random legal move except `TakeBack`; prices are at most 10 gold."""
    limits = offer_limits(game, seat)
    if limits is None:
        return rng.choice([move for move in legal_moves(game, seat) if not isinstance(move, TakeBack)])
    return random_offer(limits, rng)


def greedy_move(game: GameState, seat: int, rng: Random) -> Move:
    """Return the move of most expected points, minus the gold it costs and what other seats gain by it.

    The generator chooses between offers or purchases of equal value.
    """
    limits = offer_limits(game, seat)
    if limits is not None:
        return greedy_offer(game, seat, limits, rng)
    if game.phase is Phase.BUYING:
        return greedy_purchase(game, seat, rng)
    return best_placement(outlook_of(situation_of(game), seat), game.players[seat])


def strategist_move(game: GameState, seat: int, rng: Random) -> Move:
    """Return an offer or purchase that takes the best responses of all seats into account (`joint_offers`).

    It builds as the greedy bot does. It uses the gold of other seats, which follows from public events.
    """
    limits = offer_limits(game, seat)
    if limits is not None:
        if len(limits.tiles) != PLANNED_OFFER:
            return random_offer(limits, rng)
        return best_joint_offer(game, seat, rng)
    if game.phase is Phase.BUYING:
        return best_joint_purchase(game, seat)
    return best_placement(outlook_of(situation_of(game), seat), game.players[seat])


@dataclass(frozen=True, slots=True)
class BotProfile:
    """A bot, and what is known about it.

    :param win_percent: how many of 100 two-player games against `greedy` it wins; a shared win counts half.
    :param decision_ms: the 99th percentile of its decision times in these games, in milliseconds, rounded up.
    """

    name: str
    choose: Bot
    description: str
    win_percent: int
    decision_ms: int

    @property
    def title(self) -> str:
        """The name that players see; the seats of the bot have it too."""
        return self.name.capitalize()


BOT_PROFILES: Final = (
    BotProfile("random", random_move, "Takes any legal action.", 1, 1),
    BotProfile("greedy", greedy_move, "Takes the action that adds most points to its own score now.", 50, 6),
    BotProfile(
        "strategist",
        strategist_move,
        "Builds as greedy does; its prices and purchases consider what the other seats will do.",
        86,
        32,
    ),
)
"""All bots, the weakest first. The figures are those of leagues in the README of skye-gym, on a busy core."""

BOTS: Final[Mapping[str, Bot]] = MappingProxyType({bot.name: bot.choose for bot in BOT_PROFILES})
"""All bots by name."""


def choose_move(bot: Bot | str, game: GameState, seat: int | None = None, rng: Random | None = None) -> Move:
    """Return the move of a bot, which receives only the observation of its seat (see `observed_game`).

    Run untrusted code in a separate process, since it could inspect this one: send it
    `position_of(observed_game(game, seat))`.

    >>> import skye
    >>> choose_move("greedy", skye.new_game(2, seed="bots").game, 0, Random(1))
    SetOffer(discard='L29', prices=(('L07', 1), ('L49', 2)))

    :param bot: the name of a bot of `BOTS`, or a function of the same type.
    :param seat: a seat that can act; the first of `game.waiting_for` by default.
    :param rng: the source of random choices; unpredictable by default.
    :raises ValueError: when there is no such bot or seat, or the seat cannot act now.
    :raises TypeError: when an argument has another type.
    """
    decide = named("bot", bot, BOTS) if isinstance(bot, str) else bot
    check_seat(game, seat, spectator=True)
    if not callable(decide):
        raise TypeError(f"a bot is a name or a function, not {bot!r}")
    if rng is not None and not isinstance(rng, Random):
        raise TypeError(f"the source of random choices is a random.Random, not {type(rng).__name__}")
    if seat is None:
        seat = next(iter(game.waiting_for), None)
    if seat is None or (seat not in game.waiting_for and offer_limits(game, seat) is None):
        raise ValueError("no seat can act now" if seat is None else f"seat {seat} cannot act now")
    return decide(observed_game(game, seat), seat, rng or Random())


def play_out(
    game: GameState, bots: Bot | str | Sequence[Bot | str] = "random", rng: Random | None = None
) -> Outcome:
    """Play a game to its end; return the game that is over, and all events on the way.

    The bots see what their seats may see. Draws of a game without a seed are sampled.

    >>> import skye
    >>> play_out(skye.new_game(2, seed="bots").game, ["greedy", "random"], Random(1)).game
    <GameState over: 80 - 30, winners [0]>

    :param bots: one bot for all seats, or one for each seat; each a name of `BOTS` or a function.
    :param rng: the source of random choices; unpredictable by default.
    :raises ValueError: when there is no bot of a name, or their number is wrong.
    """
    check_seat(game, None, spectator=True)
    rng = rng or Random()
    of_seats = [bots] * len(game.players) if isinstance(bots, str) or callable(bots) else [*bots]
    if len(of_seats) != len(game.players):
        raise ValueError(f"{len(of_seats)} bots for {len(game.players)} seats")
    events: list[Event] = []
    while not game.is_over:
        if game.is_chance_node:
            outcome = play(game, CHANCE, rng.choice(chance_outcomes(game))[0])
        else:
            seat = game.waiting_for[0]
            outcome = play(game, seat, choose_move(of_seats[seat], game, seat, rng))
        game = outcome.game
        events += outcome.events
    return Outcome(game, tuple(events))
