"""The scoring tiles in the header: their pictures, what they are worth to us, and their texts."""

import pytest

from tests.web.driver import PHONE, add_seat, building, call, replayed, seated, show_ghost

WIDE, TABLET, SMALL_DESKTOP = (
    {"width": width, "height": height} for width, height in ((1440, 900), (768, 1024), (1024, 768))
)

COVERED = """() => [...document.querySelectorAll(".scored img")].flatMap((picture) => {
  const {left, top, width, height} = picture.getBoundingClientRect();
  return [0.1, 0.5, 0.9].flatMap((x) => [0.1, 0.5, 0.9].map((y) =>
    document.elementFromPoint(left + x * width, top + y * height) === picture)).filter((free) => !free);
})"""
"""Returns the points of the pictures of scoring tiles that are covered or outside of the window."""

MAX_OFFSET = 4
"""How far the middles of two texts of one line may be apart, in pixels."""

WORTH = ".scored .worth > :last-child:visible"


@pytest.mark.parametrize(("window", "size"), [(PHONE, 40), (TABLET, 56), (WIDE, 56)])
def test_scoring_tiles_are_whole_pictures_in_a_row(browser, window, size):
    page = seated(browser, "Ann", "Bob", window=window)[0].page
    boxes = [picture.bounding_box() for picture in page.locator(".scored img").all()]
    assert len(boxes) == 4
    assert {box["y"] for box in boxes} == {boxes[0]["y"]}
    assert all(box["width"] >= size and box["height"] >= size for box in boxes)
    assert page.evaluate(COVERED) == []


def test_scoring_tile_says_what_it_would_award_now(browser):
    screen = building(browser)
    page = screen.page
    assert page.locator(WORTH).all_text_contents() == ["0"] * 4
    show_ghost(page)
    page.click("[data-act=place]")
    screen.until("() => document.querySelectorAll('.cell.tile:not(.ghost)').length === 2")
    path, token = f"/v1/games/{screen.game}/players/0/what-if", screen.token()
    worth = call(browser.url, "POST", path, {"placements": []}, token)["scoring_tiles"]
    shown = [str(tile["before"]) for tile in worth]
    screen.wait_for(lambda: page.locator(WORTH).all_text_contents() == shown)


def test_scoring_tile_is_worth_nothing_known_without_hints(browser):
    page = seated(browser, "Ann", "Bob", options={"hints": False})[0].page
    assert page.locator(WORTH).count() == 0


def test_scoring_tile_shows_its_text_at_a_long_press_alone(browser):
    page = seated(browser, "Ann", "Bob", window=PHONE)[0].page
    tile, text = page.locator(".scored button").first, page.locator(".scored .explained").first
    for kind in ("pointerdown", "pointerup"):
        tile.dispatch_event(kind, {"pointerType": "touch"})
        if kind == "pointerdown":
            text.wait_for(state="visible")
            assert text.locator("strong").inner_text()
            tile.dispatch_event("click")
    text.wait_for(state="hidden")
    assert page.locator(".game-page").get_attribute("data-tab") == "board"
    tile.dispatch_event("click")
    page.wait_for_selector(".slots:visible")


@pytest.mark.parametrize("window", [PHONE, TABLET, WIDE])
def test_scoring_tiles_say_in_words_which_count_and_whose_points_they_are(browser, window):
    page = seated(browser, "Ann", "Bob", window=window)[0].page
    counted = page.locator(".scored .now :is(.counts, .short):visible").all_text_contents()
    assert len(counted) == page.locator(".scored .now").count() == 1
    assert "scores" in counted[0]
    ours = page.locator(".scored li" if window != PHONE else ".scored li:not(.now)")
    assert ours.locator(".whose:visible").all_text_contents() == ["you"] * ours.count()


def test_scoring_tiles_of_a_phone_with_several_seats_say_it_in_words_too(browser):
    screen, game, tokens = seated(browser, "Ann", "Bob", window=PHONE)
    add_seat(browser, screen, game, tokens[1])
    page = screen.page
    page.wait_for_selector(".scored .now .short:visible")
    assert page.locator(".whose:visible").count() == 3
    scored, seats = (page.locator(part).bounding_box() for part in (".scored", ".switcher"))
    assert scored["y"] + scored["height"] <= seats["y"] + 1
    assert seats["y"] + seats["height"] <= page.locator(".players").bounding_box()["y"]
    assert page.evaluate(COVERED) == []


@pytest.mark.parametrize("window", [TABLET, SMALL_DESKTOP, WIDE])
@pytest.mark.parametrize("language", ["en", "de", "ru"])
def test_scoring_tile_that_counts_has_its_name_beside_it(browser, window, language):
    page = seated(browser, "Ann", "Bob", window=window, language=language)[0].page
    now = page.locator(".scored .now")
    name = now.locator(".scoring-name:visible").inner_text()
    assert name == now.locator(".explained strong").text_content()
    assert page.locator(".scoring-name:visible").count() == 1
    assert page.evaluate(COVERED) == []


@pytest.mark.parametrize("window", [PHONE, SMALL_DESKTOP, WIDE])
def test_replay_has_the_scoring_tiles_in_its_header(browser, window):
    game, _, _ = browser.game("Ann", "Bob")
    page = replayed(browser, game, **window).page
    assert page.evaluate(COVERED) == []
    home, title = (page.locator(f".head {part}").bounding_box() for part in (".home", "h1"))
    assert home["x"] + home["width"] <= title["x"]  # no menu has the link here
    assert abs(home["y"] + home["height"] / 2 - title["y"] - title["height"] / 2) < MAX_OFFSET
    page.locator(".scored button").first.click()
    page.wait_for_selector(".slots:visible")
