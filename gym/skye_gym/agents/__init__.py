"""Texts for language models: a decision of a seat, with its numbered legal actions, and a lesson.

`skye-mcp`, `skye-eval` and the environments for training show the same texts.
"""

from skye_gym.agents.decision import (
    MAX_TAKE_BACKS,
    action_text,
    decision_id,
    decision_text,
    numbered_actions,
    quoted,
    standing,
    take_backs_left,
    tile_text,
)
from skye_gym.agents.local import legal_actions, local_decision
from skye_gym.agents.replies import UnusableReply, json_in, move_in
from skye_gym.agents.teaching import CONVENTIONS, lesson
from skye_gym.agents.text_game import TextGame
from skye_gym.agents.wording import PLAIN, Wording, other_wording

__all__ = [
    "CONVENTIONS",
    "MAX_TAKE_BACKS",
    "PLAIN",
    "TextGame",
    "UnusableReply",
    "Wording",
    "action_text",
    "decision_id",
    "decision_text",
    "json_in",
    "legal_actions",
    "lesson",
    "local_decision",
    "move_in",
    "numbered_actions",
    "other_wording",
    "quoted",
    "standing",
    "take_backs_left",
    "tile_text",
]
