"""Observations of a game by one seat, and determinization: for bots, search and learning.

Hidden from a seat are future draws, and the offers of other seats until all are revealed. The gold of other
seats follows from public events (see `count_purses`), so observations contain it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from random import Random
from typing import Any

from skye.events import Event, IncomePaid, OffersRevealed, TileBought
from skye.rules.state import PRICING, GameState, Player, check_seat
from skye.rulesets.ruleset import Ruleset

_MAX_SAMPLED_PRICE = 10
"""The maximum price of sampled offers, in gold."""


def observed_game(game: GameState, seat: int | None) -> GameState:
    """Return the observation of a game by a seat, as a game that contains no hidden information.

    It has no seed, so draws are chance decisions. Each secret offer is replaced by the same one: the
    minimum price on each tile but the first. The view, the legal moves and the bag are those of the game.

    >>> import skye
    >>> observed_game(skye.new_game(2, seed="secret").game, 0).seed is None
    True

    :param seat: the observing seat, or None for a spectator.
    :raises ValueError: when there is no such seat.
    """
    check_seat(game, seat, spectator=True)
    if game.is_over:
        return game
    ruleset = game.ruleset
    lowest = (0, *[ruleset.minimum_price] * (ruleset.tiles_drawn - 1))
    return game._replace(seed=None, next_draws=(), players=_with_offers(game, seat, lambda _: lowest))


def determinize(
    game: GameState, seat: int | None, rng: Random, *, explicit_chance: bool = False
) -> GameState:
    """Return a random game that is consistent with the observation of a seat (determinization).

    It samples future draws, by a new seed, and secret offers. A game that is over is returned unchanged.

    :param seat: the observing seat, or None for a spectator.
    :param rng: the source of the samples.
    :param explicit_chance: whether draws are chance decisions instead of following from a new seed.

    >>> import skye
    >>> game = skye.new_game(2, seed="secret").game
    >>> determinize(game, 0, Random(1)).seed == game.seed
    False

    :raises ValueError: when there is no such seat.
    :raises TypeError: when an argument has another type.
    """
    check_seat(game, seat, spectator=True)
    if not isinstance(rng, Random):
        raise TypeError(f"the source of the samples is a random.Random, not {type(rng).__name__}")
    if game.is_over:
        return game
    seed = None if explicit_chance else f"{rng.getrandbits(128):032x}"
    ruleset = game.ruleset
    players = _with_offers(game, seat, lambda gold: sample_prices(ruleset, gold, rng))
    return game._replace(seed=seed, next_draws=(), players=players)


def sample_prices(ruleset: Ruleset, gold: int, rng: Random) -> tuple[int, ...]:
    """Return the prices of a random offer of at most `gold` in all, 0 for the tile to discard."""
    number, least = ruleset.tiles_drawn - 1, ruleset.minimum_price
    highest = max(least, min(gold // number, _MAX_SAMPLED_PRICE))
    prices = [0, *[rng.randint(least, highest) for _ in range(number)]]
    rng.shuffle(prices)
    return tuple(prices)


def _with_offers(
    game: GameState, seat: int | None, prices_for: Callable[[int], tuple[int, ...]]
) -> tuple[Player, ...]:
    """Return the players after replacing each secret offer by `prices_for(gold)`."""
    if game.phase is not PRICING:
        return game.players
    players = list(game.players)
    for other, player in enumerate(players):
        if other != seat and player.prices:
            gold = player.gold + player.stakes
            prices = prices_for(gold)
            players[other] = player._replace(gold=gold - sum(prices), prices=prices)
    return tuple(players)


def count_purses(events: Iterable[Event | Mapping[str, Any]], players: int) -> tuple[int, ...]:
    """Return the gold of each seat, computed from the public events of a game.

    While offers are secret, the gold that lies on tiles counts as in the purse.

    >>> import skye
    >>> game, events = skye.new_game(2, seed="purses")
    >>> count_purses(events, 2)
    (5, 5)

    :param events: all events of the game so far, in order: those of the engine, or JSON objects as
        `event_view` and the HTTP API return them.
    :param players: the number of seats.
    :returns: the gold by seat.
    """
    purses = [0] * players
    for event in events:
        for seat, gold in _payments(event):
            purses[seat] += gold
    return tuple(purses)


def _payments(event: Event | Mapping[str, Any]) -> list[tuple[int, int]]:
    """Return what an event adds to purses, as (seat, gold)."""
    match event:
        case IncomePaid():
            return [(seat, income.total) for seat, income in enumerate(event.incomes)]
        case OffersRevealed():
            return [(seat, -sum([gold for _, gold in prices])) for seat, prices in enumerate(event.prices)]
        case TileBought():
            return [(event.seat, -event.price), (event.seller, 2 * event.price)]
        case {"type": "income_paid", "players": players}:
            return [(paid["seat"], paid["total"]) for paid in players]
        case {"type": "offers_revealed", "players": players}:
            return [(offer["seat"], -sum(offer["prices"].values())) for offer in players]
        case {"type": "tile_bought", "seat": seat, "seller": seller, "price": price}:
            return [(seat, -price), (seller, 2 * price)]
    return []
