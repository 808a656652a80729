"""Requests that schemathesis generates from openapi.yaml, valid and invalid, alone and along the links."""

import re

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, settings
from schemathesis.generation.stateful import run_state_machine_as_test

from tests.contract.checked import OPENAPI_YAML
from tests.fuzzing.generated import Journeys, Stages, prepare, validate
from tests.support.sizes import sized

OPERATIONS = re.findall(r"operationId: (\w+)", OPENAPI_YAML.read_text().partition("\nwebhooks:\n")[0])

SAME_EACH_TIME = {
    "derandomize": True,
    "deadline": None,
    "database": None,
    "phases": (Phase.explicit, Phase.generate),
    "suppress_health_check": list(HealthCheck),
}
"""The same but for constants of the modules that the process has imported, which Hypothesis also draws."""


@pytest.fixture(scope="module")
def stages():
    return Stages()


@pytest.fixture
def schema(request, stages, monkeypatch):
    # schemathesis 4.32 needs this attribute, which pytest 9.1 dropped.
    monkeypatch.setattr(request.node, "_nodeid", request.node.nodeid, raising=False)
    return stages.contract


def generated_requests_to(operation):
    """Return a test of one operation, whose requests are generated when it runs, not when it is collected."""

    @schemathesis.pytest.from_fixture("schema").include(operation_id=operation).parametrize()
    @settings(max_examples=sized(3, 60), **SAME_EACH_TIME)
    def test(case, stages):
        stages.send(case)

    return test


for _operation in OPERATIONS:
    globals()[f"test_generated_requests_to_{_operation}"] = generated_requests_to(_operation)


def test_generated_requests_along_links_have_documented_responses():
    journeys = Journeys()

    class Journey(journeys.contract.as_state_machine()):
        def setup(self):
            journeys.begin()

        def before_call(self, case):
            prepare(case)

        def after_call(self, response, case):
            del case
            journeys.note(response)

        def validate_response(self, response, case, **kwargs):
            validate(case, response, *journeys.excluded_checks(case), **kwargs)

        def _repr_step(self, rule, data, result):
            # Hypothesis asserts that each result has a name, but schemathesis names none of refused requests:
            # the AssertionError would hide the failure that is reported.
            del data, result
            return rule.function.__name__

    size = settings(max_examples=sized(6, 100), stateful_step_count=10, **SAME_EACH_TIME)
    run_state_machine_as_test(Journey, settings=size)
