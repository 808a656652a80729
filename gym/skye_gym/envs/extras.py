"""The extras of `skye-gym`: the packages that the environments need."""

from __future__ import annotations


def missing_extra(error: ModuleNotFoundError, extra: str) -> ModuleNotFoundError:
    """Return the error for a package that is not installed, with the command that installs it."""
    command = f"pip install 'skye-gym[{extra}]'"
    return ModuleNotFoundError(f"the package {error.name!r} is not installed: {command}", name=error.name)
