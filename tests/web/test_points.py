"""What a player can look up: the tiles behind points, the bag, and the result as a picture."""

import json
import struct
from urllib.parse import urljoin

import pytest

from tests.web.driver import seated
from tests.web.test_front import start_against_bots

_SIZE_OF_IMAGE = """async (url) => {
  const image = Object.assign(new Image(), {src: url});
  await image.decode();
  return `${image.naturalWidth}x${image.naturalHeight}`;
}"""


@pytest.mark.parametrize("where", [".seat[data-seat='1'] .score", ".result tr[data-seat='1'] .score"])
def test_points_of_a_seat_highlight_the_tiles_that_earned_them(browser, where):
    game, tokens, _ = browser.game("Ann", bots=["greedy"])
    browser.play_out(game, tokens[0])
    screen = browser.window(f"/play/?game={game}#seat={tokens[0]}")
    screen.page.click(where)
    lines = screen.page.locator("[data-part=points] li button")
    lines.first.wait_for()
    scores = screen.page.evaluate(
        "path => fetch(path).then((answer) => answer.json())", f"/v1/games/{game}/scores"
    )
    [score] = [one for one in scores["players"] if one["seat"] == 1]
    shown = [line.inner_text().rsplit("+", 1)[1] for line in lines.all()]
    assert sum(map(int, shown)) == score["score"]
    screen.page.wait_for_selector(".seat[data-seat='1'] .look[aria-pressed=true]")
    expected = {
        tile
        for round_ in score["rounds"]
        for each in round_["scoring_tiles"]
        if each["points"]
        for award in each["awards"]
        for tile in award["tiles"]
    }
    found = set()
    for line in lines.all():
        line.focus()
        screen.drawn()
        found.add(screen.page.locator(".cell.highlighted").count())
    assert (max(found) > 0) == bool(expected)
    screen.page.keyboard.press("Escape")
    screen.page.wait_for_selector("[data-part=points]", state="hidden")
    assert screen.page.locator(".cell.highlighted").count() == 0


def test_bag_shows_the_tiles_that_can_still_be_drawn(browser):
    screen, _, tokens = seated(browser, "Ann", "Bob")
    screen.page.click(".tabs [data-tab=scoring]")
    screen.page.click("[data-act=bag]")
    screen.page.wait_for_selector("dialog[open] .bag-tiles")
    shown = screen.page.locator(".bag-tiles li").all_inner_texts()
    assert [text.strip() for text in shown] == screen.view(tokens[0])["bag"]["tiles"]


def test_result_is_saved_as_a_picture(browser):
    game, tokens, _ = browser.game("Ann", bots=["random", "greedy"])
    browser.play_out(game, tokens[0])
    screen = browser.window(f"/play/?game={game}#seat={tokens[0]}")
    with screen.page.expect_download() as download:
        screen.page.click("[data-act=picture]")
    assert download.value.suggested_filename == "isle-of-skye.png"
    picture = download.value.path().read_bytes()
    assert picture.startswith(b"\x89PNG")
    assert struct.unpack(">II", picture[16:24])[0] == 1200
    assert len(picture) > 100_000  # with its tiles: without them it has 30 KB


def test_rules_open_over_the_first_page(browser):
    screen = browser.window("/play/?lang=de")
    screen.page.click("[data-act=rules]")
    screen.page.wait_for_selector("dialog[open] .rule-steps")
    assert screen.page.locator("dialog[open] .rule-steps li").count() == 5


def test_leaving_a_private_lobby_leads_to_the_first_page(browser):
    screen = browser.window()
    screen.page.click("[data-act=friends]")
    screen.page.wait_for_selector(".lobby")
    game = screen.game
    screen.page.evaluate(
        """id => { const key = `skye.game.${id}`; const tokens = JSON.parse(localStorage[key]);
        localStorage[key] = JSON.stringify({...tokens, host: null, invitations: []}); }""",
        game,
    )
    screen.menu("[data-act=leave]")
    screen.page.click("dialog[open] [data-act=yes]")
    screen.page.wait_for_selector(".front")
    assert screen.page.evaluate("id => localStorage[`skye.game.${id}`] ?? null", game) is None


def test_page_can_be_installed(browser):
    screen = browser.window()
    session = screen.page.context.new_cdp_session(screen.page)
    manifest = session.send("Page.getAppManifest")
    assert manifest["url"].endswith(".webmanifest")
    assert manifest["errors"] == []
    touched = screen.page.get_attribute("link[rel=apple-touch-icon]", "href")
    icons = {"180x180": touched} | {
        icon["sizes"]: urljoin(manifest["url"], icon["src"]) for icon in json.loads(manifest["data"])["icons"]
    }
    assert icons.keys() == {"180x180", "192x192", "512x512", "any"}
    for sizes, url in icons.items():
        shown = screen.page.evaluate(_SIZE_OF_IMAGE, url)
        assert sizes in {shown, "any"}
    start_against_bots(screen)
