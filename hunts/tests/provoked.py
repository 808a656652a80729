"""Requests about bug hunts that are refused."""

import json

from tests.support.playing import Service
from tests.support.provoked_problems import provokes

REPORT = {"operation": "get_game", "class": "rules", "evidence": [{"path": "/v1/games"}]}


def _lab_with_hunt(service):
    lab = Service(service.redis, lab=True)
    return lab, lab.call("POST", "/v1/lab/hunts", {"count": 1, "seed": "provoked"}).json


@provokes("hunt_not_found")
def a_hunt_that_does_not_exist(service):
    lab = Service(service.redis, lab=True)
    return lambda: lab.call("GET", "/v1/lab/hunts/none")


@provokes("hunt_key_required")
def revealing_a_hunt_without_its_key(service):
    lab, hunt = _lab_with_hunt(service)
    return lambda: lab.call("POST", f"/v1/lab/hunts/{hunt['id']}/reveal")


@provokes("hunt_ended")
def a_game_of_a_hunt_that_was_revealed(service):
    lab, hunt = _lab_with_hunt(service)
    lab.call("POST", f"/v1/lab/hunts/{hunt['id']}/reveal", token=hunt["key"])
    return lambda: lab.call("POST", f"/v1/lab/hunts/{hunt['id']}/reports", REPORT)


@provokes("too_many_hunts")
def a_hunt_beyond_the_maximum(service):
    lab = Service(service.redis, lab=True)
    service.redis.zadd("skye-hunts", {f"hunt{number}": 2e9 for number in range(500)})
    return lambda: lab.call("POST", "/v1/lab/hunts")


@provokes("too_many_reports")
def a_report_beyond_the_maximum(service):
    lab, hunt = _lab_with_hunt(service)
    report = {"at_ms": 0, "operation": "get_game", "kind": "rules", "verdict": "edited", "defect": None}
    service.redis.rpush(f"skye-hunt:{{{hunt['id']}}}:reports", *[json.dumps(report)] * 1000)
    return lambda: lab.call("POST", f"/v1/lab/hunts/{hunt['id']}/reports", REPORT)
