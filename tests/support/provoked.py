"""All requests that provoke problems."""

from tests.support import provoked_by_faults, provoked_by_moves, provoked_by_requests
from tests.support.features import modules_of_features

_MODULES = (provoked_by_faults, provoked_by_moves, provoked_by_requests)


def provoked_by(*modules):
    """Return the problem code and the function that prepares the request, by the name of the function."""
    functions = [item for module in modules for item in vars(module).items() if hasattr(item[1], "code")]
    found = {name: (prepare.code, prepare) for name, prepare in functions}
    assert len(found) == len(functions)
    return found


PROVOKED = provoked_by(*_MODULES, *modules_of_features("provoked"))
