"""The contract and the catalogue are sent compressed to clients that accept it; games are not."""

import gzip

import pytest

from skye_server.http import responses
from tests.support.playing import Service

DOCUMENTS = ("openapi", "arazzo")


@pytest.fixture(scope="module")
def service():
    """One service for all tests: each generates the documents again."""
    return Service()


FILE = "/play/000000000000/web/main.js"
PAGES = (
    "/docs",
    "/docs/first-game",
    "/docs/errors",
    "/docs/reference",
    "/docs/assets/swagger-ui-bundle.js",
    FILE,
)


@pytest.fixture(params=["/v1/tiles", *(f"/{name}.{form}" for name in DOCUMENTS for form in ("json", "yaml"))])
def path(request):
    return request.param


@pytest.mark.parametrize("accepted", ["gzip", "br, gzip;q=0.5", "*"])
def test_document_is_compressed_for_a_client_that_accepts_gzip(path, accepted, service):
    plain = service.call("GET", path)
    answer = service.call("GET", path, headers={"Accept-Encoding": accepted})
    assert answer.headers["Content-Encoding"] == "gzip"
    assert gzip.decompress(answer.data) == plain.data
    assert len(answer.data) * (4 if "arazzo" in path else 6) < len(plain.data)
    assert answer.headers["ETag"] != plain.headers["ETag"]
    assert answer.headers["Vary"] == plain.headers["Vary"] == "Accept-Encoding"


@pytest.mark.parametrize("page", PAGES)
def test_documentation_is_compressed(page, service):
    plain = service.call("GET", page)
    answer = service.call("GET", page, headers={"Accept-Encoding": "gzip"})
    assert (plain.headers.get("Content-Encoding"), answer.headers["Content-Encoding"]) == (None, "gzip")
    assert gzip.decompress(answer.data) == plain.data
    assert answer.headers["ETag"] != plain.headers["ETag"]
    assert answer.headers["Vary"] == plain.headers["Vary"] == "Accept-Encoding"


def test_compressed_page_with_the_host_of_a_request_is_not_kept(service):
    service.call("GET", "/docs", headers={"Accept-Encoding": "gzip"})
    kept = responses.gzipped.cache_info().currsize
    for number in range(3):
        service.call("GET", "/docs", headers={"Accept-Encoding": "gzip", "Host": f"host{number}.example"})
    assert responses.gzipped.cache_info().currsize == kept


@pytest.mark.parametrize("accepted", [None, "identity", "br", "gzip;q=0"])
def test_document_is_not_compressed_for_other_clients(path, accepted, service):
    headers = {} if accepted is None else {"Accept-Encoding": accepted}
    assert "Content-Encoding" not in service.call("GET", path, headers=headers).headers


def test_compressed_document_is_revalidated_by_its_own_tag(path, service):
    headers = {"Accept-Encoding": "gzip"}
    tag = service.call("GET", path, headers=headers).headers["ETag"]
    assert service.call("GET", path, headers=headers | {"If-None-Match": tag}).status_code == 304


def test_response_with_a_token_and_what_the_request_sent_is_not_compressed(service):
    body = {"players": [{"name": "Ann"}, {"name": "Bob"}]}
    answer = service.call("POST", "/v1/games", body, headers={"Accept-Encoding": "gzip"})
    assert answer.status_code == 201
    assert "Content-Encoding" not in answer.headers
