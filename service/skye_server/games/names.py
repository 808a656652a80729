"""Player names: comparison of names that look alike."""

from __future__ import annotations

import unicodedata

_JOINERS = str.maketrans("", "", "\u200c\u200d")


def name_key(name: str) -> str:
    r"""Return the form in which the names of one game must differ: NFKC, case folded, without joiners.

    >>> name_key("\uff21NN ") == name_key("ann")
    True
    """
    folded = unicodedata.normalize("NFKC", name).casefold().translate(_JOINERS)
    return " ".join(unicodedata.normalize("NFKC", folded).split())
