"""Every target of the Makefile, and every tool that CONTRIBUTING names, does its work: tried once a release.

They run in a copy of the checkout, with the environment of the tests, in which they install nothing.
"""

import os
import re
import shutil
import signal
import subprocess
import sys
from fnmatch import fnmatch
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

from bench import page
from bench.rows import Row, update
from skye_server.server.server_programs import find_program
from tests.support.chromium import find_headless_chromium
from tests.support.launcher import ROOT
from tests.support.ports import free_port

MAKEFILE = (ROOT / "Makefile").read_text()
MAX_TARGET_S = 1_200

EXCEPT = {
    "release-images": "it needs buildah and base images",
    "test-all": "it is what runs these tests",
}
"""The targets that no test runs, and why. What plays or kills for minutes runs here for seconds (OPTIONS)."""

PYTHON_PATH = ("engine", "service", "gym", "hunts", "clients/python", "clients/mcp")
STAMPS = ("", "-test", "-full", "-frameworks", "-npm", "-bench")


class Run(NamedTuple):
    """Targets that one call of make runs in turn.

    :param variables: the variables that make them short.
    :param writes: the files of the repository that they may change; for others a change is a fault.
    :param needs: the programs without which they are not tried; `index`: the indexes of packages.
    """

    targets: tuple
    variables: tuple = ()
    writes: tuple = ()
    needs: tuple = ()


def pytest_of(*arguments):
    return f"PYTEST={sys.executable} -m pytest {' '.join(arguments)}"


REDIS = ("redis",)
RUNS = (
    Run(("help",)),
    Run(("openapi", "format")),
    Run(("examples",), needs=("redis", "curl", "jq", "openssl")),
    Run(("test", "test-full"), ("ROOMS=tests/games/test_names.py",)),
    Run(("test-costs",), (pytest_of("tests/games/test_names.py"),), writes=("tests/costs.tsv",)),
    Run(("test-servers",), (pytest_of("-k redis_url"),)),
    Run(("durability",), ("OPTIONS=--minutes 0.05",), needs=REDIS),
    Run(("soak",), ("OPTIONS=--games 60 --streams 15 --minutes 0.06",), needs=("redis", "nginx")),
    Run(("detection-matrix",)),
    Run(("league",), ("OPTIONS=--games=2",), writes=("gym/README.md",)),
    Run(("dataset",), ("N=2",)),
    Run(("reference",)),
    Run(("core",), needs=("cc",)),
    Run(("request-path",), needs=REDIS),
    Run(("bench", "bench-full"), ("OPTIONS=engine --least",)),
    Run(
        ("bench-engine", "bench-api", "bench-scale", "bench-attacks"),
        ("OPTIONS=--least",),
        needs=("wrk", *REDIS),
    ),
    Run(("bench-web",), ("OPTIONS=1",), needs=("chromium", *REDIS)),
    Run(("bench-profile",), ("OPTIONS=--seconds 1",), needs=("py-spy", "wrk", *REDIS)),
    Run(("bench-page",), writes=("deploy/scale.md",)),
    Run(("screenshots",), writes=("service/skye_server/docs/static/*",), needs=("chromium", *REDIS)),
    Run(("clients",), needs=("npm", "index")),
    Run(("generators",), needs=("npm", "index")),
    Run(("lock",), writes=("deploy/requirements*.lock",), needs=("index",)),
    Run(("released",), writes=("tests/contract/released.yaml",)),
    Run(("release", "release-test"), ("UNAUDITED=yes",), needs=("npm", "unshare", "chromium", "index")),
    Run(("clean",), ("VENV=.venv",)),
)
SERVED = ("serve", "demo")
"""These two run beside each other."""

TOOLS = {
    "tests.contract.same_responses": (("record", "{folder}/before"), ("compare", "{folder}/before")),
    "tests.support.stored_fixture": (("{folder}/fixture.json",),),
    "deploy.release.versions": (("9.8.7",), ()),
}
"""Programs that no target runs, with the arguments of their calls."""


def targets():
    return set(re.findall(r"^([a-z-]+):(?!=)", MAKEFILE, re.MULTILINE)) | set(linters())


def linters():
    return re.search(r"^LINTERS := (.*)$", MAKEFILE, re.MULTILINE)[1].split()


def run_by_ci():
    """Return the targets that the checks of every change run."""
    found = set(re.findall(r"\bmake ([a-z-]+)", (ROOT / ".ci" / "run").read_text()))
    return found | set(linters()) if "lint" in found else found


@cache
def is_there(program):
    if program == "index":
        asked = [sys.executable, "-m", "pip", "index", "versions", "uv", "--timeout", "5", "--retries", "0"]
        return subprocess.run(asked, capture_output=True, check=False).returncode == 0
    if program == "redis":
        return find_program() is not None
    if program == "chromium":
        return find_headless_chromium() is not None
    return shutil.which(program) is not None or Path(sys.prefix, "bin", program).exists()


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    """A repository with the files of the checkout, as old as these are: make compares ages."""
    folder = tmp_path_factory.mktemp("checkout")
    listed = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    names = subprocess.run(listed, cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\0")
    for name in filter(None, names):
        if (ROOT / name).exists():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name, follow_symlinks=False)
    for command in (["init", "--quiet"], ["add", "."], ["commit", "--quiet", "--message", "Copy"]):
        git(folder, *command)
    update(
        folder / "bench" / "latest.json",
        "all",
        [Row(row, 1.0, "us") for rows in page.COSTS.values() for row in rows],
    )
    return folder


def git(folder, *arguments):
    user = ("-c", "user.name=Ann", "-c", "user.email=ann@example.org")
    return subprocess.run(
        ["git", *user, *arguments], cwd=folder, capture_output=True, text=True, check=True
    ).stdout


def environ(folder, **more):
    """Return an environment in which programs import what is in the copy."""
    own = {
        name: value
        for name, value in os.environ.items()
        if not name.startswith(("MAKE", "PYTEST", "TEST_SIZE"))
    }
    path = os.pathsep.join(str(folder / part) for part in PYTHON_PATH)
    return own | {"PYTHONPATH": path, "PYTHONDONTWRITEBYTECODE": "1", **more}


def make(*arguments):
    """Return a call of make that takes the environment of the tests for installed."""
    up_to_date = [f"--old-file={sys.prefix}/.installed{stamp}" for stamp in STAMPS]
    return ["make", "--no-print-directory", f"VENV={sys.prefix}", *up_to_date, *arguments]


def run(command, folder):
    ran = subprocess.run(
        command,
        cwd=folder,
        env=environ(folder),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=MAX_TARGET_S,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout[-4000:]


def changed(folder):
    """Return the files that a run has changed or added, and put the copy back."""
    status = git(folder, "status", "--porcelain", "--no-renames")
    git(folder, "checkout", "--quiet", ".")
    git(folder, "clean", "--quiet", "--force", "-d")
    return [line[3:] for line in status.splitlines()]


def test_every_target_is_run_by_a_test_or_excepted():
    tried = {target for each in RUNS for target in each.targets} | {*SERVED}
    assert tried <= targets()
    assert set(EXCEPT) <= targets()
    assert not tried & set(EXCEPT)
    assert targets() - tried - run_by_ci() == set(EXCEPT) - run_by_ci()


def test_every_tool_that_contributing_names_is_run_by_a_target_or_a_test():
    named = set(re.findall(r"python -m ([\w.]+)", (ROOT / "CONTRIBUTING.md").read_text())) - {"pytest"}
    of_targets = set(re.findall(r"-m(?:odule)? ([\w.]+)", MAKEFILE))
    assert "tests.contract.readme" in named & of_targets
    assert named - of_targets - set(TOOLS) == set()


@pytest.mark.full_size
@pytest.mark.parametrize("each", RUNS, ids=lambda each: " ".join(each.targets))
def test_target_succeeds_and_changes_nothing_else(each, copy):
    missing = [program for program in each.needs if not is_there(program)]
    if missing:
        pytest.skip(f"make {' '.join(each.targets)} needs {' and '.join(missing)}")
    run(make(*each.targets, *each.variables), copy)
    assert [
        path for path in changed(copy) if not any(fnmatch(path, pattern) for pattern in each.writes)
    ] == []


@pytest.mark.full_size
def test_demo_plays_on_the_server_that_make_serves(copy, tmp_path):
    if not is_there("redis"):
        pytest.skip("make serve needs redis")
    own = environ(copy, SKYE_BIND=f"127.0.0.1:{free_port()}", SKYE_DATA_DIR=str(tmp_path))
    served = {"stdout": subprocess.PIPE, "text": True, "start_new_session": True}
    with subprocess.Popen(make("serve"), cwd=copy, env=own, **served) as serving:
        try:
            assert any("http://" in line for line in serving.stdout)
            subprocess.run(make("demo"), cwd=copy, env=own, check=True, timeout=MAX_TARGET_S)
        finally:
            os.killpg(serving.pid, signal.SIGTERM)
    assert changed(copy) == []


@pytest.mark.full_size
@pytest.mark.parametrize("tool", TOOLS)
def test_tool_succeeds(tool, copy, tmp_path):
    for arguments in TOOLS[tool]:
        run([sys.executable, "-m", tool, *(each.format(folder=tmp_path) for each in arguments)], copy)
    changed(copy)
