"""Commands that create a game: a new one, or one that begins from a record, a position or a scenario."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from service.matches import lobby
from service.matches.creation import (
    body_from_position,
    body_from_record,
    game_from_body,
    new_invites,
    new_match,
    new_seats,
)
from service.matches.errors import Problem
from service.matches.match import Origin, OriginType, SeedSource
from service.matches.scenarios import SCENARIOS, position_of_scenario
from service.matches.view_types import CreatedGameView, SeatTokenView
from service.usecases.attempts import Command, Committed, creations
from service.usecases.commands import CommandResult, result_of
from service.usecases.games import Games
from skye import Action, Phase


def create_game(games: Games, command: Command, body: dict[str, Any]) -> CommandResult[CreatedGameView]:
    """Create a game.

    :raises Problem: game_full, color_taken, name_taken, invalid_setup, idempotency_key_reused,
        too_much_contention, store_unavailable, game_unreadable.
    :raises RuleError: InvalidSetup.
    """
    for creation in creations(games, command):
        committed = creation.replayed()
        if committed is None:
            tokens, now_ms = creation.tokens, creation.now_ms
            match = creation.hosted(new_match(body, creation.game_id, tokens, now_ms))
            seats = new_seats(body["players"], tokens, creation.player)
            invites = new_invites(body["players"], tokens)
            committed = creation.commit(lobby.open_match(match, seats, now_ms, invites=invites))
        if committed is not None:
            return _created_result(committed)
    raise Problem("too_much_contention")


def create_game_from_record(
    games: Games, command: Command, body: dict[str, Any]
) -> CommandResult[CreatedGameView]:
    """Create a game that begins from the record of another.

    :raises Problem: color_taken, game_not_over, idempotency_key_reused, too_much_contention,
        store_unavailable, game_unreadable.
    :raises RuleError: InvalidRecord, InvalidSetup.
    """
    record = body["record"]
    until, position = body.get("until"), record.get("position")
    moment = (until["round"], Phase(until["phase"])) if isinstance(until, dict) else None
    actions = record["actions"] if moment else record["actions"][:until]
    body = body_from_record(body)
    start = None if position is None else game_from_body(position, "/record/position")
    if start is not None:
        body = body_from_position(body, start)
    for creation in creations(games, command):
        committed = creation.replayed()
        if committed is None:
            now_ms, origin = creation.now_ms, Origin(OriginType.RECORD)
            match = creation.hosted(new_match(body, creation.game_id, creation.tokens, now_ms, origin))
            seats = new_seats(body["players"], creation.tokens, creation.player)
            opened = lobby.open_match(match, seats, now_ms, unique_names=False)
            if start is not None:
                opened = opened.then(lobby.begin_from_position(opened.match, start, now_ms))
            committed = creation.commit(lobby.replay(opened, actions, now_ms, moment))
        if committed is not None:
            return _created_result(committed)
    raise Problem("too_much_contention")


def create_game_from_position(
    games: Games, command: Command, body: dict[str, Any]
) -> CommandResult[CreatedGameView]:
    """Create a game that begins from a position.

    :raises Problem: invalid_body, name_taken, idempotency_key_reused, too_much_contention,
        store_unavailable, game_unreadable.
    """
    return _create_at_position(games, command, body, Origin(OriginType.POSITION))


def create_game_from_scenario(
    games: Games, command: Command, body: dict[str, Any]
) -> CommandResult[CreatedGameView]:
    """Create a game that begins from a scenario.

    :raises Problem: invalid_body, name_taken, idempotency_key_reused, too_much_contention,
        store_unavailable, game_unreadable.
    """
    scenario = SCENARIOS[body["scenario"]]
    body |= {"position": position_of_scenario(scenario)}
    origin = Origin(OriginType.SCENARIO, scenario.name)
    return _create_at_position(games, command, body, origin, scenario.actions)


def _create_at_position(
    games: Games, command: Command, body: dict[str, Any], origin: Origin, actions: Sequence[Action] = ()
) -> CommandResult[CreatedGameView]:
    game = game_from_body(body["position"], "/position")
    by_server = body["position"].get("seed") is None
    body = body_from_position(body, game)
    for creation in creations(games, command):
        committed = creation.replayed()
        if committed is None:
            now_ms = creation.now_ms
            match = creation.hosted(new_match(body, creation.game_id, creation.tokens, now_ms, origin))
            if by_server:
                options = replace(match.options, seed_source=SeedSource.SERVER, nonce=None)
                match = replace(match, options=options)
            seats = new_seats(body["players"], creation.tokens, creation.player)
            opened = lobby.open_match(match, seats, now_ms)
            begun = opened.then(lobby.begin_from_position(opened.match, game, now_ms))
            committed = creation.commit(lobby.replay(begun, actions, now_ms))
        if committed is not None:
            return _created_result(committed)
    raise Problem("too_much_contention")


def _created_result(committed: Committed) -> CommandResult[CreatedGameView]:
    """Return the new game and its tokens."""
    match, tokens = committed.match, committed.tokens
    players: list[SeatTokenView] = [
        {"seat": seat, "token": tokens.given.get(str(seat))} for seat in range(len(match.seats))
    ]
    view: CreatedGameView = {
        "game": committed.game_view(),
        "host_token": tokens.given["host"],
        "players": players,
        "invites": tokens.invites,
    }
    return result_of(match, view)
