"""The modules of the web client fit the types of the contract."""

import subprocess

import pytest

from tests.support.launcher import ROOT

pytestmark = pytest.mark.slow


def test_modules_of_the_web_client_have_the_types_of_the_contract(typescript):
    compiler = typescript.CLIENT / "node_modules/.bin/tsc"
    checked = subprocess.run([compiler, "-p", ROOT / "web"], capture_output=True, text=True, check=False)
    assert checked.stdout == ""
    assert checked.returncode == 0
