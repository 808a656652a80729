"""The data of the rulesets of stored games.

    skye:{rulesets}:data  hash  by the hash of a ruleset's data: the data, as text (see `skye.rulesets.data`)

A game names its ruleset and the hash. So a game goes on with the tiles with which it began, also after a
release or an operator has corrected them: its ruleset is then `base+<hash>`.
"""

from __future__ import annotations

from typing import Final

from skye import Ruleset
from skye.rulesets import RULESETS, InvalidRulesetData, register
from skye_server.games.game import Game
from skye_server.games.transitions import with_ruleset
from skye_server.store.codec import StoredFormatError, decode_game
from skye_server.store.connection.calls import RedisCalls
from skye_server.store.connection.failures import expect_bytes

_KEY: Final = "skye:{rulesets}:data"


class RulesetStore:
    """The data of rulesets. Every method raises Problem store_unavailable when the store fails."""

    def __init__(self, calls: RedisCalls) -> None:
        self._calls = calls
        self._stored: set[str] = set()

    def add(self, ruleset: Ruleset) -> None:
        """Store the data of a ruleset, once by each process."""
        data = ruleset.data
        if data.hash not in self._stored:
            self._calls.call(_KEY, lambda server: server.hsetnx(_KEY, data.hash, data.text), writes=True)
            self._stored.add(data.hash)

    def decoded(self, stored: bytes) -> Game:
        """Return a stored game; its ruleset is that with which it began.

        :raises StoredFormatError: when the bytes are corrupt, of a newer format, or of an unknown ruleset.
        """
        game = decode_game(stored)
        ruleset = self.find(game.options.ruleset, game.ruleset_hash)
        if ruleset is None:
            problem = f"this server does not know the ruleset {game.options.ruleset} of the game"
            raise StoredFormatError(problem, "data_newer")
        return with_ruleset(game, ruleset.id)

    def find(self, ruleset_id: str, data_hash: str) -> Ruleset | None:
        """Return the ruleset of a stored game; register it if this process does not know its data.

        :returns: None if the server does not know the ruleset, or its data are not stored.
        """
        known = RULESETS.get(ruleset_id)
        if known is not None and known.data.hash == data_hash:
            return known
        origin = ruleset_id.partition("+")[0]
        earlier = RULESETS.get(f"{origin}+{data_hash}")
        if earlier is not None or origin not in RULESETS:
            return earlier
        text = self._calls.call(_KEY, lambda server: expect_bytes(server.hget(_KEY, data_hash)))
        if text is None:
            return None
        try:
            return register(RULESETS[origin].with_data(text.decode(), "the stored ruleset"))
        except InvalidRulesetData:
            return None
