"""What a wide window shows and a narrow one does not: `deploy/web-client.md` has the table."""

import re

from tests.web.driver import FIRST, NOTICE_MS, seated, show_ghost
from tests.web.hands import can_build

WIDE, NARROW = (1440, 900), [(768, 1024), (360, 740)]

TEXTS = """() => {
  const walk = document.createTreeWalker(document.querySelector(".game-page"), NodeFilter.SHOW_TEXT);
  const texts = new Set();
  while (walk.nextNode()) {
    const {textContent: text, parentElement: parent} = walk.currentNode;
    if (text.trim() && !parent.closest(".notices") && parent.checkVisibility({visibilityProperty: true}))
      texts.add(text.trim());
  }
  return [...texts];
}"""
"""Returns the texts that are shown, or read by a screen reader; without notices, which the log has too."""

DROPPED = {
    "Skye": "the menu has the link to all games",
    ": All games": "the same",
    "Map": "the strip of the players has the maps themselves",
    "scores now": "a phone says scores",
    "Ships and lighthouses": "a phone names a scoring tile at a long press",
    "An unsold tile is yours, its gold lost.": "a phone shows it once a tile is discarded",
    r"\d of \d have set prices.": "a phone has it in the strip of the players",
    r"\W*L\d+\W* would fit in \d cells?": "the cells and their legend say it",
    "Close": "a tap on the offer ends the trial",
}
"""What a narrow window drops, as patterns, and why."""


def dropped(screen):
    """Return the texts of a wide window that a narrow one does not have."""
    missing = set()
    screen.page.set_viewport_size(dict(zip(("width", "height"), WIDE, strict=True)))
    screen.drawn()
    wide = set(screen.page.evaluate(TEXTS))
    for width, height in NARROW:
        screen.page.set_viewport_size({"width": width, "height": height})
        screen.drawn()
        missing |= wide - set(screen.page.evaluate(TEXTS))
    return {text for text in missing if not any(re.fullmatch(known, text) for known in DROPPED)}


def test_narrow_window_has_the_texts_of_a_wide_one(browser):
    screen, _, _ = seated(browser, "Ann", bots=["random", "greedy"], options=FIRST)
    page = screen.page
    screen.keep(NOTICE_MS)
    assert dropped(screen) == set()
    page.locator(".discard").first.click()
    assert dropped(screen) == set()
    screen.play_until(lambda state: state["buying"] and state["mine"])
    assert dropped(screen) == set()
    page.locator('.offer[aria-disabled="false"]').first.click()
    page.wait_for_selector(".cell.legal")
    assert dropped(screen) == set()
    page.keyboard.press("Escape")
    screen.play_until(can_build)
    assert dropped(screen) == set()
    show_ghost(page)
    assert dropped(screen) == set()
