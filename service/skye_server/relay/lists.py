"""The lists of public games: a game is in the list of its status."""

from __future__ import annotations

from skye_server.commands.listing import LISTED, index_name, index_of, score_of
from skye_server.games.game import Game, OriginType, Status
from skye_server.relay.subject import Subject
from skye_server.store.finished_games import end_of
from skye_server.store.game_index import Listed

ALL_LISTS = [index_name(status, origin) for status in LISTED for origin in (None, *OriginType)]


def relay_lists(subject: Subject) -> bool:
    """Put a game into the list of its status; return False if a later version was put there before.

    :raises Problem: store_unavailable; data_corrupt, data_newer, if the log of a finished game is unreadable.
    """
    game, index = subject.game, subject.store.index
    if game is None or game.private:
        if game is None or subject.committed is None:  # the commit of a private game saves the round trip
            index.remove(subject.game_id, ALL_LISTS)
        return True
    origin = None if game.origin is None else game.origin.type
    others = [index_name(status, origin) for status in LISTED if status is not game.status]
    if game.status not in LISTED:
        index.remove(game.id, others)
        return True
    listed = Listed(game.id, game.version, index_of(game), score_of(game, _end_ms(subject, game)))
    return index.put(listed, others, forced=subject.committed is None)


def _end_ms(subject: Subject, game: Game) -> int | None:
    if game.status is not Status.FINISHED:
        return None
    return end_of(subject.since(game.last_event - 1).changes)
