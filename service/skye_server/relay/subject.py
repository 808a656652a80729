"""What is relayed: a game, and its changes after the position of a consumer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from skye_server.games.authorization import players_of
from skye_server.games.game import Change, Game
from skye_server.store.codec import header_of
from skye_server.store.event_log import changes_from_log
from skye_server.store.redis_store import RedisStore


class Since(NamedTuple):
    """A game, None if it is gone, and its changes that have events after a number."""

    game: Game | None
    changes: Sequence[Change]


@dataclass(frozen=True, slots=True)
class Subject:
    """A game that is relayed.

    :param game: the game when its relay began; None if it is gone.
    :param header: how the stored game began then.
    :param players: those for whom there may be something to write.
    :param committed: the changes of the commit that is relayed. None: the game was read from the store, which
        decides; while the process that has just committed may be overtaken by others.
    """

    store: RedisStore
    game_id: str
    game: Game | None
    header: bytes | None
    players: frozenset[str]
    committed: Sequence[Change] | None = None

    def since(self, last_event: int) -> Since:
        """Return the game, and its changes that have events after a number.

        :raises Problem: store_unavailable; data_corrupt, data_newer, if game or log cannot be read.
        """
        if self.game is None:
            return Since(None, ())
        if self.committed and self.committed[0].first_event <= last_event + 1:
            return Since(self.game, [each for each in self.committed if each.last_event > last_event])
        stored, entries = self.store.load_with_log(self.game_id, last_event)
        if stored is None:
            return Since(None, ())
        game = self.store.rulesets.decoded(stored)
        return Since(game, changes_from_log(game, last_event, entries))


def stored_subject(store: RedisStore, game_id: str, former: frozenset[str] = frozenset()) -> Subject:
    """Return a game as it is stored now.

    :param former: players who may have lost their role in it.
    :raises Problem: store_unavailable, data_corrupt, data_newer.
    """
    stored, _ = store.load(game_id)
    game = None if stored is None else store.rulesets.decoded(stored)
    header = None if stored is None else header_of(stored)
    return Subject(store, game_id, game, header, players_of(game) | former)
