"""Threads that run beside a test."""

import contextlib
import threading
from concurrent.futures import ThreadPoolExecutor

from tests.support.waiting import MAX_WAIT_S


@contextlib.contextmanager
def running(function):
    """Run a function in a thread meanwhile, and wait for its end."""
    thread = threading.Thread(target=function)
    thread.start()
    try:
        yield
    finally:
        thread.join(MAX_WAIT_S)
        assert not thread.is_alive()


def at_once(function, values):
    """Call a function with each of several values at the same time; return the results in order."""
    together = threading.Barrier(len(values))

    def call(value):
        together.wait(MAX_WAIT_S)
        return function(value)

    with ThreadPoolExecutor(len(values)) as threads:
        return list(threads.map(call, values))
