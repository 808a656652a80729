"""Compares views of a game that were shown at different times."""


def without_time(view):
    """Return a view without the time at which it was shown or folded."""
    return {name: value for name, value in view.items() if name != "now"}
