"""Rated games: which tickets play together, what their game is, and what becomes of its result."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import msgspec

from skye_server.client_address import network
from skye_server.commands.current_games import Games
from skye_server.cooperative_yield import charge_stored
from skye_server.error_codes import FieldError, Problem
from skye_server.features import Pairing
from skye_server.games.authorization import SPECTATOR
from skye_server.games.game import Game, Rated, RatedPlayer, Status
from skye_server.games.past_games import past_game, seats_by_player
from skye_server.games.views.history import record_view
from skye_server.http.rate_limits import RATED_KB
from skye_server.ladder.ladders import LADDERS, Ladder, ladder_with
from skye_server.ladder.pairing import LOOK_MS, MAX_MEETINGS, Candidate, group_of
from skye_server.ladder.profiles import DAY_MS, Profiles, shown_of
from skye_server.ladder.results import KEPT_MS, LadderResults, Result
from skye_server.players.codec import RecordCodec
from skye_server.relay.consumers import Subject
from skye_server.settings import Settings
from skye_server.store.redis_store import RedisStore

_FORGET_EVERY: Final = 50
"""After how many results the old ones are looked for."""


class Note(msgspec.Struct, array_like=True, frozen=True):
    """What a ticket notes of its player.

    :param network: of the address of the request.
    :param name, is_bot: those of the profile.
    """

    network: str
    name: str
    is_bot: bool


_notes: Final = RecordCodec(Note, "note of a ticket")


def pairing_of(games: Games, criteria: Mapping[str, Any]) -> Pairing | None:
    """Return how rated tickets are paired; None for tickets that are not rated.

    :raises Problem: invalid_body, if no ladder has the options.
    """
    if not criteria["more"].get("rated"):
        return None
    ladder = _ladder(games.settings, criteria)
    tickets = _RatedTickets(games, ladder)
    return Pairing(tickets.admit, tickets.choose, tickets.begin, LOOK_MS)


def _ladder(settings: Settings, criteria: Mapping[str, Any]) -> Ladder:
    """Return the ladder of a ticket.

    :raises Problem: invalid_body.
    """
    options = criteria["options"]
    ladder = ladder_with(criteria["seats"], options["turn_ms"])
    if ladder is None:
        offered = "; ".join(f"{each.seats} and {each.turn_ms}" for each in LADDERS.values())
        detail = f"No ladder has these. `seat_count` and `options.turn_ms` of rated games are {offered}."
        raise Problem("invalid_body", errors=[FieldError("/seat_count", detail)])
    others = {name: value for name, value in options.items() if name != "turn_ms"}
    if others != _OTHER_OPTIONS or criteria["ruleset"] != settings.ruleset.id:
        detail = "Rated games have the rules of new games and no option but `turn_ms`."
        raise Problem("invalid_body", errors=[FieldError("/options", detail)])
    return ladder


_OTHER_OPTIONS: Final = {
    "increment_ms": 0,
    "on_timeout": "bot",
    "tie_break": "leftover_gold",
    "open_gold": False,
}
"""The options of a ticket that names none, without `turn_ms`."""


class _RatedTickets:
    """The tickets of a ladder, and the games that begin with them."""

    def __init__(self, games: Games, ladder: Ladder) -> None:
        self._ladder = ladder
        self._results = LadderResults(games.store.calls, ladder.id)
        self._profiles = Profiles(games.store.calls, games.now_ms)

    def admit(self, player: str, address: str) -> bytes:
        """Return the note of a player's ticket.

        :raises Problem: profile_required, too_many_requests.
        """
        profile = self._profiles.of(player)
        if profile is None:
            raise Problem("profile_required")
        charge_stored(RATED_KB)
        return _notes.encode(Note(network(address), profile.name, profile.is_bot))

    def choose(
        self, waiting: Sequence[tuple[str, str, bytes, int]], seats: int, now_ms: int
    ) -> Sequence[str] | None:
        """Return the ids of tickets that play together, or None.

        The game counts for its players before its group is formed: a group that is not formed, because one of
        the tickets waits no longer, leaves them one game less on this day.
        """
        ratings = self._results.ratings([player for _, player, _, _ in waiting])
        candidates = [
            Candidate(
                ticket,
                player,
                _notes.decode(note).network,
                now_ms - since_ms,
                rating.mu,
                rating.sigma,
                rating.is_provisional,
                sum(rating.last),
            )
            for (ticket, player, note, since_ms), rating in zip(waiting, ratings, strict=True)
        ]
        day = now_ms // DAY_MS
        group = group_of(
            candidates[0], candidates[1:], seats, lambda pairs: self._results.meetings(pairs, day)
        )
        if group is None:
            return None
        tickets = [candidate.ticket for candidate in group]
        players = [candidate.player for candidate in group]
        return tickets if self._results.meet(players, tickets, day, MAX_MEETINGS) else None

    def begin(self, players: Sequence[tuple[str, bytes]]) -> tuple[Sequence[str], Mapping[str, Any]]:
        """Return the names of the players of a game, and its fields."""
        ratings = self._results.ratings([player for player, _ in players])
        rated = []
        for (player, note), rating in zip(players, ratings, strict=True):
            known = self._profiles.use(player) or _notes.decode(note)
            rated.append(
                RatedPlayer(known.name, known.is_bot, rating.shown, rating.uncertainty, rating.is_provisional)
            )
        fields = {"rated": Rated(self._ladder.id, tuple(rated)), "name": f"Rated game ({self._ladder.id})"}
        return [player.name for player in rated], fields


def relay_result(store: RedisStore, now_ms: Callable[[], int], subject: Subject) -> bool:
    """Append the result of a rated game that is finished to its ladder, and rate it.

    :raises Problem: store_unavailable, too_much_contention; data_corrupt, data_newer.
    """
    game = subject.game
    if game is None or game.rated is None or game.status is not Status.FINISHED:
        return True
    current, changes = subject.since(0)
    if current is None or current.status is not Status.FINISHED:
        return False
    results = LadderResults(store.calls, game.rated.ladder)
    result = _result(current, changes)
    number = results.append(result)
    results.rate()
    profiles = Profiles(store.calls, now_ms)
    for player in result.players:
        results.show(player, shown_of(profiles.of(player)))
    if number % _FORGET_EVERY == 0:
        results.forget(now_ms() - KEPT_MS)
    return True


def _result(game: Game, changes: Sequence[Any]) -> Result:
    """Return the result of a finished game for its ladder."""
    assert game.rated is not None
    past = past_game(game, changes, 0)
    players = {seat: player for player, seat in seats_by_player(game).items()}
    places = {seat: place for place, seat in past.placing}
    seats = range(len(game.seats))
    record = msgspec.json.encode(record_view(game, SPECTATOR.in_game(game), list(changes)))
    return Result(
        game_id=game.id,
        finished_ms=past.finished_ms,
        players=tuple(players[seat] for seat in seats),
        names=tuple(player.name for player in game.rated.players),
        places=tuple(places[seat] for seat in seats),
        gave_up=tuple(seat.is_given_up for seat in past.seats),
        has_winner=bool(past.winners),
        record=zlib.compress(record, 9),
    )
