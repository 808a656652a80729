"""Cross-origin requests: headers that shared caches rely on."""

import pytest

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
