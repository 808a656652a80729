"""A pytest plugin: which tests `make test` leaves to `make test-full`, by what they were measured to cost.

A test belongs to `make test-full`, and has the marker `full`, if it lies in a folder or file of FULL, if it
starts a server by one of STARTING, or if `tests/costs.tsv` lists it: a table that `make test-costs` writes.
A test with the marker `smoke` is in `make test` whatever it costs: it is the one test that shows that a part
works at all. A new test is in `make test` until it is measured.

The CPU time of a test includes that of the processes that it starts.
"""

import contextlib
import ctypes
import os
import time
from collections import defaultdict
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[2]
TESTS = ROOT / "tests"
TABLE = TESTS / "costs.tsv"
FULL = (
    # what starts servers, browsers or builds
    "bench", "deploy", "examples", "faults", "fuzzing", "system", "web",
    # what needs packages that `make test` does not install
    "clients/test_mcp.py", "clients/test_mcp_callers.py", "clients/offline/test_mcp_names.py",
    "clients/offline/test_mcp_tools.py",
    "clients/test_types.py",
    "contract/generators",
)  # fmt: skip
FULL_OF_PARTS = (
    "hunts/tests/detection", "hunts/tests/test_served_hunts.py",
    "gym/tests/test_arena_on_server.py", "gym/tests/test_gym_wheel.py",
    "gym/tests/test_openenv_and_verifiers.py", "gym/tests/test_training.py",
    "gym/tests/test_training_ppo.py",
    # what needs an extension that `make core` builds
    "gym/tests/test_batched_core.py",
    # what needs packages that `make test` does not install
    "gym/tests/test_env_actions.py", "gym/tests/test_env_observation.py", "gym/tests/test_env_options.py",
    "gym/tests/test_env_rulesets.py", "gym/tests/test_env_summary.py", "gym/tests/test_env_vector.py",
    "gym/tests/test_envs.py", "gym/tests/test_openspiel.py",
)  # fmt: skip
"""Likewise, for the tests that lie beside their distribution."""
STARTING = {"live", "launch"}
"""The fixtures that start the launcher: the first test of each process pays for the shared one."""

MAX_CASE_CPU_S = 0.2
MAX_CASE_WALL_S = 1.0
MAX_TEST_CPU_S = 2.0
"""The CPU time of all cases of a parametrized test: a hundred cheap cases are expensive as well."""
NOTICED = 3
"""How many times as much a test costs before it is mentioned: a busy machine makes up a factor of 2."""

_PR_SET_CHILD_SUBREAPER = 36
_TICKS_PER_S = os.sysconf("SC_CLK_TCK")


class Cost(NamedTuple):
    """The seconds that all cases of a test take together, and that the dearest of them takes."""

    cpu_s: float = 0.0
    case_cpu_s: float = 0.0
    case_wall_s: float = 0.0

    def with_case(self, cpu_s, wall_s):
        """Return the cost of a test with one more case."""
        return Cost(self.cpu_s + cpu_s, max(self.case_cpu_s, cpu_s), max(self.case_wall_s, wall_s))

    def exceeds(self, times=1):
        """Return whether a test costs more than those of `make test` may, or so many times as much."""
        most = MAX_TEST_CPU_S, MAX_CASE_CPU_S, MAX_CASE_WALL_S
        return any(value > times * bound for value, bound in zip(self, most, strict=True))


def cpu_seconds(pid):
    """Return the CPU time of a process, and of its descendants that live or were waited for, in seconds."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    except (FileNotFoundError, ProcessLookupError):
        return 0.0
    return sum(map(int, fields[11:15])) / _TICKS_PER_S + sum(map(cpu_seconds, _children(pid)))


def _children(pid):
    """Yield the ids of the children of all threads of a process; threads may end meanwhile."""
    with contextlib.suppress(FileNotFoundError, ProcessLookupError):
        for task in Path(f"/proc/{pid}/task").iterdir():
            with contextlib.suppress(FileNotFoundError, ProcessLookupError):
                yield from map(int, (task / "children").read_text().split())


@cache
def expensive_tests():
    """Return the names that the table lists, such as `tests/http/test_cors.py::test_x`."""
    rows = TABLE.read_text().splitlines()[1:] if TABLE.exists() else []
    return {row.rpartition("\t")[2] for row in rows}


def name_of(nodeid):
    """Return the name of a test without the parameters of its case."""
    return nodeid.partition("[")[0]


@cache
def lies_in_full(path):
    """Return whether a file or folder is, or lies in, one of FULL."""
    parts = (*(TESTS / full for full in FULL), *(ROOT / full for full in FULL_OF_PARTS))
    return any(path.is_relative_to(part) for part in parts)


def _is_full_unmeasured(item):
    return lies_in_full(item.path) or not STARTING.isdisjoint(item.fixturenames)


def pytest_addoption(parser):
    """Add the option of `make test-costs`."""
    parser.addoption("--write-costs", action="store_true", help="write tests/costs.tsv")


def pytest_configure(config):
    """Let orphans of a test be counted, where costs are written: they become children of the test process."""
    if config.option.write_costs:
        ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1)


def pytest_ignore_collect(collection_path, config):
    """Do not import what `make test` leaves out as a package."""
    return True if config.option.markexpr == "not full" and lies_in_full(collection_path) else None


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items):
    """Mark the tests of `make test-full`."""
    for item in items:
        is_marked = any(map(item.get_closest_marker, ("smoke", "full")))
        is_full = _is_full_unmeasured(item)
        item.stash[_TIER_IS_GIVEN] = is_marked or is_full
        if not is_marked and (is_full or name_of(item.nodeid) in expensive_tests()):
            item.add_marker(pytest.mark.full)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item):
    """Note when a test begins."""
    item.stash[_BEGUN] = cpu_seconds(os.getpid()), time.process_time(), time.monotonic()
    return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    """Add the cost of a test to its last report: at least its own CPU time, as servers of others may end."""
    report = yield
    if call.when == "teardown":
        all_cpu, own_cpu, wall = item.stash[_BEGUN]
        cpu_s = max(cpu_seconds(os.getpid()) - all_cpu, time.process_time() - own_cpu)
        report.cost = cpu_s, time.monotonic() - wall
        report.tier_is_given = item.stash[_TIER_IS_GIVEN]
    return report


_TIER_IS_GIVEN = pytest.StashKey[bool]()
_BEGUN = pytest.StashKey[tuple[float, float, float]]()
_costs = defaultdict(Cost)


def pytest_runtest_logreport(report):
    """Collect the costs, in the process that receives all reports."""
    if report.when == "teardown" and not report.tier_is_given:
        name = name_of(report.nodeid)
        _costs[name] = _costs[name].with_case(*report.cost)


def pytest_terminal_summary(terminalreporter, config):
    """Write the table, or mention tests of `make test` that have grown."""
    if config.option.write_costs:
        rows = [(*cost, name) for name, cost in sorted(_costs.items()) if cost.exceeds()]
        TABLE.write_text("".join(map(_row, [(*Cost._fields, "test"), *rows])))
        return
    grown = sorted(name for name in _costs.keys() - expensive_tests() if _costs[name].exceeds(NOTICED))
    if grown:
        terminalreporter.write_line("Too expensive for `make test`; `make test-costs` moves them:")
    for name in grown:
        terminalreporter.write_line(f"  {_costs[name].cpu_s:.1f} s of CPU: {name}")


def _row(values):
    return "\t".join(str(round(value, 1)) if type(value) is float else value for value in values) + "\n"
