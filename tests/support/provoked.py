"""All requests that provoke problems."""

from tests.support import provoked_by_faults, provoked_by_lab, provoked_by_moves, provoked_by_requests

_MODULES = (provoked_by_faults, provoked_by_lab, provoked_by_moves, provoked_by_requests)
PROVOKED = {
    name: (prepare.code, prepare)
    for module in _MODULES
    for name, prepare in vars(module).items()
    if hasattr(prepare, "code")
}
"""The problem code and the function that prepares the request, by the name of the function."""

assert len(PROVOKED) == sum(hasattr(each, "code") for module in _MODULES for each in vars(module).values())
