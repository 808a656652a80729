"""Requests for fault injection and test functions (`SKYE_LAB`) that are refused."""

from tests.support.playing import Service
from tests.support.provoked_problems import provokes


@provokes("lab_off")
def emptying_a_server_that_is_no_lab(service):
    return lambda: service.call("DELETE", "/v1/lab/games")


@provokes("invalid_fault")
def a_fault_that_is_out_of_range(service):
    lab = Service(service.redis, lab=True)
    headers = {"Skye-Fault": "delay_before_ms=60000"}
    return lambda: lab.call("POST", "/v1/games", {}, headers=headers)
