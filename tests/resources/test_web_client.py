"""The files of the web client, as the server serves them."""

import re

import pytest

from tests.support.playing import problem_code

BROWSER = {"Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"}


def page_files(service, query=""):
    """Return the addresses that the page loads from the table's own folder."""
    return re.findall(r'(?:src|href)="(/play/[^"]+)"', service.call("GET", f"/play/{query}").text)


@pytest.mark.parametrize(
    ("query", "shown", "other"),
    [
        ("", "home/front.js", "game/board.js"),
        ("?game=g", "game/board.js", "home/front.js"),
        ("?game=g&replay=1", "game/replay.js", "home/front.js"),
        ("?ladder=open", "ladder/pages.js", "game/board.js"),
    ],
)
def test_page_lists_each_file_that_its_screen_imports_once(service, query, shown, other):
    listed = page_files(service, query)
    names = [path.split("/web/")[-1] for path in listed]
    assert shown in names
    assert other not in names
    assert {"shared/base.css", "shared/dom.js"} <= {*names}
    assert len({*listed}) == len(listed)
    assert {service.call("GET", path).status_code for path in listed} == {200}


def test_start_leads_browsers_to_the_table_and_programs_to_the_index(service):
    browser = service.call("GET", "/", headers=BROWSER)
    assert (browser.status_code, browser.headers["Location"]) == (302, "/play/")
    assert browser.headers["Vary"] == "Accept"
    program = service.call("GET", "/")
    assert (program.json["play"], program.headers["Vary"]) == ("/play/", "Accept")
    assert service.get("/") == service.get("/v1")


def test_every_address_of_the_index_is_served(service):
    index = service.get("/v1")
    assert index.pop("lab") is None
    assert {service.call("GET", path).status_code for path in index.values()} == {200}


def test_page_allows_scripts_of_its_own_origin_only(service):
    policy = service.call("GET", "/play/").headers["Content-Security-Policy"]
    assert policy.startswith(
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob:; connect-src 'self'"
    )
    assert "require-trusted-types-for 'script'" in policy
    assert "unsafe" not in policy


def test_files_of_the_page_may_be_kept_and_revalidated(service):
    assert len(page_files(service)) > 3
    for path in page_files(service):
        answer = service.call("GET", path)
        assert (answer.status_code, answer.headers["Cache-Control"]) == (200, "public, max-age=31536000")
        again = service.call("GET", path, headers={"If-None-Match": answer.headers["ETag"]})
        assert again.status_code == 304


def test_page_of_another_version_gets_current_files_that_are_not_kept(service):
    answer = service.call("GET", "/play/000000000000/web/main.js")
    assert (answer.status_code, answer.headers["Cache-Control"]) == (200, "public, max-age=0")
    assert answer.content_type == "text/javascript; charset=utf-8"


def test_client_package_is_served_below_the_table(service):
    folder = page_files(service)[0].rsplit("/web/", 1)[0]
    for path in ("client/skye.js", "clients/typescript/src/skye.js"):
        assert "class Skye" in service.call("GET", f"{folder}/{path}").text


@pytest.mark.parametrize(
    "path",
    [
        "/play/x/web/index.html",
        "/play/x/web/package.json",
        "/play/x/web/tsconfig.json",
        "/play/x/../web/main.js",
        "/play/x/..%2f..%2fREADME.md",
        "/play/x/README.md",
    ],
)
def test_other_files_are_not_served(service, path):
    assert problem_code(service.call("GET", path)) == "not_found"
