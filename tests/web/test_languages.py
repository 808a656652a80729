"""The messages of the web client in each language, and the layout with long and right-to-left text."""

import json
import re
from itertools import pairwise
from pathlib import Path

import pytest

from skye_server.error_codes import ERROR_CODES
from tests.web.driver import PHONE, replayed, seated
from tests.web.hands import Mouse

WEB = Path(__file__).resolve().parents[2] / "web"
LANGUAGES = ("en", "de", "ru", "zh", "ja")
PLURALS = {
    "en": {"one", "other"},
    "de": {"one", "other"},
    "ru": {"one", "few", "many", "other"},
    "zh": set(),
    "ja": set(),
}


def messages(language):
    """Return the messages of a language by key."""
    return json.loads((WEB / "lang" / f"{language}.json").read_text())


def forms(message):
    """Return the plural forms of a message; a message without any has one."""
    return message if isinstance(message, dict) else {"other": message}


def placeholders(text):
    """Return the names in braces."""
    return set(re.findall(r"\{(\w+)\}", text))


@pytest.mark.parametrize("language", LANGUAGES[1:])
def test_language_has_every_message_with_its_placeholders(language):
    english, translated = messages("en"), messages(language)
    assert translated.keys() == english.keys()
    for key, message in translated.items():
        wanted = placeholders(forms(english[key])["other"])
        for text in forms(message).values():
            assert text.strip(), key
            assert placeholders(text) == wanted, key


@pytest.mark.parametrize("language", LANGUAGES)
def test_language_has_every_plural_form_unless_all_are_equal(language):
    for key, message in messages(language).items():
        if isinstance(message, dict):
            assert message.keys() == PLURALS[language], key
            assert len(set(message.values())) > 1, key


def test_every_message_that_the_code_names_exists():
    modules = [path for path in WEB.rglob("*.js") if "node_modules" not in path.parts]
    named = {key for path in modules for key in re.findall(r'\bt\(\s*"([a-z_.]+)"', path.read_text())}
    assert named
    assert named <= messages("en").keys()


ENGLISH_ONLY = """
malformed_json bad_request invalid_fault token_required player_key_required not_your_seat host_only lab_off
not_found ticket_not_found seat_not_found event_not_found round_not_found tile_not_found method_not_allowed
not_acceptable request_timeout game_not_started key_taken seat_played_by_bot not_last_placement
too_many_changes clock_not_manual game_not_over history_lost version_mismatch body_too_large uri_too_long
hunt_key_required hunt_not_found hunt_ended too_many_hunts too_many_reports
unsupported_media_type invalid_body invalid_parameter idempotency_key_reused headers_too_large
too_many_streams internal_error data_corrupt data_newer tile_not_yours offer_incomplete price_too_low
not_enough_gold own_tile tile_not_for_sale cell_occupied not_adjacent terrain_mismatch building_finished
placeable_tiles_left nothing_to_take_back invalid_setup invalid_territory invalid_record
player_key_only delivery_not_found seat_without_url_bot
"""
"""Problems that players meet only through a defect or a manipulated link."""


def test_every_problem_is_translated_or_listed_as_english_only():
    translated = {key.removeprefix("error.") for key in messages("en") if key.startswith("error.")}
    assert sorted(ERROR_CODES) == sorted([*translated - {"unreachable"}, *ENGLISH_ONLY.split()])


def test_every_scoring_tile_has_a_title_and_a_text(service):
    tiles = service.get("/v1/scoring-tiles")["scoring_tiles"]
    keys = {f"scoring.{tile['id']}.{part}" for tile in tiles for part in ("title", "text")}
    assert {key for key in messages("en") if key.startswith("scoring.") and key.count(".") == 2} == keys


def overflowing(page):
    """Return what is wider than its window."""
    return page.evaluate(
        "[...document.querySelectorAll('button, h2, p, .badge')].filter((one) => one.offsetParent && "
        "one.getBoundingClientRect().right > innerWidth + 1).map((one) => one.outerHTML.slice(0, 120))"
    )


@pytest.mark.full_size
@pytest.mark.parametrize("language", ["x-long", "x-rtl", "ru", "ja"])
@pytest.mark.parametrize("width", [360, 1024])
def test_texts_stay_within_the_window(browser, language, width):
    game, tokens, _ = browser.game("Ann", bots=["greedy"])
    front = browser.window(f"/play/?lang={language}", width=width, height=740)
    front.page.wait_for_selector(".games")
    assert overflowing(front.page) == []
    screen = browser.window(f"/play/?game={game}&lang={language}#seat={tokens[0]}", width=width, height=740)
    for phase in ("pricing", "buying", "building"):
        screen.play_until(lambda state, phase=phase: state["phase"] == phase, Mouse())
        screen.page.wait_for_timeout(100)
        assert overflowing(screen.page) == []
        assert screen.page.evaluate("document.documentElement.scrollWidth") <= width


def test_game_is_shown_in_the_language_of_the_browser(browser):
    screen, _, _ = seated(browser, "Ann", bots=["greedy"], window={"locale": "de-DE"})
    assert screen.page.locator(".head .turn").inner_text() == "Lege deine Preise fest"
    assert screen.page.evaluate("document.documentElement.lang") == "de"


def test_language_of_an_address_lasts_through_the_visit(browser):
    screen, _, _ = seated(browser, "Ann", bots=["greedy"], language="ru")
    screen.page.click(".head .home")
    screen.page.wait_for_selector(".front")
    assert screen.page.evaluate("document.documentElement.lang") == "ru"


@pytest.mark.full_size
@pytest.mark.parametrize("language", ["x-long", "ja"])
def test_replay_of_long_names_stays_within_a_phone(browser, language):
    game, _, _ = browser.game("W" * 40, "The player with the very long name")
    screen = replayed(browser, game, f"&lang={language}", **PHONE)
    assert overflowing(screen.page) == []
    right = "[...document.querySelectorAll('.scrubber *')].map((one) => one.getBoundingClientRect().right)"
    assert max(screen.page.evaluate(right)) <= 360


@pytest.mark.parametrize(
    ("language", "whole"), [("en", [".own-gold strong", ".head .round"]), ("x-long", [".own-gold strong"])]
)
def test_phone_cuts_no_gold_and_little_else(browser, language, whole):
    screen, _, _ = seated(browser, "Ann", bots=["greedy"], language=language, window=PHONE)
    cut = "({scrollWidth, clientWidth}) => scrollWidth > clientWidth"
    for part in whole:
        assert not screen.page.eval_on_selector(part, cut), part


@pytest.mark.parametrize("language", ["en", "de", "ru", "ja"])
def test_header_has_two_lines_on_a_phone_and_names_the_round(browser, language):
    screen, _, _ = seated(
        browser, "Ann", "Bob", options={"seed": "table", "turn_ms": 600_000}, language=language, window=PHONE
    )
    middles = screen.page.evaluate(
        """() => [...document.querySelectorAll(".head > *")].filter((part) => part.offsetParent)
          .map((part) => part.getBoundingClientRect()).map(({top, bottom}) => (top + bottom) / 2)"""
    )
    lines = sorted(middles)
    assert sum(after - before > 8 for before, after in pairwise(lines)) == 1
    assert screen.page.evaluate(
        "() => ((round) => round.scrollWidth <= round.clientWidth)(document.querySelector('.head .round'))"
    )


def test_game_of_another_ruleset_is_shown_with_its_tiles_and_named(browser):
    game, tokens, _ = browser.game("Ann", bots=["random"])
    page, asked = browser.window("/play/").page, []

    def of_druids(route):
        response = route.fetch()
        route.fulfill(response=response, json=response.json() | {"ruleset": "druids"})

    def of_catalogue(route):
        asked.append(route.request.url)
        response = route.fetch(url=route.request.url.replace("ruleset=druids", "ruleset=base"))
        if not route.request.url.startswith(f"{browser.url}/v1/tiles?"):
            return route.fulfill(response=response)
        tiles = [{**tile, "note": "A third sheep?"} for tile in response.json()["tiles"]]
        return route.fulfill(response=response, json={"ruleset": "druids", "tiles": tiles})

    page.route(re.compile(rf"/v1/games/{game}(\?|$)"), of_druids)
    page.route(re.compile("ruleset=druids"), of_catalogue)
    page.goto(f"{browser.url}/play/?game={game}&lang=de#seat={tokens[0]}")
    page.hover(".pricing .card")
    page.wait_for_selector(".pricing .card[title]")
    assert "A third sheep?" in page.locator(".pricing .card").first.get_attribute("title")
    assert "druids" in page.locator(".panel .ruleset").first.text_content()
    assert {re.split("[?]", url)[0].removeprefix(f"{browser.url}/v1/") for url in asked} >= {
        "tiles",
        "tiles/pictures.svg",
        "scoring-tiles",
    }
