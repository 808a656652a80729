"""Positions and records of games as JSON or text, and back."""

from skye.positions.from_view import game_from_view
from skye.positions.importing import game_from_position
from skye.positions.record import (
    Action,
    Record,
    RecordedDraws,
    action_of,
    apply_actions,
    begin_recorded,
    draws_of,
    replay,
)
from skye.positions.record_json import (
    OLDEST_RECORD_FORMAT,
    RECORD_FORMAT,
    draws_to_json,
    record_from_json,
    record_to_json,
)
from skye.positions.snapshot import PlayerPosition, Position, PositionDraw, game_hash, position_of
from skye.positions.text import position_from_text, position_to_text
from skye.rules.moves import MAX_GOLD
from skye.rules.recorded_events import apply_event
from skye.rules.setup import set_up

__all__ = [
    "MAX_GOLD",
    "OLDEST_RECORD_FORMAT",
    "RECORD_FORMAT",
    "Action",
    "PlayerPosition",
    "Position",
    "PositionDraw",
    "Record",
    "RecordedDraws",
    "action_of",
    "apply_actions",
    "apply_event",
    "begin_recorded",
    "draws_of",
    "draws_to_json",
    "game_from_position",
    "game_from_view",
    "game_hash",
    "position_from_text",
    "position_of",
    "position_to_text",
    "record_from_json",
    "record_to_json",
    "replay",
    "set_up",
]
