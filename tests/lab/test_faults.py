"""Fault injection: the grammar of the header, and servers without `SKYE_LAB`. Effects: tests/clients."""

import pytest

from tests.support.comparing import with_fields_of
from tests.support.playing import Service


@pytest.fixture
def lab(service):
    return Service(service.redis, lab=True)


def create(service, fault):
    return service.call("POST", "/v1/games", {}, headers={"Skye-Fault": fault})


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        ("", "'' is no fault"),
        ("dorp", "'dorp' is no fault"),
        ("drop=1", "drop: takes no number"),
        ("delay_before_ms", "delay_before_ms: want a whole number from 1 to 30000"),
        ("delay_after_ms=1e3", "delay_after_ms: want"),
        ("delay_after_ms=-1", "delay_after_ms: want"),
        ("delay_before_ms=30001", "delay_before_ms: want"),
        ("bytes_per_s=63", "bytes_per_s: want a whole number from 64 to 1000000"),
        ("status=502", "status: want one of 429, 500, 503"),
        ("drop, drop", "drop: is named twice"),
        ("status=503, drop", "a response can end in one way only"),
        ("cut_after=1", "cut_after: is for event streams"),
        ("hold_ms=10", "hold_ms: wants heartbeats_after or silence_after"),
    ],
)
def test_invalid_fault_is_refused_with_its_reason(lab, fault, reason):
    answer = create(lab, fault)
    assert (answer.status_code, answer.json["code"]) == (400, "invalid_fault")
    (error,) = answer.json["errors"]
    assert (error["in"], error["name"]) == ("header", "Skye-Fault")
    assert reason in error["detail"]
    assert not lab.redis.keys("skye:*")


@pytest.mark.parametrize(
    ("status", "code"), [(429, "too_many_requests"), (500, "internal_error"), (503, "store_unavailable")]
)
def test_status_fault_answers_without_doing_anything(lab, status, code):
    answer = create(lab, f"status={status}")
    assert (answer.status_code, answer.json["code"]) == (status, code)
    assert answer.headers.get("Retry-After") == (None if status == 500 else "1")
    assert not lab.redis.keys("skye:*")


def test_lab_is_shown_by_health_and_by_every_answer(lab, service):
    for path, more in (("/healthz", {}), ("/readyz", {"warnings": [], "dispatchers": 0})):
        for asked, is_lab in ((lab, True), (service, False)):
            health = {"status": "ok", "lab": is_lab, **more}
            assert with_fields_of(health, asked.get(path)) == health
    answers = [lab.call("GET", path) for path in ("/v1/games", "/v1/games/none", "/nothing", "/docs")]
    assert [answer.headers["Skye-Lab"] for answer in answers] == ["on"] * 4
    assert "Skye-Lab" not in service.call("GET", "/v1/games").headers
