"""What spectators of a hidden game see of its version and its number of events: nothing that moves with play.

In a game with `public_from` set to `end`, a caller without a seat sees who plays it, and not how far it is. A
counter of all changes would show that. So the start of such a game stores counters of its own
(`Game.public`), which count from there only the changes of who plays. They are in everything that such a
caller gets of the game until its end: views, lists, entity tags, preconditions, events of players, webhooks.
"""

from __future__ import annotations

from collections.abc import Sequence

from skye_server.games.authorization import Caller
from skye_server.games.events import BotChanged, BotTookOver, GameStarted, SeatReturned
from skye_server.games.game import Change, Counters, Game, PublicFrom, Status


def counters_for(game: Game, caller: Caller) -> Counters:
    """Return the version of a game and the number of its last event, as a caller may see them.

    :param caller: with what the caller may see of the game (`Caller.in_game`).
    """
    if game.public is None or caller.sees_content:
        return Counters(game.version, game.last_event)
    return game.public


def counters_after(public: Counters | None, after: Game, change: Change) -> Counters | None:
    """Return what spectators of a hidden game see of its counters after a change; None if it is not hidden.

    :param public: the same before the change.
    """
    if after.options.public_from is not PublicFrom.END or after.status is not Status.PLAYING:
        return None
    if public is None:
        return Counters(change.version, change.last_event)
    return Counters(public.version + 1, public.last_event + 1) if is_public(change) else public


def is_public(change: Change) -> bool:
    """Return whether spectators of a hidden game see a change: its start, and who plays a seat."""
    shown = (GameStarted, BotTookOver, SeatReturned, BotChanged)
    return any(isinstance(event, shown) for event in change.events)


def public_history(game: Game, changes: Sequence[Change]) -> list[Counters | None]:
    """Return the counters that spectators see after each of the last changes; None for the real ones."""
    public = game.public
    found: list[Counters | None] = []
    for change in reversed(changes):
        if any(isinstance(event, GameStarted) for event in change.events):
            public = None
        found.append(public)
        if public is not None and is_public(change):
            public = Counters(public.version - 1, public.last_event - 1)
    return found[::-1]
