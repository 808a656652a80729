"""Cross-origin requests: headers that shared caches rely on."""

import pytest

from skye_server.setting_parsers import Address
from tests.support.playing import Service


@pytest.mark.parametrize("origin", [None, "https://play.example", "https://other.example"])
@pytest.mark.parametrize("path", ["/v1/tiles", "/v1/games", "/v1/tiles/L01.svg", "/docs", "/v1/nowhere"])
def test_response_with_a_list_of_origins_varies_by_origin(path, origin):
    service = Service(cors_origins=("https://play.example",))
    answer = service.call("GET", path, headers={"Origin": origin} if origin else {})
    assert "origin" in {name.strip().lower() for name in ",".join(answer.headers.getlist("Vary")).split(",")}
    allowed = origin == "https://play.example"
    assert answer.headers.get("Access-Control-Allow-Origin") == (origin if allowed else None)


def test_preflight_allows_methods_and_headers_of_clients():
    asked = {"Origin": "https://play.example", "Access-Control-Request-Method": "PUT"}
    path = "/v1/games/000000000000/players/0/offer?include=actions"
    answer = Service(cors_origins=("*",)).call("OPTIONS", path, headers=asked)
    assert answer.status_code == 204
    listed = {name: set(answer.headers[f"Access-Control-{name}"].split(", ")) for name in LISTED}
    assert all(listed[name] >= names for name, names in LISTED.items()), listed


LISTED = {
    "Allow-Methods": {"PUT"},
    "Allow-Headers": {"traceparent", "tracestate", "Skye-Fault"},
    "Expose-Headers": {
        *("X-Request-Id", "Retry-After", "RateLimit", "RateLimit-Policy", "Date", "Link", "Skye-Lab"),
    },
}
"""What a preflight must list at least."""


def test_response_for_all_origins_does_not_vary_by_origin():
    answer = Service(cors_origins=("*",)).call("GET", "/v1/tiles", headers={"Origin": "https://play.example"})
    assert "Origin" not in answer.headers.get("Vary", "")
    assert answer.headers["Access-Control-Allow-Origin"] == "*"
    assert {*answer.headers["Access-Control-Expose-Headers"].split(", ")} >= LISTED["Expose-Headers"]


LOOPBACK = ["http://localhost:5173", "http://127.0.0.1:8000", "https://app.localhost", "http://[::1]:3000"]
OTHERS = ["null", "https://play.example", "http://localhost.example", "file://localhost", "http://192.0.2.7"]
LOCAL = [{"webhooks_private": True}, {"lab": True}]


@pytest.mark.parametrize("settings", LOCAL)
@pytest.mark.parametrize("origin", LOOPBACK + OTHERS)
def test_local_server_serves_pages_of_loopback_only(settings, origin):
    service, asked = Service(**settings), {"Origin": origin}
    is_allowed = origin in LOOPBACK
    for method, path in (("GET", "/v1/tiles"), ("POST", "/v1/games"), ("GET", "/docs"), ("GET", "/play/")):
        answer = service.call(method, path, {} if method == "POST" else None, headers=asked)
        assert (answer.status_code < 400) is is_allowed, answer.text
        assert answer.headers.get("Access-Control-Allow-Origin") == (origin if is_allowed else None)
    preflight = asked | {"Access-Control-Request-Method": "POST"}
    answer = service.call("OPTIONS", "/v1/games", headers=preflight)
    assert ("Access-Control-Allow-Methods" in answer.headers) is is_allowed


@pytest.mark.parametrize("settings", LOCAL)
@pytest.mark.parametrize(
    ("host", "is_allowed"),
    [("localhost:8000", True), ("127.0.0.1", True), ("[::1]:80", True), ("rebound.example:8000", False)],
)
def test_local_server_has_hosts_of_loopback_only(settings, host, is_allowed):
    for path in ("/v1/games", "/docs", "/play/"):
        assert (
            Service(**settings).call("GET", path, headers={"Host": host}).status_code == 200
        ) is is_allowed


@pytest.mark.parametrize(
    "settings",
    [
        {"webhooks_private": True, "cors_origins": ("https://play.example",)},
        {"webhooks_private": True, "trusted_proxies": 1},
        {"webhooks_private": True, "bind": Address("0.0.0.0", 80)},
        {},
    ],
)
def test_named_origin_and_public_server_have_other_hosts(settings):
    asked = {"Origin": "https://play.example", "Host": "play.example"}
    answer = Service(**settings).call("GET", "/v1/games", headers=asked)
    assert answer.headers.get("Access-Control-Allow-Origin") in {"*", "https://play.example"}


@pytest.mark.parametrize(
    ("settings", "is_warned"),
    [({}, True), ({"trusted_proxies": 1}, False), ({"bind": Address("::", 80)}, False)],
)
def test_unknown_proxy_of_a_loopback_address_is_a_warning(settings, is_warned):
    service = Service(**settings)
    assert service.get("/readyz")["warnings"] == []
    service.call("GET", "/v1/tiles", headers={"X-Forwarded-For": "192.0.2.7"})
    assert [("SKYE_TRUSTED_PROXIES" in text) for text in service.get("/readyz")["warnings"]] == [
        True
    ] * is_warned
