"""When a game needs attention that no request may give it: at deadlines, decisions of bots, its expiry.

A dispatcher attends to a game at exactly these times. They follow from the game alone, so the commit of each
change writes them together with the game.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from skye_server.games.authorization import players_of
from skye_server.games.game import Game, Status

_MAX_LEAD_MS: Final = 3_600_000
_LEAD_SHARE: Final = 4
"""A deadline is near in the last quarter of the time for a decision, and not before its last hour."""


class Due(NamedTuple):
    """An entry of the due queue: work of a kind, and when it is due, in milliseconds since 1970.

    :param id: what the work is about. Its part before the first slash names the shard of the entry.
    """

    kind: str
    id: str
    due_ms: int


def due_after(before: Game | None, after: Game, now_ms: int, expires_ms: int) -> list[Due]:
    """Return the entries that a commit writes: the game itself, and bots at URLs that have a new decision.

    A bot that is asked already stays as it is. With a manual clock each commit asks again, as the clock may
    have reached the time of another attempt.

    :param before: None for a new game.
    :param expires_ms: when the game expires unless it changes again.
    """
    known = {} if before is None or after.clock_ms is not None else _open_decisions(before)
    asked = [
        Due("bot", f"{after.id}/{url_bot}", now_ms)
        for url_bot, decision in _open_decisions(after).items()
        if known.get(url_bot) != decision
    ]
    return [Due("game", after.id, next_attention_ms(after, now_ms, expires_ms)), *asked]


def next_attention_ms(game: Game, now_ms: int, expires_ms: int) -> int:
    """Return when a dispatcher must attend to a game: at a near deadline, a deadline, or its expiry.

    A manual clock needs no dispatcher: the request that advances the clock applies deadlines.
    """
    deadline_ms, turn_ms = game.deadline_ms, game.options.turn_ms
    if deadline_ms is None or game.clock_ms is not None or game.status is not Status.PLAYING:
        return expires_ms
    times = [expires_ms, deadline_ms]
    if turn_ms is not None and players_of(game) and now_ms < (near_ms := near_at_ms(deadline_ms, turn_ms)):
        times.append(near_ms)
    return min(times)


def near_at_ms(deadline_ms: int, turn_ms: int) -> int:
    """Return when a deadline is near, in milliseconds since 1970."""
    return deadline_ms - min(turn_ms // _LEAD_SHARE, _MAX_LEAD_MS)


def _open_decisions(game: Game) -> dict[str, str]:
    """Return the decisions that bots at URLs must make now, by the ids of the bots."""
    return {
        game.seats[seat].url_bot: decision
        for seat in game.waiting_for
        if game.seats[seat].has_url_bot and (decision := decision_of(game, seat)) is not None
    }


def decision_of(game: Game, seat: int | None) -> str | None:
    """Return the name of the decision that a seat must make now, None if there is none.

    It stays the same until the seat has made the decision.
    """
    state = game.state
    if state is None or seat is None or seat not in game.waiting_for:
        return None
    return f"{state.round}/{state.phase}/{state.buys}/{state.players[seat].placed_this_round}"
