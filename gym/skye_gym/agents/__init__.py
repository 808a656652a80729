"""Texts for language models: a decision of a seat, with its numbered legal actions, and a lesson.

`skye-mcp`, `skye-eval` and the environments for training show the same texts.
"""

from skye_gym.agents.decision import action_text, decision_id, decision_text, quoted, standing, tile_text
from skye_gym.agents.local import legal_actions, local_decision
from skye_gym.agents.replies import UnusableReply, json_in, move_in
from skye_gym.agents.teaching import lesson
from skye_gym.agents.text_game import TextGame
from skye_gym.agents.wording import PLAIN, Wording, other_wording

__all__ = [
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
    "other_wording",
    "quoted",
    "standing",
    "tile_text",
]
