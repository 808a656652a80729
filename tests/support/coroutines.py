"""Run coroutines in a thread: in its own, Playwright leaves an event loop running until the process ends."""

from concurrent.futures import ThreadPoolExecutor

import anyio


def run(function):
    """Run an async function in an event loop of its own; return its result."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(anyio.run, function).result()
