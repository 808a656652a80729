"""Enumerations whose words stand beside their meanings."""

from __future__ import annotations

from enum import StrEnum
from typing import Self


class Word(StrEnum):
    """A word of an enumeration, with its meaning in a sentence that may follow the word and a colon.

    >>> class Light(Word):
    ...     RED = "red", "stop."
    ...     GREEN = "green"
    >>> Light("red"), Light.RED.meaning, Light.GREEN.meaning
    (<Light.RED: 'red'>, 'stop.', '')
    """

    meaning: str

    def __new__(cls, word: str, meaning: str = "") -> Self:
        """Return the word; without a meaning it explains itself."""
        self = str.__new__(cls, word)
        self._value_, self.meaning = str(word), meaning
        return self
