"""The contract under test."""

from pathlib import Path

import pytest
import yaml

from tests.contract.checked import CheckedService, Contract

OPENAPI_YAML = Path(__file__).parents[2] / "openapi.yaml"


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
