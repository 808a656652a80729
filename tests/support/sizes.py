"""Sizes of tests: the fast ones in `make test`, all of them in `make test-all`, in their full size."""

import os


def sized(small, full):
    """Return the size of a test, as the environment variable TEST_SIZE selects."""
    return full if os.environ.get("TEST_SIZE") == "full" else small


def sampled(cases, step):
    """Return each `step`-th of the cases of a test in the small size, and all of them in the full size."""
    cases = list(cases)
    return sized(cases[::step], cases)
