"""The bots, and how they evaluate a game."""

from skye.bots.cooperative_yield import on_checkpoint
from skye.bots.registry import BOT_PROFILES, BOTS, Bot, BotProfile, choose_move, play_out

__all__ = [
    "BOTS",
    "BOT_PROFILES",
    "Bot",
    "BotProfile",
    "choose_move",
    "on_checkpoint",
    "play_out",
]
