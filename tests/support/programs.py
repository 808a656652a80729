"""Run programs to their end, as their users do."""

import os
import subprocess

from tests.support.waiting import MAX_RUN_S


def finished(*command, cwd=None, text=None, **environ):
    """Run a program with additional environment variables; return the process, with its output as text.

    :param text: its standard input.
    """
    return subprocess.run(
        [*map(str, command)],
        cwd=cwd,
        env=os.environ | environ,
        input=text,
        capture_output=True,
        text=True,
        timeout=MAX_RUN_S,
        check=False,
    )


def run(*command, **options):
    """Run a program, which must succeed, as `finished` does; return its output."""
    done = finished(*command, **options)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout
