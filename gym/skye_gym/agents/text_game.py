"""A game of two by texts: a language model on one seat, a bot on the other."""

from __future__ import annotations

from random import Random

from skye.bots.registry import choose_move
from skye.errors import GameOver
from skye.lookup import named
from skye.rules.moves import Move
from skye.rules.play import play
from skye.rules.setup import Options, new_game
from skye.tiles.tile_set import DEFAULT_RULESET
from skye_gym.agents.local import local_decision
from skye_gym.agents.replies import REPLY_FORMAT, UnusableReply, move_in
from skye_gym.bots import LEAGUE_BOTS

ATTEMPTS = 3
"""The number of replies to a decision; if none can be used the seat forfeits the game."""

FORFEIT_MARGIN = -100
"""The margin of a forfeited game: random legal play loses by less, so giving up never pays."""


class TextGame:
    """A game that waits for the moves of one seat, and makes those of the other.

    >>> game = TextGame("seed")
    >>> game.reply("I buy everything.")
    'The reply does not end with a JSON object. Choose again.'
    >>> game.reply('{"number": 1}').splitlines()[1]
    'Round 1 of 6, phase buying.'

    :param seed: the seed of the game and of the bot.
    :param seat: the seat of the model.
    :param opponent: the name of the bot, of `LEAGUE_BOTS`.
    :param ruleset: the id of the ruleset.
    :raises ValueError: when there is no such bot or ruleset.
    """

    def __init__(
        self, seed: str, seat: int = 0, opponent: str = "greedy", ruleset: str = DEFAULT_RULESET
    ) -> None:
        self.game, events = new_game(2, seed=seed, options=Options(ruleset=ruleset))
        self.events = [*events]
        self.seat = seat
        self.illegal = 0
        self.forfeited = False
        self._attempts = 0
        self._moves = 0
        self._seed = seed
        self._opponent = named("bot", opponent, LEAGUE_BOTS)
        self._wait()

    @property
    def over(self) -> bool:
        """Whether the game is over, also because the seat has forfeited it."""
        return self.forfeited or self.game.is_over

    @property
    def points(self) -> int:
        """The points of the seat; 0 if it has forfeited the game."""
        return 0 if self.forfeited else self.game.players[self.seat].score

    @property
    def margin(self) -> int:
        """The points of the seat minus those of the other; `FORFEIT_MARGIN` in a forfeited game."""
        if self.forfeited:
            return FORFEIT_MARGIN
        return self.points - self.game.players[1 - self.seat].score

    @property
    def wins(self) -> float:
        """The share of the win: 1, less for a shared win, 0 for a loss and before the end."""
        if self.forfeited:
            return 0.0
        return (self.seat in self.game.winners) / max(1, len(self.game.winners))

    def text(self) -> str:
        """Return the decision with the form of a reply, or the result."""
        if self.forfeited:
            return f"You have forfeited the game: no reply of {ATTEMPTS} to a decision could be used."
        if self.over:
            scores = " - ".join(str(player.score) for player in self.game.players)
            return f"The game is over, with the points {scores}; you are seat {self.seat}."
        decision = local_decision(self.game, self.seat, events=self.events)
        return f"{decision}\n\nChoose your action. {REPLY_FORMAT}"

    def reply(self, reply: str) -> str:
        """Make the move of a reply; return the next decision, or why the reply cannot be used.

        After three replies to a decision that cannot be used, the seat forfeits the game.

        :raises GameOver: when the game is over.
        """
        if self.over:
            raise GameOver("The game is over.")
        try:
            move = move_in(reply, self.game, self.seat)
        except UnusableReply as error:
            self.illegal += 1
            self._attempts += 1
            if self._attempts < ATTEMPTS:
                return f"{error} Choose again."
            self.forfeit()
        else:
            self.play(move)
        return self.text()

    def forfeit(self) -> None:
        """End the game: it counts as lost, without points."""
        self.forfeited = True

    def play(self, move: Move) -> None:
        """Make a move of the seat, and those of the bot that follow.

        :raises RuleError: when the move is not legal.
        """
        self._attempts = 0
        self._make(self.seat, move)
        self._wait()

    def _wait(self) -> None:
        while not self.over and (actor := self.game.waiting_for[0]) != self.seat:
            rng = Random(f"{self._seed}/{self._moves}")
            self._make(actor, choose_move(self._opponent, self.game, actor, rng))

    def _make(self, seat: int, move: Move) -> None:
        self.game, events = play(self.game, seat, move)
        self.events += events
        self._moves += 1
