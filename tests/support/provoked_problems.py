"""Requests that provoke problems, registered by the modules `provoked_by_*`."""

PROVOKED = {}
"""The problem code and the function that prepares the request, by the name of the function."""


def provokes(code):
    """Register a function that prepares a request and returns a function that sends it.

    :param code: The code of the problem that the response must be.
    """

    def register(prepare):
        assert prepare.__name__ not in PROVOKED
        PROVOKED[prepare.__name__] = (code, prepare)
        return prepare

    return register
