"""Sizes of storms, fuzzing and soaks: small in `make test`, full in `make test-all`."""

import os


def sized(small, full):
    """Return the size of a test, as the environment variable TEST_SIZE selects."""
    return full if os.environ.get("TEST_SIZE") == "full" else small
