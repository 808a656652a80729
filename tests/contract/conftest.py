"""The contract under test."""

import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tests.contract.checked import CheckedService, Contract

OPENAPI_YAML = Path(__file__).parents[2] / "openapi.yaml"


def generated(name):
    """Return a document of the contract as the code generates it."""
    command = [sys.executable, "-m", "skye_server.cli", "openapi", name]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


@pytest.fixture(scope="session")
def document():
    """The document in the repository."""
    return yaml.load(OPENAPI_YAML.read_text(), yaml.CSafeLoader)


@pytest.fixture(scope="session")
def contract(document):
    """The contract, to check responses against."""
    return Contract(document)


@pytest.fixture
def service(contract):
    """A service that checks each of its responses against the contract."""
    return CheckedService(contract)
