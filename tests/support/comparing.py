"""Compares views that were shown at different times, or by different versions."""


def without_time(view):
    """Return a view without the time at which it was shown or folded."""
    return {name: value for name, value in view.items() if name != "now"}


def with_fields_of(kept, view):
    """Return a view without the fields that a kept one lacks, at any depth: later versions add fields.

    >>> with_fields_of({"seats": [{"name": "Ann"}]}, {"seats": [{"name": "Ann", "is_new": True}], "more": 1})
    {'seats': [{'name': 'Ann'}]}
    """
    if isinstance(kept, dict) and isinstance(view, dict):
        return {name: with_fields_of(kept[name], value) for name, value in view.items() if name in kept}
    if isinstance(kept, list) and isinstance(view, list) and len(kept) == len(view):
        return list(map(with_fields_of, kept, view))
    return view
