"""The bots, and how they evaluate a game."""

from skye.bots.cooperative_yield import on_checkpoint
from skye.bots.expert import expert
from skye.bots.registry import BOT_PROFILES, BOTS, LEAGUE_BOTS, Bot, BotProfile, choose_move, play_out

__all__ = [
    "BOTS",
    "BOT_PROFILES",
    "LEAGUE_BOTS",
    "Bot",
    "BotProfile",
    "choose_move",
    "expert",
    "on_checkpoint",
    "play_out",
]
