"""The bots, and how they evaluate a game."""

from skye.bots.cooperative_yield import on_checkpoint
from skye.bots.expert import expert
from skye.bots.registry import BOTS, LEAGUE_BOTS, Bot, choose_move, play_out

__all__ = ["BOTS", "LEAGUE_BOTS", "Bot", "choose_move", "expert", "on_checkpoint", "play_out"]
