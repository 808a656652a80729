"""The bots that leagues, environments and evaluations know by name: those of the engine, and `expert`."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from skye.bots import BOTS, Bot
from skye_gym.bots.expert import expert

__all__ = ["LEAGUE_BOTS", "expert"]

LEAGUE_BOTS: Final[Mapping[str, Bot]] = MappingProxyType({**BOTS, "expert": expert()})
"""All bots by name. `expert` is no bot of servers: its decisions take too long there."""
