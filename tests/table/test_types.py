"""The modules of the table fit the types of the contract."""

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.support.missing_programs import NO_NODE

ROOT = Path(__file__).resolve().parents[2]
CLIENT = ROOT / "clients" / "typescript"


def test_modules_of_the_table_have_the_types_of_the_contract():
    if not shutil.which("npm") or not (CLIENT / "node_modules").is_dir():
        pytest.skip(NO_NODE)
    subprocess.run(["npm", "run", "--silent", "contract"], cwd=CLIENT, check=True)
    checked = subprocess.run(
        [CLIENT / "node_modules/.bin/tsc", "-p", ROOT / "web"], capture_output=True, text=True, check=False
    )
    assert checked.stdout == ""
    assert checked.returncode == 0
