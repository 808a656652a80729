"""Sizes of tests: the fast ones in `make test`, all of them in `make test-all`, in their full size."""

import os

import pytest


def sized(small, full):
    """Return the size of a test, as the environment variable TEST_SIZE selects."""
    return full if os.environ.get("TEST_SIZE") == "full" else small


def sampled(cases, step):
    """Return each `step`-th of the cases of a test in the small size, and all of them in the full size."""
    cases = list(cases)
    return sized(cases[::step], cases)


def rest_slow(cases):
    """Return the cases of a parametrized test, all but the first of them marked as slow.

    :param cases: Values, or tuples of them for a test of several parameters.
    """
    first, *rest = cases
    slow = (pytest.param(*(case if type(case) is tuple else [case]), marks=pytest.mark.slow) for case in rest)
    return [first, *slow]
