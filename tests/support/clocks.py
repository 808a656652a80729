"""A pytest plugin that gives each test another clock: `pytest -p tests.support.clocks --clock jumping`.

Only the time of day (`time.time`) is replaced, also for what verifies webhooks: durations are measured by
`time.monotonic`.
"""

import itertools
import time
from datetime import datetime

import pytest
import standardwebhooks.webhooks

_JUMP_NS = 1_500_000_000
"""How far the jumping clock advances at each reading: more than the second that HTTP dates count in."""


class _Datetime(datetime):
    @classmethod
    def now(cls, tz=None):
        return cls.fromtimestamp(time.time(), tz)


def pytest_addoption(parser):
    """Add the option that names the clock."""
    parser.addoption("--clock", choices=("jumping", "stopped"), help="advance at each reading, or never")


@pytest.fixture(autouse=True)
def _other_clock(request, monkeypatch):
    """Replace the time of day during a test."""
    if clock := request.config.option.clock:
        readings = itertools.count(time.time_ns(), _JUMP_NS if clock == "jumping" else 0)
        monkeypatch.setattr(time, "time_ns", lambda: next(readings))
        monkeypatch.setattr(time, "time", lambda: next(readings) / 1e9)
        monkeypatch.setattr(standardwebhooks.webhooks, "datetime", _Datetime)
