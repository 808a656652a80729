"""A bound on the requests that a client has under way."""

from __future__ import annotations

import threading
from typing import Final

import anyio

CONCURRENCY: Final = 50
"""httpx looks at all waiting requests whenever one begins or ends: each of 400 at once takes more than three
times the CPU of one of 50."""

Slots = threading.Semaphore
AsyncSlots = anyio.Semaphore
