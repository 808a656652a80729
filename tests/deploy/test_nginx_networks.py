"""A client is an address of IPv4 or a /64 of IPv6: for nginx, its second hop, and the packet filter."""

import json
import shutil

import pytest

from tests.deploy.networks import LIMIT
from tests.deploy.servers import nginx_program
from tests.support.missing_programs import NO_NGINX
from tests.system.hosts import printed_by


def test_each_network_of_clients_has_a_limit_of_its_own():
    if nginx_program() is None:
        pytest.skip(NO_NGINX)
    nft = shutil.which("nft")
    found = json.loads(printed_by("tests.deploy.networks", "yes" if nft else "no"))
    full = [200] * LIMIT
    assert found.pop("a /64") == [*full, 429, 429]
    assert found.pop("line feeds") == [*full, 429]
    for one in ("mapped", "a /64 of agents", "an agent"):
        assert found.pop(one) == [*full, 429], one
    if nft:
        assert found.pop("nft: a /64") == [*[True] * LIMIT, False, False]
        assert found.pop("nft: IPv4") == [*[True] * LIMIT, False]
    assert all(statuses in ([200], [True]) for statuses in found.values()), found
    assert len(found) == (6 if nft else 4)
