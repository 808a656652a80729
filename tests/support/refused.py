"""The refusals to provoke: one table that the modules beside it fill."""

PROVOKED = {}
"""Requests that are refused, by their sentence: the code, and what prepares the request."""


def refused_as(code):
    """Mark a function that prepares a request which is refused with this code, and returns it unsent."""

    def mark(prepare):
        assert prepare.__name__ not in PROVOKED
        PROVOKED[prepare.__name__] = (code, prepare)
        return prepare

    return mark
