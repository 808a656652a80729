"""Acknowledged actions survive kills of any process during games, once each."""

import secrets

from tests.support.sizes import sized
from tests.system.durability import served, survived
from tests.system.machines import Machines


def test_acknowledged_action_is_kept_once_when_processes_are_killed(redis_program, tmp_path):
    times = sized(1, 5)
    kills = times * len(Machines.VICTIMS)
    with served("one", redis_program, tmp_path) as machines:
        found = survived(machines, secrets.token_hex(4), games=4, enough=lambda made: made.total() >= kills)
    assert found["acknowledged"] >= kills
    assert all(machines.kills[victim] == times for victim in machines.VICTIMS)


def test_replicated_action_survives_the_loss_of_its_master(redis_program, tmp_path):
    with served("cluster", redis_program, tmp_path) as machines:
        once = {"enough": lambda kills: kills.total() == 1, "victims": ["store and worker"]}
        found = survived(machines, secrets.token_hex(4), games=4, **once)
    assert found["acknowledged"] > 0
