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
from skye_gym.agents.local import legal_actions, local_decision
from skye_gym.agents.replies import REPLY_FORMAT, UnusableReply, move_in
from skye_gym.bots import LEAGUE_BOTS

ATTEMPTS = 3
"""The number of replies to a decision; after the last the first legal action is made."""


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
        self._attempts = 0
        self._moves = 0
        self._seed = seed
        self._opponent = named("bot", opponent, LEAGUE_BOTS)
        self._wait()

    @property
    def over(self) -> bool:
        """Whether the game is over."""
        return self.game.is_over

    @property
    def points(self) -> int:
        """The points of the seat."""
        return self.game.players[self.seat].score

    @property
    def margin(self) -> int:
        """The points of the seat minus those of the other."""
        return self.points - self.game.players[1 - self.seat].score

    @property
    def wins(self) -> float:
        """The share of the win: 1, less for a shared win, 0 for a loss and before the end."""
        return (self.seat in self.game.winners) / max(1, len(self.game.winners))

    def text(self) -> str:
        """Return the decision with the form of a reply, or the result."""
        if self.over:
            scores = " - ".join(str(player.score) for player in self.game.players)
            return f"The game is over, with the points {scores}; you are seat {self.seat}."
        decision = local_decision(self.game, self.seat, events=self.events)
        return f"{decision}\n\nChoose your action. {REPLY_FORMAT}"

    def reply(self, reply: str) -> str:
        """Make the move of a reply; return the next decision, or why the reply cannot be used.

        After three replies to a decision that cannot be used, the first legal action is made.

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
            move = legal_actions(self.game, self.seat)[0]
        self.play(move)
        return self.text()

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
