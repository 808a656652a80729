"""The contract under test."""

import subprocess
import sys

import pytest

from tests.contract.checked import CheckedService, Contract, read_document


def generated(name):
    """Return a document of the contract as the code generates it."""
    command = [sys.executable, "-m", "skye_server.cli", "openapi", name]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


@pytest.fixture(scope="session")
def document():
    """The document in the repository."""
    return read_document()


@pytest.fixture(scope="session")
def contract(document):
    """The contract, to check responses against."""
    return Contract(document)


@pytest.fixture
def service(contract):
    """A service that checks each of its responses against the contract."""
    return CheckedService(contract)


def pytest_collection_modifyitems(items):
    """Run last what is about the responses that all the tests have received."""
    items.sort(key=lambda item: item.name == "test_every_documented_response_was_received")
