"""What standards let clients expect: links, the API catalog, security.txt, trace ids."""

import pytest

from tests.support.playing import Service

TRACE = "4bf92f3577b34da6a3ce929d0e0e4736"
TRACEPARENT = f"00-{TRACE}-00f067aa0ba902b7-01"


@pytest.fixture
def service():
    with Service() as service:
        yield service


@pytest.mark.parametrize(("path", "status"), [("/", 200), ("/v1", 200), ("/v1/none", 404)])
def test_index_and_errors_link_to_contract_and_guide(service, path, status):
    answer = service.call("GET", path)
    assert answer.status_code == status
    links = answer.headers["Link"]
    for relation in ("service-desc", "service-doc"):
        target = links.partition(f'>; rel="{relation}"')[0].rpartition("<")[2]
        assert service.call("GET", target).status_code == 200
    assert status == 200 or links.startswith('</docs/errors#not_found>; rel="describedby"')


def test_targets_of_the_api_catalog_exist(service):
    (api,) = service.call("GET", "/.well-known/api-catalog").json["linkset"]
    assert service.call("GET", api.pop("anchor")).status_code == 200
    for targets in api.values():
        for target in targets:
            answer = service.call("GET", target["href"])
            assert (answer.status_code, answer.mimetype) == (200, target["type"])


def test_security_contact_of_the_settings_is_published():
    with Service(security_contact="https://example.org/security") as service:
        answer = service.call("GET", "/.well-known/security.txt")
    assert answer.content_type == "text/plain; charset=utf-8"
    assert answer.text.startswith("Contact: https://example.org/security\nExpires: 2")


def test_security_contact_without_a_setting_is_not_found():
    with Service(security_contact="") as service:
        assert service.call("GET", "/.well-known/security.txt").status_code == 404


def test_trace_id_of_the_client_is_in_logs_and_errors(service, caplog):
    caplog.set_level("INFO")
    answer = service.call("GET", "/v1/none", headers={"traceparent": TRACEPARENT})
    assert answer.json["trace_id"] == TRACE
    assert TRACE in {getattr(record, "trace_id", None) for record in caplog.records}


@pytest.mark.parametrize(
    "sent",
    [
        "",
        "00-xyz-00f067aa0ba902b7-01",
        TRACEPARENT.upper(),
        f"ff-{TRACE}-00f067aa0ba902b7-01",
        f"00-{'0' * 32}-00f067aa0ba902b7-01",
        f"00-{TRACE}-{'0' * 16}-01",
    ],
)
def test_malformed_trace_id_is_ignored(service, sent):
    answer = service.call("GET", "/v1/none", headers={"traceparent": sent})
    assert "trace_id" not in answer.json
