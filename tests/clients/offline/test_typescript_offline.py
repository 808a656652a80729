"""The tests of the TypeScript client that need neither a server nor its types."""

import pytest

from tests.clients.offline.node import FOLDER, run


@pytest.mark.parametrize("module", sorted(path.name for path in FOLDER.glob("*.test.js")))
def test_typescript_client_without_a_server_passes_its_tests(module):
    run("node", "--test", str(FOLDER / module))
