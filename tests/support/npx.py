"""Run pinned programs of npm packages, as `npx` gets them."""

import functools
import shlex
import shutil
import subprocess

import pytest

from tests.support.missing_programs import NO_NPX
from tests.support.programs import finished

VERSIONS = {
    "@redocly/cli": "2.77.0",
    "@usebruno/cli": "4.1.0",
    "httpyac": "6.16.7",
    "node": "22.23.3",
    "pyright": "1.1.414",
}

_QUIET = {
    "npm_config_yes": "true",
    "npm_config_prefer_offline": "true",
    "npm_config_fetch_retries": "1",
    "npm_config_loglevel": "error",
    "REDOCLY_TELEMETRY": "off",
    "REDOCLY_SUPPRESS_UPDATE_NOTICE": "true",
    "NO_COLOR": "1",
}


def npx(package, *command, cwd, others=()):
    """Run a command of a package; return the finished process, with its output as text.

    Skips the test where there is no npm, or where it cannot get the package.

    :param package: a name of `VERSIONS`, or a name with its version
    :param others: further packages that the command needs
    """
    packages = (package, *others)
    if shutil.which("npx") is None or not _can_be_fetched(packages):
        pytest.skip(NO_NPX)
    return _run(packages, shlex.join(map(str, command)), cwd)


@functools.cache
def _can_be_fetched(packages):
    try:
        return _run(packages, "true", None).returncode == 0
    except subprocess.TimeoutExpired:
        return False


def _run(packages, call, cwd):
    pinned = [f"{name}@{VERSIONS[name]}" if name in VERSIONS else name for name in packages]
    return finished("npx", *(f"--package={name}" for name in pinned), "--call", call, cwd=cwd, **_QUIET)
