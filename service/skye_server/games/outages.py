"""Outages: time in which no worker could take an action is not played time.

`skye_server.store.outages` finds them, and says how.
"""

from __future__ import annotations

from typing import NamedTuple


class Outage(NamedTuple):
    """A time in which no worker could take an action, or a step of the store's clock.

    Times are milliseconds since 1970, by the store's clock.

    :param number: numbers grow, also after the store has lost the list.
    :param start_ms: the last sign of life before it.
    :param end_ms: when clients have had time to reconnect. It is before `start_ms` if the clock was set back.
    """

    number: int
    start_ms: int
    end_ms: int


class Uptime(NamedTuple):
    """The last sign of life of a worker, and the outages, as they were read in one step.

    :param sign_ms: 0 if there is none.
    :param outages: by their numbers.
    """

    sign_ms: int
    outages: tuple[Outage, ...] = ()

    @property
    def last(self) -> int:
        """The number of the last outage, 0 if there is none."""
        return self.outages[-1].number if self.outages else 0

    def after(self, number: int) -> tuple[Outage, ...]:
        """Return the outages with numbers above one."""
        return tuple(outage for outage in self.outages if outage.number > number)
