"""Whole games of bots, decision by decision, and what must hold of each decision."""

from collections.abc import Iterator, Sequence
from random import Random
from typing import NamedTuple

from skye import Bot, GameState, Move, Options, Phase, game_view, new_game, play
from skye.rulesets import BASE

# Among them two majorities, which compare the seats; one of them compares the purses.
SCORING = ("most_gold", "large_completed_areas", "most_ships", "squares")


class Decision(NamedTuple):
    """A game, the bot and its seat, its move, and the random generator."""

    game: GameState
    bot: Bot
    seat: int
    move: Move
    after: GameState
    dice: str

    def again(self, game: GameState | None = None) -> Move:
        """Return the move of the bot with the same generator, in this game or in another."""
        return self.bot(game or self.game, self.seat, Random(self.dice))


def decisions(bots: Sequence[Bot], seed: str, options: Options | None = None) -> Iterator[Decision]:
    """Play a whole game of bots, one for each seat; a random one of the waiting seats acts."""
    game = new_game(BASE.colors[: len(bots)], seed=seed, options=options).game
    chance = Random(seed)
    number = 0
    while not game.is_over:
        seat = chance.choice(game.waiting_for)
        dice = f"{seed}/{number}"
        move = bots[seat](game, seat, Random(dice))
        after = play(game, seat, move).game
        yield Decision(game, bots[seat], seat, move, after, dice)
        game, number = after, number + 1


def disguised(game: GameState, seat: int, chance: Random, *, purses: bool = True) -> GameState:
    """Replace all that a seat may not know: the seed, others' offers until they are revealed, and purses.

    Purses stay as they are for bots that count them, as anybody can from public events.
    """
    players = list(game.players)
    for other, player in enumerate(players):
        if other == seat:
            continue
        gold, prices = player.gold, player.prices
        if game.phase is Phase.PRICING and prices:
            one = chance.randint(1, gold + player.stakes - 1)
            two = chance.randint(1, gold + player.stakes - one)
            prices = tuple(chance.sample([0, one, two], 3))
            gold += player.stakes - sum(prices)
        if purses and not game.open_gold:
            gold = chance.randint(0, 60)
        players[other] = player._replace(gold=gold, prices=prices)
    return game._replace(seed=f"not {game.seed}", players=tuple(players))


def check_that_hidden_information_changes_no_move(
    bot: Bot, players: int, open_gold: bool, *, counts: bool
) -> None:
    """Play a whole game; compare each move with that in a game that looks the same to the seat.

    :param counts: whether the bot counts purses.
    """
    chance = Random(f"{open_gold}{players}")
    options = Options(scoring_tiles=SCORING, open_gold=open_gold)
    for decision in decisions([bot] * players, "hidden", options):
        other = disguised(decision.game, decision.seat, chance, purses=not counts)
        assert other != decision.game
        assert _seen(decision.seat, other) == _seen(decision.seat, decision.game)
        assert decision.again(other) == decision.move


def _seen(seat: int, game: GameState) -> dict[str, object]:
    return game_view(game, seat) | {"fairness": "another seed, another commitment"}
