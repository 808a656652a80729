"""The tests, files and settings that the pages for operators name exist."""

import re
from dataclasses import fields

import pytest

from skye_server.settings import Settings
from tests.deploy.servers import ROOT

PAGES = sorted([*ROOT.glob("deploy/*.md"), *ROOT.glob("bench/*.md")])
WRITTEN = "\n".join(
    path.read_text() for tests in ("tests", "*/tests") for path in ROOT.glob(f"{tests}/**/*.py")
)
SETTINGS = {f"SKYE_{row.name.upper()}" for row in fields(Settings)}
ELSEWHERE = {"SKYE_REDIS_PASSWORD", "SKYE_COMPILE"}
"""Variables that only compose.yaml, and only the build of the engine, read."""


@pytest.fixture(params=PAGES, ids=lambda page: page.name)
def page(request):
    return request.param


def test_every_test_named_on_a_page_exists(page):
    for name in set(re.findall(r"`(test_\w+)`", page.read_text())):
        assert f"def {name}(" in WRITTEN, name


def test_every_file_named_or_linked_on_a_page_exists(page):
    text = page.read_text()
    linked = re.findall(r"\]\((?!https?:)([^)#\s]+)", text)
    named = re.findall(
        r"`((?:engine|service|hunts|clients|web|tests|bench|deploy|examples)/[\w./-]+\w)`", text
    )
    for path in [*(page.parent / link for link in linked), *(ROOT / name for name in named)]:
        assert path.exists(), path


def test_every_setting_named_on_a_page_exists(page):
    assert set(re.findall(r"SKYE_[A-Z_]+[A-Z]", page.read_text())) <= SETTINGS | ELSEWHERE
