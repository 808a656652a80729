"""What a subject is asked, and what it replies."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple, TypeAlias

from skye.events import Event
from skye.rules.state import GameState
from skye_gym.agents import PLAIN, Wording, lesson, local_decision, other_wording
from skye_gym.agents.replies import REPLY_FORMAT

Message: TypeAlias = Mapping[str, str]

VARIANTS: Final = ("plain", "other")
"""The words of the game; other words, mirrored, against memorised games."""


class Question(NamedTuple):
    """A question to a subject.

    :param key: what identifies it in a run.
    :param messages: the messages to a language model.
    :param game: the game in which a move is asked for, or None.
    :param seat: the seat that decides.
    :param options: replies from which a baseline chooses, if no move is asked for.
    """

    key: str
    messages: Sequence[Message]
    game: GameState | None = None
    seat: int = 0
    options: Sequence[str] = ()

    @property
    def digest(self) -> str:
        """What identifies the messages."""
        return hashlib.sha256(canonical(self.messages)).hexdigest()[:16]


class Reply(NamedTuple):
    """A reply.

    :param text: the text; empty if there is none.
    :param tokens: the numbers of tokens of the messages and of the reply, or None if they are not reported.
    :param error: why there is no text, or None.
    """

    text: str
    tokens: tuple[int, int] | None = None
    error: str | None = None


Ask: TypeAlias = Callable[[Question], Reply]


def canonical(value: Any) -> bytes:
    """Return the one encoding of a value as JSON; lone surrogates, which a reply can have, are encoded, too.

    >>> canonical({"b": 1, "a": [2]})
    b'{"a":[2],"b":1}'
    """
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode(
        errors="surrogatepass"
    )


def wording_of(variant: str, seed: str) -> Wording:
    """Return the wording of a variant: other words of `other` only.

    :param seed: the seed of the other words.
    """
    return other_wording(seed) if variant == "other" else PLAIN


def messages_of(prompt: str, wording: Wording) -> tuple[Message, ...]:
    """Return the messages of a question: the lesson and the prompt, which has the words of the wording."""
    return {"role": "system", "content": lesson(wording)}, {"role": "user", "content": prompt}


def decision_messages(
    game: GameState, seat: int, events: Sequence[Event], wording: Wording, *, listed: bool = True
) -> tuple[Message, ...]:
    """Return the messages that ask for a move.

    :param events: all events of the game so far.
    :param listed: whether the text lists the legal actions.
    """
    form = REPLY_FORMAT if listed else REPLY_FORMAT.replace('{"number": 3} for a listed action\n', "")
    decision = local_decision(game, seat, events=events, listed=listed, wording=wording)
    return messages_of(f"{decision}\n\nChoose your action. {wording.text(form)}", wording)
