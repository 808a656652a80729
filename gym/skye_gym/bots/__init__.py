"""The bots that leagues, environments and evaluations know by name: those of the engine, and the experts."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from skye.bots import BOTS, Bot
from skye_gym.bots.expert import expert
from skye_gym.bots.expert_1 import expert_1
from skye_gym.bots.trained_evaluation import value_of_tiles

__all__ = ["LEAGUE_BOTS", "expert", "expert_1", "value_of_tiles"]

LEAGUE_BOTS: Final[Mapping[str, Bot]] = MappingProxyType({**BOTS, "expert": expert, "expert@1": expert_1()})
"""All bots by name. The experts are no bots of servers: their decisions take too long there. `expert` may
become stronger with each version; `expert@1`, its first version, stays as it is, to compare with."""
