"""The tools of the detection matrix: how each is run on a server, and what it reports."""

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from tests.support.launcher import ROOT

TESTING = ROOT / "examples" / "testing"
PYTEST = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
CLIENT_TESTS = (
    "test_python_client.py",
    "test_python_player.py",
    "test_host.py",
    "test_mcp.py",
    "test_faults.py",
)

MAX_TEST_MS = 120_000
"""The time of a test of the TypeScript client: one that waits for ever has failed."""

_SCHEMATHESIS = re.compile(r"^_+ ([A-Z]+ /\S+|Stateful tests) _+$", re.MULTILINE)
_PYTEST = re.compile(r"^(?:FAILED|ERROR) (?:\S*/)?(\S+)", re.MULTILINE)
_NODE = re.compile(r"^not ok \d+ - (.*)", re.MULTILINE)
_RAISED = re.compile(r"^((?:\w+\.)*(?:\w+Error|Differs|InvariantViolated))\b", re.MULTILINE)


class Tool(NamedTuple):
    """A tool.

    :param command: its command, for the address of a server, operations and a folder of its own.
    :param reports: finds each failure in its output.
    :param by_operation: whether it tests each operation on its own, and reports failures by operation: then
        it runs on the operations of defects only.
    :param starts_servers: whether it starts servers of its own.
    """

    title: str
    command: Callable[[str, list[str], Path], list[str]]
    reports: re.Pattern[str]
    folder: Path | None = ROOT  # None: the folder of its own
    by_operation: bool = False
    starts_servers: bool = False

    def run(self, url, operations, folder, timeout_s, environ):
        """Run the tool; return what it reports as failed, None if it did not end in time."""
        try:
            done = subprocess.run(
                self.command(url, operations, folder),
                cwd=self.folder or folder,
                env=os.environ | environ | {"SKYE_URL": url},
                capture_output=True,
                text=True,
                timeout=timeout_s,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return None
        output = done.stdout + done.stderr
        failed = sorted({found[found.lastindex] for found in self.reports.finditer(output)})
        (folder / "output.txt").write_text(output)
        if done.returncode and not failed:
            failed = [f"exit code {done.returncode}: {output[-300:]}"]
        return failed if done.returncode else []


def _schemathesis(url, folder, *options, stateful=False):
    for name in ("schemathesis.toml", "schemathesis_hooks.py"):
        shutil.copy(TESTING / name, folder)
    config = folder / "schemathesis.toml"
    text = config.read_text()
    config.write_text(text.replace("[phases.stateful]\nenabled = false", "") if stateful else text)
    program = str(Path(sys.executable).with_name("schemathesis"))
    fixed = ("--seed", "1", "--no-color", "--generation-database", "none")
    return [program, "run", f"{url}/openapi.json", *fixed, *options]


def schemathesis(url, operations, folder):
    """Generate requests to operations, in the size of examples/testing."""
    included = [option for name in operations for option in ("--include-operation-id", name)]
    return _schemathesis(url, folder, *included)


def schemathesis_with_links(url, operations, folder):
    """Generate sequences of requests along the links of the contract."""
    del operations
    return _schemathesis(url, folder, "--phases", "stateful", "--max-examples", "30", stateful=True)


def python_client(url, operations, folder):
    """Run the tests of the Python client, which start servers."""
    del url, operations
    files = [f"tests/clients/{name}" for name in CLIENT_TESTS]
    plugin = ("-p", "hunts.tests.detection.plugin")
    return [*PYTEST, *plugin, "-x", "--basetemp", str(folder / "tests"), *files]


def typescript_client(url, operations, folder):
    """Run the tests of the TypeScript client."""
    del url, operations, folder
    tests = ("client", "player", "host", "leagues", "faults")
    options = ("--test-reporter=tap", f"--test-timeout={MAX_TEST_MS}")
    return ["node", "--test", *options, *(f"test/{name}.test.js" for name in tests)]


def pytest_examples(url, operations, folder):
    """Run the examples of the pytest plugin."""
    del operations
    options = ("-o", f"skye_url={url}", "--basetemp", str(folder / "tests"))
    return [*PYTEST, *options, "test_my_program.py", "test_faults.py"]


def random_player(url, operations, folder):
    """Play whole random games, and check each response against the contract."""
    del operations, folder
    return [sys.executable, "-m", "hunts.tests.detection.random_player", url]


def referee(url, operations, folder):
    """Play whole random games, and compare what the API shows with the second implementation of the rules."""
    del operations, folder
    return [sys.executable, "-m", "hunts.tests.detection.referee", url]


TOOLS = {
    "referee": Tool("second implementation", referee, _RAISED),
    "random_player": Tool("random player", random_player, _RAISED),
    "pytest_examples": Tool("pytest plugin", pytest_examples, _PYTEST, TESTING),
    "schemathesis": Tool("Schemathesis", schemathesis, _SCHEMATHESIS, None, by_operation=True),
    "typescript_client": Tool("TypeScript client", typescript_client, _NODE, ROOT / "clients/typescript"),
    "schemathesis_with_links": Tool("Schemathesis, links", schemathesis_with_links, _SCHEMATHESIS, None),
    "python_client": Tool("Python client", python_client, _PYTEST, starts_servers=True),
}
"""The tools, the shortest runs first."""
