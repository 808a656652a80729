"""Sizes of tests: small in `make test`, full in `make test-all`."""

import os


def sized(small, full):
    """Return the size of a test, as the environment variable TEST_SIZE selects."""
    return full if os.environ.get("TEST_SIZE") == "full" else small


def sampled(cases, step):
    """Return each `step`-th of the cases of a test in the small size, and all of them in the full size."""
    return sized(list(cases)[::step], list(cases))
