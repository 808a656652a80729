"""The modules of the web client fit the types of the contract."""

from tests.support.launcher import ROOT
from tests.support.programs import run


def test_modules_of_the_web_client_have_the_types_of_the_contract(typescript):
    assert run(typescript.CLIENT / "node_modules/.bin/tsc", "-p", ROOT / "web") == ""
