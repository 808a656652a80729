"""The programs on the guide's pages about the client packages run as they are shown."""

import re
import sys

import pytest

from skye_server import docs as guide
from tests.support.programs import run
from tests.support.typescript import link_client

pytestmark = pytest.mark.slow

_PROGRAM = re.compile(r"^```(python|js)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PROGRAMS = [
    pytest.param(kind, program, id=f"{page}-{kind}-{number}")
    for page in ("client-packages", "leagues")
    for number, (kind, program) in enumerate(_PROGRAM.findall(guide.source(page)))
]


@pytest.mark.parametrize(("kind", "program"), [each for each in PROGRAMS if each.values[0] == "python"])
def test_python_program_of_the_guide_runs(kind, program, url):
    assert run(sys.executable, "-c", program.replace("http://127.0.0.1:8000", url)), kind


@pytest.mark.parametrize(("kind", "program"), [each for each in PROGRAMS if each.values[0] == "js"])
@pytest.mark.usefixtures("typescript")
def test_javascript_program_of_the_guide_runs(kind, program, url, tmp_path):
    link_client(tmp_path)
    script = tmp_path / "program.mjs"
    script.write_text(program.replace("http://127.0.0.1:8000", url))
    assert run("node", str(script), cwd=tmp_path), kind
