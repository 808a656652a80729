"""Run event loops in a thread: in its own, Playwright leaves one running until the process ends."""

from concurrent.futures import ThreadPoolExecutor

import anyio


def in_thread(function, *given, **named):
    """Call a function that runs an event loop; return its result."""
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(function, *given, **named).result()


def run(function):
    """Run an async function in an event loop of its own; return its result."""
    return in_thread(anyio.run, function)  # noqa: TID251 - in the new thread
