"""The search box of the guide, in a real Chromium."""

import pytest


@pytest.fixture
def page(chromium, live):
    """A page of the guide; fails the test when a script fails or the policy forbids something."""
    context = chromium.new_context(base_url=live.url)
    page, complaints = context.new_page(), []
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("console", lambda message: complaints.append(message.text))
    page.goto("/docs/first-game")
    yield page
    context.close()
    assert complaints == []


def test_search_leads_to_the_section_with_the_words(page):
    page.get_by_label("Search the guide").fill("idempotency keys")
    first = page.locator("#search-results a").first
    first.wait_for()
    assert first.text_content() == "Retries and conditions: Idempotency keys"
    page.keyboard.press("Enter")
    page.wait_for_url("**/docs/retries#idempotency-keys")


def test_search_finds_an_error_code_and_says_when_it_finds_nothing(page):
    box = page.get_by_label("Search the guide")
    box.fill("terrain_mismatch")
    found = page.locator('#search-results a[href="/docs/errors#terrain_mismatch"]')
    found.wait_for()
    box.fill("xyzzy")
    page.get_by_text("Nothing found.").wait_for()
    assert page.locator("#search-results a").count() == 0
