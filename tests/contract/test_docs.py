"""The pages of the documentation load nothing from other servers, and their policy forbids it."""

import json
import re
from functools import partial
from html.parser import HTMLParser

import pytest
import yaml

from skye_server import docs as guide
from skye_server.error_codes import ERROR_CODES
from tests.contract.checked import CheckedService
from tests.support.playing import Service

PAGES = ("/docs", "/docs/reference", "/docs/errors", *(f"/docs/{page}" for page in guide.PAGES))


SEARCH_BOX = ("search", "search-words", "search-found", "search-results")
"""The ids of the elements of the search box."""


class Page(HTMLParser):
    """The resources, links and ids of a page, and content that its security policy forbids."""

    def __init__(self, text):
        super().__init__()
        self.loads, self.links, self.ids, self.inline, self.hidden = [], [], [], [], []
        self._within = None
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        received = dict(attributes)
        self._within = tag
        if "id" in received:
            self.ids.append(received["id"])
        if tag == "a":
            self.links.append(received["href"])
        else:
            loaded = ("src", "href", "data-contract", "data-index")
            self.loads += [received[name] for name in loaded if name in received]
        self.hidden += [received.get("id")] if "hidden" in received else []
        self.inline += [name for name in received if name == "style" or name.startswith("on")]

    def handle_endtag(self, _tag):
        self._within = None

    def handle_data(self, data):
        if self._within in ("script", "style") and data.strip():
            self.inline.append(data)


@pytest.fixture(scope="module")
def service(contract):
    """One service for all tests, which only read: each generates the documents again."""
    return CheckedService(contract)


@pytest.fixture(params=PAGES)
def answer(request, service):
    return service.call("GET", request.param)


@pytest.fixture(scope="module")
def shown(service):
    """Every page as it is served, by its path."""
    return {path: Page(service.call("GET", path).text) for path in PAGES}


def test_resources_of_all_pages_are_served_by_this_server(shown, service):
    assert all(page.loads for page in shown.values())
    kinds = {".css": "text/css", ".js": "text/javascript", ".json": "application/json"}
    kinds |= {".png": "image/png", ".svg": "image/svg+xml", ".webp": "image/webp"}
    for path in {path for page in shown.values() for path in page.loads}:
        assert path.startswith("/"), path
        found = service.call("GET", path)
        assert (found.status_code, found.mimetype) == (200, kinds[re.search(r"\.\w+$", path)[0]])
        assert found.data


def test_pages_link_to_no_other_server(answer):
    page = Page(answer.text)
    assert [path for path in page.loads + page.links if not re.match(r"/(?!/)|#", path)] == []


@pytest.mark.parametrize("name", ["docs.js", "search.js", "docs.css"])
def test_scripts_and_styles_name_no_other_server(name, service):
    text = service.call("GET", f"/docs/assets/{name}").text
    assert "http" not in text
    assert "//" not in re.sub(r"^//.*$", "", text, flags=re.MULTILINE)


def test_policy_allows_nothing_from_outside_and_nothing_inline(answer):
    policy = dict(part.split(" ", 1) for part in answer.headers["Content-Security-Policy"].split("; "))
    assert policy["default-src"] == "'none'"
    for directive, sources in policy.items():
        assert set(sources.split()) <= {"'self'", "'none'", "data:"}, directive
        assert ("data:" in sources) <= (directive == "img-src")
    assert policy["frame-ancestors"] == "'none'"
    assert Page(answer.text).inline == []


def test_every_link_leads_to_a_page_and_a_place_on_it(shown, service):
    for path, page in shown.items():
        for link in page.links:
            target, _, anchor = link.partition("#")
            if target.startswith(("/openapi", "/arazzo", "/play/", "/docs/assets/")):
                assert service.call("GET", target).status_code == 200
            else:
                assert (target or path) in shown, (path, link)
                assert not anchor or anchor in shown[target or path].ids, (path, link)


def test_ids_of_a_page_are_unique(shown):
    for path, page in shown.items():
        assert len(set(page.ids)) == len(page.ids), path


def test_each_page_of_the_guide_links_to_all_and_works_without_its_script(shown):
    for path in ("/docs", *(f"/docs/{name}" for name in guide.PAGES)):
        assert set(shown) - {"/docs"} <= set(shown[path].links), path
        scripts = [asset for asset in shown[path].loads if asset.endswith(".js")]
        assert (scripts, shown[path].hidden) == (["/docs/assets/search.js"], ["search"])


def test_search_index_has_every_section_and_problem_code_at_its_place(shown, service):
    sections = service.get("/docs/assets/search.json")["sections"]
    found = {(f"/docs/{each['page']}".removesuffix("/index"), each["anchor"]) for each in sections}
    searched = set(shown) - {"/docs/reference"}
    assert found == {(path, anchor) for path in searched for anchor in shown[path].ids} - {
        (path, anchor) for path in searched for anchor in SEARCH_BOX
    }
    assert all(each["title"] and "`" not in each["text"] for each in sections)


def test_page_of_errors_has_every_code_at_the_link_of_its_problem(service):
    page = service.call("GET", "/docs/errors")
    ids = [each for each in Page(page.text).ids if each not in SEARCH_BOX]
    assert sorted(ids) == sorted(ERROR_CODES)
    problem = service.call("GET", "/v1/games/nowhere").json
    path, _, anchor = problem["type"].partition("#")
    assert (path, anchor in ids) == ("/docs/errors", True)


def test_contract_is_served_as_it_lies_in_the_repository(service, document):
    served = service.get("/openapi.json")
    assert served["servers"][0]["url"] == "http://localhost"
    assert served | {"servers": document["servers"]} == document


@pytest.mark.parametrize("host", ["127.0.0.1:8101", "[::1]:8101", "skye.example"])
def test_served_contract_names_its_own_address_first(host, service):
    """Postman's importer takes a relative address literally."""
    for path, read in (
        ("/openapi.json", json.loads),
        ("/openapi.yaml", partial(yaml.load, Loader=yaml.CSafeLoader)),
    ):
        text = service.call("GET", path, headers={"Host": host}).text
        assert read(text)["servers"][0]["url"] == f"http://{host}"


@pytest.mark.parametrize("name", ["nothing.js", "..%2fcli.py", "swagger-ui.js", "index.css"])
def test_files_outside_of_the_folder_are_not_served(name, service):
    assert service.call("GET", f"/docs/assets/{name}").status_code == 404


def test_guide_shows_the_address_at_which_it_is_requested(service):
    page = service.call("GET", "/docs/first-game", headers={"Host": "127.0.0.1:8101"}).text
    assert "SERVER=http://127.0.0.1:8101" in page
    assert "127.0.0.1:8000" not in page


@pytest.mark.parametrize(
    "path",
    ["/", "/v1", "/docs", "/docs/first-game", "/docs/errors", "/docs/reference", "/play/", "/openapi.yaml"],
)
def test_response_that_shows_the_host_is_in_no_shared_cache(service, path):
    answer = service.call("GET", path, headers={"Host": "host.of.the.request"})
    assert answer.status_code == 200
    if "host.of.the.request" in answer.text or "host.of.the.request" in str(answer.headers):
        assert not answer.headers["Cache-Control"].startswith("public")


def test_guide_behind_a_proxy_shows_the_forwarded_address():
    service = Service(trusted_proxies=1)
    forwarded = {"X-Forwarded-Host": "skye.example", "X-Forwarded-Proto": "https"}
    page = service.call("GET", "/docs/first-game", headers=forwarded).text
    assert "SERVER=https://skye.example" in page


def test_guide_without_a_proxy_ignores_the_forwarded_host(service):
    page = service.call("GET", "/docs/first-game", headers={"X-Forwarded-Host": "skye.example"}).text
    assert "skye.example" not in page
