"""Threads that run beside a test."""

import contextlib
import threading


@contextlib.contextmanager
def running(function):
    """Run a function in a thread meanwhile, and wait for its end."""
    thread = threading.Thread(target=function)
    thread.start()
    try:
        yield
    finally:
        thread.join()
