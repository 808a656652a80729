"""Views of a game (`skye_server.games.views.types`): the engine's views plus the fields of the game.

The engine's `visibility` decides what a caller may see; this module only assembles views.
"""

from __future__ import annotations

from datetime import UTC, datetime

import skye
import skye.views
from skye import GameState, position_of
from skye.draws import commitment
from skye.positions import Position
from skye.territory import castle_alone
from skye.views import UsedScoringTileView, territory_tiles_view, used_scoring_tiles_view
from skye_server.games.authorization import Caller, hash_token, invitation_id
from skye_server.games.game import (
    Game,
    Origin,
    OriginType,
    Status,
    Visibility,
)
from skye_server.games.transitions import state_begun
from skye_server.games.views.types import (
    FairnessView,
    GameOptionsView,
    GameOriginView,
    GameSummaryView,
    GameView,
    InvitationCodeView,
    PlayerView,
    TimeView,
)


def timestamp(ms: int) -> str:
    """Return milliseconds since 1970 as RFC 3339 in UTC.

    >>> timestamp(1_500)
    '1970-01-01T00:00:01.500Z'
    """
    return datetime.fromtimestamp(ms / 1000, UTC).isoformat(timespec="milliseconds")[:-6] + "Z"


def game_view(game: Game, caller: Caller) -> GameView:
    """Return the game as a caller may see it."""
    played = _lobby_view(game) if game.state is None else skye.game_view(game.state, caller.seat)
    if game.status is Status.ABORTED:
        played["phase"], played["waiting_for"] = None, ()
    players: list[PlayerView] = [
        {**player, "name": seat.name, "bot": seat.bot}
        for (_, seat), player in zip(game.taken, played["players"], strict=True)
    ]
    return {
        "id": game.id,
        "name": game.name,
        "ruleset": game.options.ruleset,
        "version": game.version,
        "last_event": game.last_event,
        "status": game.status,
        "visibility": visibility_of(game),
        "created_at": timestamp(game.created_ms),
        "seat_count": game.capacity,
        "auto_start": game.start_when_full,
        "reserved_seats": len(game.invites),
        "you": {"seat": caller.seat, "roles": caller.roles},
        "options": options_view(game),
        "origin": origin_view(game.origin),
        "deadline": None if game.deadline_ms is None else timestamp(game.deadline_ms),
        "round": played["round"],
        "round_count": played["round_count"],
        "phase": played["phase"],
        "starting_seat": played["starting_seat"],
        "waiting_for": played["waiting_for"],
        "scoring_tiles": played["scoring_tiles"],
        "bag": played["bag"],
        "fairness": fairness_view(game),
        "players": players,
        "result": played["result"],
    }


def _lobby_view(game: Game) -> skye.views.GameView:
    ruleset = game.ruleset
    landscape = ruleset.tiles.landscape
    return {
        "ruleset": ruleset.id,
        "round": 0,
        "round_count": None,
        "phase": None,
        "starting_seat": game.options.first_seat,
        "waiting_for": (),
        "scoring_tiles": named_scoring_tiles(game),
        "bag": {"count": len(landscape), "tiles": landscape},
        "fairness": {"commitment": None, "seed": None},
        "players": [
            {
                "seat": number,
                "color": seat.color,
                "score": 0,
                "gold": 0,
                "tiles_on_offer": (),
                "tiles_to_build": (),
                "offer_set": False,
                "building_finished": False,
                "territory": territory_tiles_view(castle_alone(seat.color, ruleset.id).placed),
            }
            for number, seat in game.taken
        ],
        "result": None,
    }


def named_scoring_tiles(game: Game) -> list[UsedScoringTileView]:
    """Return the scoring tiles that the creator named, with the rounds of a game with every seat taken."""
    named = game.options.scoring_tiles
    return used_scoring_tiles_view(game.ruleset, named, game.capacity) if named else []


def fairness_view(game: Game) -> FairnessView:
    """Return the commitment to the seed; the seed and the nonce once the game is finished."""
    options, is_over = game.options, game.status is Status.FINISHED
    return {
        "commitment": commitment(options.seed, options.nonce or ""),
        "nonce": options.nonce if is_over else None,
        "seed": options.seed if is_over else None,
        "seed_source": options.seed_source,
    }


def options_view(game: Game) -> GameOptionsView:
    """Return the options of a game; `fairness_view` has the seed."""
    options = game.options
    return {
        "scoring_tiles": options.scoring_tiles,
        "first_seat": options.first_seat,
        "tie_break": options.tie_break,
        "open_gold": options.open_gold,
        "turn_ms": options.turn_ms,
        "clock": options.clock,
        "on_timeout": options.on_timeout,
    }


def origin_view(origin: Origin | None) -> GameOriginView | None:
    """Return what a game began from, None for a game that began with a new game."""
    return None if origin is None else {"type": origin.type, "scenario": origin.scenario}


def summary_view(game: Game) -> GameSummaryView:
    """Return the summary of a game in the list of games."""
    state = game.state
    return {
        "id": game.id,
        "name": game.name,
        "ruleset": game.options.ruleset,
        "version": game.version,
        "status": game.status,
        "created_at": timestamp(game.created_ms),
        "seat_count": game.capacity,
        "auto_start": game.start_when_full,
        "reserved_seats": len(game.invites),
        "round": state.round if state else 0,
        "phase": state.phase if state and game.status is Status.PLAYING else None,
        "origin": origin_view(game.origin),
        "players": [
            {"seat": number, "name": seat.name, "color": seat.color, "bot": seat.bot}
            for number, seat in game.taken
        ],
    }


def invitation_view(code: str) -> InvitationCodeView:
    """Return a new invitation with its code."""
    return {"id": invitation_id(hash_token(code)), "code": code}


def visibility_of(game: Game) -> Visibility:
    """Return who can find and read a game."""
    return Visibility.PRIVATE if game.private else Visibility.PUBLIC


def time_view(now_ms: int) -> TimeView:
    """Return the time of the response, as a part of the view of a game.

    It is not part of the view that `game_view` returns, which changes only with the version.

    >>> time_view(1_500)
    {'now': '1970-01-01T00:00:01.500Z'}
    """
    return {"now": timestamp(now_ms)}


def position_view(game: Game, caller: Caller, state: GameState | None = None) -> Position:
    """Return the position of a game as a caller may see it, or an earlier position.

    All callers may see all of a finished game, and so may the host of a game that began from a position.

    :param game: the earlier position.
    :raises Problem: game_not_started.
    """
    now = state_begun(game)
    began_from_position = game.origin is not None and game.origin.type is not OriginType.RECORD
    if now.is_over or (caller.host and began_from_position):
        return position_of(state or now)
    return skye.views.position_view(state or now, caller.seat)
