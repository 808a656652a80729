"""Whatever is killed while games are played: what was acknowledged is there, once."""

import secrets

import pytest

from service.embedded import RedisServer
from service.settings import Address
from tests.conftest import free_port
from tests.system.durability import survived
from tests.system.storm import Machines


@pytest.fixture
def redis(redis_program, tmp_path):
    """A `RedisServer` not yet started, that answers no write before it is on the disk."""
    return RedisServer(redis_program, tmp_path, Address("127.0.0.1", free_port()), "always")


def test_no_acknowledged_action_is_lost_or_made_twice_when_what_serves_it_is_killed(redis, tmp_path):
    with Machines(redis, tmp_path) as machines:
        found = survived(machines, secrets.token_hex(4), games=6, enough=lambda kills: kills.total() >= 8)
    assert found["acknowledged"] > 100
    assert all(machines.kills[victim] == 2 for victim in machines.VICTIMS)
