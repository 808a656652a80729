"""Whatever is killed while games are played: what was acknowledged is there, once."""

import secrets

from tests.system.durability import survived
from tests.system.machines import Machines, OneRedis


def test_no_acknowledged_action_is_lost_or_made_twice_when_what_serves_it_is_killed(redis_program, tmp_path):
    with Machines(OneRedis(redis_program, tmp_path, "always"), tmp_path) as machines:
        found = survived(machines, secrets.token_hex(4), games=5, enough=lambda kills: kills.total() >= 8)
    assert found["acknowledged"] > 100
    assert all(machines.kills[victim] == 2 for victim in machines.VICTIMS)
