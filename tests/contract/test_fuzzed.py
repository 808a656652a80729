"""Requests that a machine makes up from openapi.yaml: right ones, wrong ones, alone and along the links."""

from hypothesis import HealthCheck, Phase, settings

from tests.contract.fuzzing import Journeys, Stages, do_not_wait, validate
from tests.support.sizes import sized

STAGES = Stages()
JOURNEYS = Journeys()

ALWAYS_THE_SAME = {
    "derandomize": True,
    "deadline": None,
    "database": None,
    "phases": (Phase.explicit, Phase.generate),
    "suppress_health_check": list(HealthCheck),
}


def generated_requests_to(operation):
    """Return a test of one operation: pytest-xdist needs a name for each."""

    @STAGES.contract.include(operation_id=operation).parametrize()
    @settings(max_examples=sized(5, 60), **ALWAYS_THE_SAME)
    def test(case):
        STAGES.send(case)

    return test


for _result in STAGES.contract.get_all_operations():
    _operation = _result.ok().definition.raw["operationId"]
    globals()[f"test_generated_requests_to_{_operation}"] = generated_requests_to(_operation)


class Journey(JOURNEYS.contract.as_state_machine()):
    """From answer to request along the links."""

    def setup(self):
        JOURNEYS.begin()

    def before_call(self, case):
        do_not_wait(case)

    def after_call(self, response, case):
        del case
        JOURNEYS.note(response)

    def validate_response(self, response, case, **kwargs):
        # An aborted game can still be looked at: to delete one is to abort it.
        validate(case, response, "use_after_free", **kwargs)


TestJourney = Journey.TestCase
TestJourney.settings = settings(max_examples=sized(10, 100), stateful_step_count=10, **ALWAYS_THE_SAME)
