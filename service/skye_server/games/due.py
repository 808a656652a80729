"""When a game needs attention that no request may give it: at deadlines, decisions of bots, its expiry.

A dispatcher attends to a game at exactly these times. They follow from the game alone, so the commit of each
change writes them together with the game. So it does with what the relay (`skye_server.relay`) must write
elsewhere: the entries of the kind `relay` are the outbox, and grow by games, never by changes.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from skye_server.games.authorization import players_of
from skye_server.games.game import Game
from skye_server.games.player_events import concerned_players, open_turns
from skye_server.settings import RENEWAL_S

_RENEWAL_MS: Final = 1_000 * RENEWAL_S

RELAY_MS: Final = 1_000
"""How long after a commit a dispatcher relays it, unless the process that committed it has done so."""


class Due(NamedTuple):
    """An entry of the due queue: work of a kind, and when it is due, in milliseconds since 1970.

    :param id: what the work is about. Its part before the first slash names the shard of the entry.
    """

    kind: str
    id: str
    due_ms: int


def events_entry(owner: str, due_ms: int) -> Due:
    """Return the entry for events of an owner, a game or a player, that are to be queued for its webhooks."""
    return Due("webhook", f"{owner}/{owner}", due_ms)


def due_after(before: Game | None, after: Game, now_ms: int, expires_ms: int) -> list[Due]:
    """Return the entries that a commit writes: the game itself, its relay, and bots with a new decision.

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
    due = Due("game", after.id, next_attention_ms(after, expires_ms))
    return [due, *relay_after(before, after, now_ms), *asked]


def relay_after(before: Game | None, after: Game, now_ms: int) -> list[Due]:
    """Return the entries for what a commit changes elsewhere: the game, and each player who lost the role."""
    if not (changes_lists(before, after) or concerned_players(before, after)):
        return []
    return relay_entries(after.id, players_of(before) - players_of(after), now_ms + RELAY_MS)


def relay_entries(game_id: str, former: frozenset[str], due_ms: int) -> list[Due]:
    """Return the entries of a game for the relay.

    :param former: players who had a role in it: nothing else names them.
    """
    ids = [game_id, *(f"{game_id}/{player}" for player in sorted(former))]
    return [Due("relay", entry, due_ms) for entry in ids]


def changes_lists(before: Game | None, after: Game) -> bool:
    """Return whether a commit changes where the list of public games has a game."""
    return not after.private and (before is None or before.status is not after.status)


def next_attention_ms(game: Game, expires_ms: int) -> int:
    """Return when a dispatcher must attend to a game: at its deadline, or when it or a proposal expires.

    A manual clock needs no dispatcher: the request that advances the clock applies deadlines.
    """
    due_ms = game.due_ms
    return expires_ms if due_ms is None or game.clock_ms is not None else min(due_ms, expires_ms)


def next_relay_ms(game: Game | None, now_ms: int) -> int | None:
    """Return when a game must be relayed again although it has not changed; None if it need not.

    When it is to be reported that a deadline is near, and once in each renewal: what is stored of players
    expires after their last event, and others can keep a game alive for longer without any.
    """
    if game is None or game.is_over or not players_of(game):
        return None
    renewals = (now_ms - game.created_ms) // _RENEWAL_MS + 1
    times = [] if game.clock_ms is not None else list(open_turns(game.turn).values())
    near = [turn.near_at_ms(game.options.turn_ms) for turn in times]
    coming = [near_ms for near_ms in near if near_ms is not None and now_ms < near_ms]
    return min([*coming, game.created_ms + renewals * _RENEWAL_MS])


def near_players(game: Game, now_ms: int) -> frozenset[str]:
    """Return the players whose deadlines are near already: a dispatcher may not have reported that yet."""
    if game.clock_ms is not None:
        return frozenset()
    near_ms = {seat: turn.near_at_ms(game.options.turn_ms) for seat, turn in open_turns(game.turn).items()}
    near = (
        game.seats[seat].player for seat, at_ms in near_ms.items() if at_ms is not None and at_ms <= now_ms
    )
    return frozenset(filter(None, near))


def _open_decisions(game: Game) -> dict[str, str]:
    """Return the decisions that bots at URLs must make now, by the ids of the bots."""
    return {
        game.seats[seat].url_bot: decision
        for seat in game.waiting_for
        if game.seats[seat].asks_url_bot and (decision := decision_of(game, seat)) is not None
    }


def decision_of(game: Game, seat: int | None) -> str | None:
    """Return the name of the decision that a seat must make now, None if there is none.

    It stays the same until the seat has made the decision.
    """
    state = game.state
    if state is None or seat is None or seat not in game.waiting_for:
        return None
    return f"{state.round}/{state.phase}/{state.buys}/{state.players[seat].placed_this_round}"
