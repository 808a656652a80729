"""Open a game from the body of a creation request: new, or from a record, a position or a scenario."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from skye import Action, Phase
from skye_server.games import lobby
from skye_server.games.authorization import TokenSource
from skye_server.games.creation import (
    body_from_position,
    body_from_record,
    game_from_body,
    new_invites,
    new_match,
    new_seats,
)
from skye_server.games.game import Match, Origin, OriginType, SeedSource
from skye_server.games.scenarios import SCENARIOS, position_of_scenario
from skye_server.games.transitions import Transition


@dataclass(frozen=True, slots=True)
class NewGame:
    """The values that the service supplies for a new game: its id, its tokens and its time of creation.

    :param player: the id of the player whose key creates it, or empty.
    """

    id: str
    tokens: TokenSource
    now_ms: int
    player: str = ""

    def match(self, body: dict[str, Any], origin: Origin | None = None) -> Match:
        """Return the requested match, without its players."""
        match = new_match(body, self.id, self.tokens, self.now_ms, origin)
        return replace(match, host_player=self.player)


Opening: TypeAlias = Callable[[NewGame], Transition]
"""Opens a game, or raises the `Problem` or `RuleError` that explains why it cannot be opened."""


def opening_of(body: dict[str, Any]) -> Opening:
    """Return the function that opens the game of a creation request.

    :raises Problem: invalid_body, game_not_over.
    """
    if "record" in body:
        return _from_record(body)
    if "position" in body:
        return _from_position(body, Origin(OriginType.POSITION))
    if "scenario" in body:
        return _from_scenario(body)
    return lambda new: _open_new(body, new)


def _open_new(body: dict[str, Any], new: NewGame) -> Transition:
    match, players = new.match(body), body["players"]
    seats = new_seats(players, new.tokens, new.player)
    return lobby.open_match(match, seats, new.now_ms, invites=new_invites(players, new.tokens))


def _from_record(body: dict[str, Any]) -> Opening:
    record = body["record"]
    until, position = body.get("until"), record.get("position")
    moment = (until["round"], Phase(until["phase"])) if isinstance(until, dict) else None
    actions = record["actions"] if moment else record["actions"][:until]
    begun = body_from_record(body)
    start = None if position is None else game_from_body(position, "/record/position")
    if start is not None:
        begun = body_from_position(begun, start)

    def open_game(new: NewGame) -> Transition:
        match = new.match(begun, Origin(OriginType.RECORD))
        seats = new_seats(begun["players"], new.tokens, new.player)
        opened = lobby.open_match(match, seats, new.now_ms, unique_names=False)
        if start is not None:
            opened = opened.then(lobby.begin_from_position(opened.match, start, new.now_ms))
        return lobby.replay(opened, actions, new.now_ms, moment)

    return open_game


def _from_scenario(body: dict[str, Any]) -> Opening:
    scenario = SCENARIOS[body["scenario"]]
    body = body | {"position": position_of_scenario(scenario)}
    return _from_position(body, Origin(OriginType.SCENARIO, scenario.name), scenario.actions)


def _from_position(body: dict[str, Any], origin: Origin, actions: Sequence[Action] = ()) -> Opening:
    game = game_from_body(body["position"], "/position")
    by_server = body["position"].get("seed") is None
    begun = body_from_position(body, game)

    def open_game(new: NewGame) -> Transition:
        match = new.match(begun, origin)
        if by_server:
            options = replace(match.options, seed_source=SeedSource.SERVER, nonce=None)
            match = replace(match, options=options)
        seats = new_seats(begun["players"], new.tokens, new.player)
        opened = lobby.open_match(match, seats, new.now_ms)
        opened = opened.then(lobby.begin_from_position(opened.match, game, new.now_ms))
        return lobby.replay(opened, actions, new.now_ms)

    return open_game
