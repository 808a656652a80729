"""Whole games of a subject against a bot."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple, TypeAlias

from skye.events import Event
from skye.rules.moves import Move
from skye.rules.state import GameState
from skye_gym.agents import PLAIN, TextGame, UnusableReply, Wording, move_in
from skye_gym.agents.text_game import ATTEMPTS
from skye_gym.answers import well_formed
from skye_gym.evals.questions import Ask, Message, Question, decision_messages

OPPONENTS: Final = ("greedy", "strategist")
Result: TypeAlias = dict[str, float]


class Choice(NamedTuple):
    """A move that a subject chose.

    :param move: the move, or None if no reply could be used.
    :param illegal: the number of replies that could not be used.
    """

    move: Move | None
    illegal: int


def choose(
    ask: Ask,
    key: str,
    game: GameState,
    seat: int,
    events: Sequence[Event] = (),
    *,
    attempts: int = ATTEMPTS,
    listed: bool = True,
    wording: Wording = PLAIN,
) -> Choice:
    """Ask for a move; show the reason when a reply cannot be used, and ask again.

    :param key: the beginning of the keys of the questions.
    :param events: all events of the game so far.
    """
    messages: tuple[Message, ...] = decision_messages(game, seat, events, wording, listed=listed)
    for attempt in range(attempts):
        reply = ask(Question(f"{key}/{attempt}", messages, game, seat))
        try:
            move = move_in(reply.text, game, seat, listed=listed, wording=wording)
            return Choice(move, attempt)
        except UnusableReply as error:
            said = {"role": "assistant", "content": well_formed(reply.text) or "(no reply)"}
            messages = (*messages, said, {"role": "user", "content": f"{error} Choose again."})
    return Choice(None, attempts)


def play_game(ask: Ask, key: str, seed: str, seat: int, opponent: str, *, listed: bool) -> Result:
    """Play a game of two to its end; return its figures.

    A decision without a usable reply forfeits the game.

    :param key: the beginning of the keys of the questions.
    :param seed: the seed of the game and of the opponent.
    :param seat: the seat of the subject.
    :param opponent: one of `OPPONENTS`.
    :param listed: whether decisions list the legal actions.
    """
    game = TextGame(seed, seat, opponent)
    choices: list[Choice] = []
    while not game.over:
        choices.append(choose(ask, f"{key}/{len(choices)}", game.game, seat, game.events, listed=listed))
        move = choices[-1].move
        if move is None:
            game.forfeit()
        else:
            game.play(move)
    return {
        "points": game.points,
        "margin": game.margin,
        "wins": game.wins,
        "rank": 1 if game.wins else 2,
        "decisions": len(choices),
        "illegal": sum(choice.illegal for choice in choices),
        "forfeited": game.forfeited,
    }
