"""The first version of the expert, `expert@1`, which leagues and judges keep to compare with.

It has its own copies of its model of rivals and of its weights, and its moves never change: a test compares
them with stored ones. What it shares with other bots are the greedy bot's offers and the evaluation of
territories in `skye.bots`.
"""

from skye_gym.bots.expert_1.search import expert_1

__all__ = ["expert_1"]
