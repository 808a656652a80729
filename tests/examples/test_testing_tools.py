"""The workflows, collections and load of examples/testing, run by their own programs on a live server.

Collections that send the same requests with other programs are in the full size: to install those takes
longer than to run them. So is the command of schemathesis; `tests/fuzzing` has the same checks.
"""

import importlib.util
import re
import shutil
import sys
import urllib.request
import uuid
from pathlib import Path

import pytest

from tests.examples.conftest import EXAMPLES
from tests.support.missing_programs import NO_LOCUST, NO_NPX
from tests.support.npx import npx
from tests.support.programs import finished
from tests.support.programs import run as run_program
from tests.support.waiting import MAX_RUN_S

FOLDER = EXAMPLES / "testing"


@pytest.fixture
def workflows(url, tmp_path):
    """The workflows that the server serves, beside its contract."""
    for name in ("arazzo.yaml", "openapi.yaml"):
        with urllib.request.urlopen(f"{url}/{name}", timeout=MAX_RUN_S) as answer:
            (tmp_path / name).write_bytes(answer.read())
    return tmp_path / "arazzo.yaml"


def respect(workflows, url, *options):
    """Run the workflows with Redocly Respect."""
    # Respect validates with Ajv, whose discriminators do not take a fallback for words that are new. Other
    # tests compare every response with its schema.
    return npx(
        "@redocly/cli",
        *("redocly", "respect", workflows, "--severity", "SCHEMA_CHECK=off"),
        *("--server", f"skye={url}", "--input", f"key={uuid.uuid4()}", *options),
        cwd=workflows.parent,
    )


def test_every_workflow_succeeds(workflows, url):
    done = respect(workflows, url)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Workflows: 5 passed, 5 total" in done.stdout


def test_workflow_fails_on_a_server_that_answers_otherwise(workflows, url):
    done = respect(workflows, f"{url}/elsewhere", "--workflow", "create-and-join")
    assert done.returncode != 0
    assert "Workflows: 1 failed, 1 total" in done.stdout, done.stdout + done.stderr


@pytest.mark.full_size
@pytest.mark.parametrize(("collection", "passed"), [("bruno", 6), ("bruno-hunt", 5)])
def test_bruno_collection_passes(collection, passed, url):
    # Bruno's default sandbox is loaded while the first request is sent, and is missing where that was faster.
    done = npx(
        "@usebruno/cli",
        *("bru", "run", "--sandbox", "developer", "--env", "local", "--env-var", f"server={url}"),
        cwd=FOLDER / collection,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"{passed} ({passed} Passed)" in done.stdout


@pytest.mark.full_size
def test_playwright_api_test_reports_what_it_finds(url, tmp_path):
    (tmp_path / "package.json").write_text('{"type": "module"}')
    shutil.copy(FOLDER / "hunt.spec.js", tmp_path)
    if shutil.which("npm") is None:
        pytest.skip(NO_NPX)
    install = "npm install --no-audit --no-fund @playwright/test@1.65.1 >&2"
    run = f"{install} && SKYE_SERVER={url} npx playwright test --reporter=line"
    done = finished("sh", "-c", run, cwd=tmp_path, PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD="1")
    assert done.returncode == 1, done.stdout + done.stderr  # the tests fail: they have found defects
    assert done.stdout.count(": accepted") == 5, done.stdout


def test_tests_of_a_hunt_report_what_they_find(url):
    program = Path(sys.executable).with_name("skye-hunt")
    command = [program, "hunt_tests.py", "-q", "-p", "no:cacheprovider", "--server", url]
    found = {}
    for difficulty in ("easy", "hard"):
        chosen = ("--count", "100", "--difficulty", difficulty, "--reveal")
        done = finished(*command, *chosen, cwd=FOLDER)
        found[difficulty] = re.findall(r"^  found  (\w+): ", done.stdout, re.MULTILINE)
        assert "false reports: 0" in done.stdout, done.stdout + done.stderr
    assert "game_without_last_event" in found["easy"]
    assert len(found["easy"]) == 10  # five in the score, five in the reveal
    assert found["hard"] == []


@pytest.mark.full_size
def test_http_file_passes(url, tmp_path):
    requests = tmp_path / "requests.http"
    requests.write_text((FOLDER / "requests.http").read_text().replace("http://127.0.0.1:8000", url))
    done = npx("httpyac", "httpyac", "send", requests, "--all", "--output", "none", cwd=tmp_path)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "8 requests processed (8 succeeded)" in done.stdout


@pytest.mark.full_size
def test_schemathesis_reaches_every_operation(launch):
    server = launch(SKYE_LAB="on", SKYE_REDIS_URL="memory://")
    program = Path(sys.executable).with_name("schemathesis")
    command = [program, "run", f"{server.url}/openapi.json", "--phases", "examples,fuzzing"]
    options = ["--max-examples", "1", "--no-color"]
    printed = run_program(*command, *options, cwd=FOLDER)
    assert re.search(r"\d\d operations, of which only 401 or 403: none", printed)


def test_load_is_answered_without_a_failure(url, tmp_path):
    if importlib.util.find_spec("locust") is None:  # an import would patch the modules of this process
        pytest.skip(NO_LOCUST)
    command = [sys.executable, "-m", "locust", "-f", FOLDER / "locustfile.py", "--host", url, "--headless"]
    options = ["--users", "4", "--spawn-rate", "4", "--stop-timeout", "10", "--csv", "load"]
    for run_time_s in (5, 20, 80):  # longer where the machine is slow
        requests, failures = load([*command, *options, "--run-time", str(run_time_s)], tmp_path)
        assert failures == 0
        if requests > 20:
            break
    assert requests > 20


def load(command, folder):
    """Run Locust; return its numbers of requests and of failures."""
    run_program(*command, cwd=folder)
    total = (folder / "load_stats.csv").read_text().splitlines()[-1]
    requests, failures = re.match(r",Aggregated,(\d+),(\d+),", total).groups()
    return int(requests), int(failures)
