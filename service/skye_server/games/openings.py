"""Open a game from the body of a creation request: new, or from a record, a position or a scenario."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from msgspec.structs import replace

from skye import Action, Phase
from skye_server.games import lobby
from skye_server.games.authorization import HOST_ROLE, TokenSource, hash_token
from skye_server.games.creation import (
    body_from_position,
    body_from_record,
    new_invites,
    new_seats,
    requested_game,
    state_from_body,
)
from skye_server.games.game import Game, Origin, OriginType, SeedSource
from skye_server.games.scenarios import SCENARIOS, position_of_scenario
from skye_server.games.transitions import Transition


@dataclass(frozen=True, slots=True)
class NewGame:
    """The values that the service supplies for a new game: its id, its tokens and its time of creation.

    :param ruleset: the id of the ruleset of a game whose request names none.
    :param player: the id of the player whose key creates it, or empty.
    """

    id: str
    tokens: TokenSource
    now_ms: int
    ruleset: str
    player: str = ""

    def game(self, body: dict[str, Any], origin: Origin | None = None) -> Game:
        """Return the requested game, without its players."""
        host = "" if self.player else hash_token(self.tokens.token(HOST_ROLE))
        game = requested_game({"ruleset": self.ruleset} | body, self.id, host, self.now_ms, origin)
        return replace(game, host_player=self.player)


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
    game, players = new.game(body), body["players"]
    seats = new_seats(players, new.tokens, new.player)
    return lobby.open_game(game, seats, new.now_ms, invites=new_invites(players, new.tokens))


def _from_record(body: dict[str, Any]) -> Opening:
    record = body["record"]
    until, position = body.get("stop_at"), record.get("position")
    moment = (until["round"], Phase(until["phase"])) if isinstance(until, dict) else None
    actions = record["actions"] if moment else record["actions"][:until]
    begun, draws = body_from_record(body), record.get("draws")
    tiles = None if draws is None else draws.tiles
    start = None if position is None else state_from_body(position, "/record/position")
    if start is not None:
        begun = body_from_position(begun, start)

    def open_game(new: NewGame) -> Transition:
        game = new.game(begun, Origin(OriginType.RECORD))
        seats = new_seats(begun["players"], new.tokens, new.player)
        opened = lobby.open_game(game, seats, new.now_ms, unique_names=False)
        if start is not None:
            opened = opened.then(lobby.begin_from_position(opened.game, start, new.now_ms))
            return lobby.replay(opened, actions, new.now_ms, moment, tiles)
        opened = opened.then(lobby.start(opened.game, new.now_ms, draws))
        later = tiles and tiles[game.ruleset.tiles_drawn * len(begun["players"]) :]
        return lobby.replay(opened, actions, new.now_ms, moment, later)

    return open_game


def _from_scenario(body: dict[str, Any]) -> Opening:
    scenario = SCENARIOS[body["scenario"]]
    body = body | {"position": position_of_scenario(scenario)}
    return _from_position(body, Origin(OriginType.SCENARIO, scenario.name), scenario.actions)


def _from_position(body: dict[str, Any], origin: Origin, actions: Sequence[Action] = ()) -> Opening:
    state = state_from_body(body["position"], "/position")
    by_server = body["position"].get("seed") is None
    begun = body_from_position(body, state)

    def open_game(new: NewGame) -> Transition:
        game = new.game(begun, origin)
        if by_server:
            options = replace(game.options, seed_source=SeedSource.SERVER, nonce=None)
            game = replace(game, options=options)
        seats = new_seats(begun["players"], new.tokens, new.player)
        opened = lobby.open_game(game, seats, new.now_ms)
        opened = opened.then(lobby.begin_from_position(opened.game, state, new.now_ms))
        return lobby.replay(opened, actions, new.now_ms)

    return open_game
