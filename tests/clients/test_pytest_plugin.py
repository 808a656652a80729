"""The pytest plugin of the Python client, used as its users use it."""

import os
import subprocess
import sys

import pytest

from tests.support.launcher import ROOT

EXAMPLES = ROOT / "examples" / "testing"


def run_pytest(*arguments):
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    environ = os.environ | {"PYTHONPATH": str(ROOT)}
    environ.pop("PYTEST_XDIST_WORKER", None)
    return subprocess.run(
        [*command, *map(str, arguments)],
        cwd=EXAMPLES,
        env=environ,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def test_example_suite_passes_on_a_server_in_memory():
    done = run_pytest("-c", os.devnull, "--rootdir", EXAMPLES, EXAMPLES)
    assert "10 passed" in done.stdout, done.stdout + done.stderr


def test_example_suite_passes_on_a_running_server(live):
    done = run_pytest("-c", os.devnull, "--rootdir", EXAMPLES, "-o", f"skye_url={live.url}", EXAMPLES)
    assert "10 passed" in done.stdout, done.stdout + done.stderr


@pytest.mark.usefixtures("redis_program")
def test_example_test_passes_on_a_redis_of_its_own():
    done = run_pytest(
        "-c", os.devnull, "--rootdir", EXAMPLES, "-o", "skye_storage=redis", "-k", "counts_once", EXAMPLES
    )
    assert "1 passed" in done.stdout, done.stdout + done.stderr


def test_unknown_storage_is_refused():
    done = run_pytest(
        "-c", os.devnull, "--rootdir", EXAMPLES, "-o", "skye_storage=paper", "-k", "counts_once", EXAMPLES
    )
    assert "use memory or redis" in done.stdout + done.stderr
