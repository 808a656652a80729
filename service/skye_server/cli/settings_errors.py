"""How a command ends when its settings cannot be used."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import click

from skye_server.settings import SettingsError


class _InvalidSettings(click.ClickException):
    """The settings cannot be used. Unlike a `click.UsageError` it shows no usage: the options are right."""

    exit_code = 2


@contextmanager
def reporting_settings() -> Iterator[None]:
    """End the command with the settings that cannot be used, if there are any."""
    try:
        yield
    except SettingsError as error:
        raise _InvalidSettings(f"These settings cannot be used:\n{error}") from error
