"""The programs on the guide's pages about the client packages run as they are shown."""

import re
import subprocess
import sys

import pytest

from skye_server import docs as guide
from tests.clients.test_typescript import client, run  # noqa: F401 - a fixture
from tests.support.waiting import MAX_RUN_S

pytestmark = pytest.mark.slow

_PROGRAM = re.compile(r"^```(python|js)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PROGRAMS = [
    pytest.param(kind, program, id=f"{page}-{kind}-{number}")
    for page in ("client-packages", "leagues")
    for number, (kind, program) in enumerate(_PROGRAM.findall(guide.source(page)))
]


@pytest.mark.parametrize(("kind", "program"), [each for each in PROGRAMS if each.values[0] == "python"])
def test_python_program_of_the_guide_runs(kind, program, url):
    command = [sys.executable, "-c", program.replace("http://127.0.0.1:8000", url)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=MAX_RUN_S, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout, kind


@pytest.mark.parametrize(("kind", "program"), [each for each in PROGRAMS if each.values[0] == "js"])
def test_javascript_program_of_the_guide_runs(client, kind, program, url, tmp_path):  # noqa: F811 - a fixture
    (tmp_path / "node_modules").mkdir()
    (tmp_path / "node_modules" / "skye-client").symlink_to(client)
    script = tmp_path / "program.mjs"
    script.write_text(program.replace("http://127.0.0.1:8000", url))
    assert run("node", str(script), cwd=tmp_path), kind
