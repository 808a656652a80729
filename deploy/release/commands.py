"""Programs that the build and the trial of a release run. It imports the standard library only."""

import os
import subprocess

MAX_RUN_S = 1800

SUMS = "SHA256SUMS"
"""The file of the checksums, which is written last: with it a release is whole."""


class ReleaseError(Exception):
    """A release cannot be made or does not work; the text says why, and what to do."""


def run(*command, cwd=None, **environ):
    """Run a program with additional environment variables; return its output.

    :raises ReleaseError: if it fails.
    """
    command = [*map(str, command)]
    done = subprocess.run(
        command,
        cwd=cwd,
        env=os.environ | environ,
        capture_output=True,
        text=True,
        timeout=MAX_RUN_S,
        check=False,
    )
    if done.returncode:
        raise ReleaseError(f"`{' '.join(command)}` failed:\n{(done.stdout + done.stderr).strip()}")
    return done.stdout
