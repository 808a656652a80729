"""Wait for conditions, with one bound for all waits whose end only means that a test has failed."""

import time

MAX_WAIT_S = 180
"""The longest wait for something that must happen, in seconds: a busy machine may stand still for many."""

MAX_RUN_S = 1800
"""The longest run of a program that does a whole job, such as an installation, in seconds."""


def waited_for(condition, seconds=MAX_WAIT_S):
    """Wait until a condition holds, and return whether it does.

    :param condition: A function without parameters.
    :param seconds: The bound of the wait.
    """
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True
