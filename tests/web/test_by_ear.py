"""A whole game by the accessibility tree alone: a player who sees nothing wins against a random bot."""

import re

import pytest

from tests.web.driver import call, seated

FITS = re.compile("fits?\\b")
GAIN = re.compile(r"\+(\d+)$")


class Listener:
    """Plays by roles and names, as a screen reader gives them; nothing else of the page is read."""

    def __init__(self, screen):
        self.screen = screen
        self.page = screen.page
        self.main = screen.page.get_by_role("main")

    def button(self, name, within=None):
        """Return the button of a name."""
        return (within or self.page).get_by_role("button", name=re.compile(name))

    def move(self):
        """Do what can be done now; return whether something was done."""
        return self.set_prices() or self.buy() or self.build()

    def set_prices(self):
        """Discard the first tile and keep the lowest prices."""
        discard = self.main.get_by_role("radio", name="Discard").first
        if not discard.is_visible() or discard.is_disabled():
            return False
        discard.check()
        ready = self.button("^Set (prices|and reveal)$")
        ready.click()
        ready.wait_for(state="hidden")
        return True

    def buy(self):
        """Buy the tile that would add most points, or the first one."""
        buying = self.main.get_by_role("region", name="Buy")
        if not buying.is_visible() or self.button("^Buy nothing$").is_disabled():
            return False
        offers = self.main.get_by_role("region", name="Market").get_by_role("button", disabled=False)
        tiles = [offer.get_attribute("aria-pressed") is not None and offer for offer in offers.all()]
        tiles = [offer for offer in tiles if offer]
        if not tiles:
            return self.acted(lambda: self.button("^Buy nothing$").click())
        gains = []
        for offer in tiles:
            offer.click()
            gains.append(self.best_cell()[0])
        chosen = tiles[gains.index(max(gains))]
        if chosen.get_attribute("aria-pressed") != "true":
            chosen.click()
        return self.acted(lambda: self.button(r"^Buy \W?L").click())

    def build(self):
        """Place the next tile where it adds most; finish when none has a place."""
        hand = self.main.get_by_role("group", name="Tiles to build").get_by_role("button")
        for tile in hand.all():
            if not re.search(r"\b[1-9]\d* ways?", tile.inner_text()):
                continue
            tile.click()
            _, cell = self.best_cell()
            return self.acted(self.place, cell)
        finish = self.button("^Finish building$")
        if not finish.is_visible() or finish.is_disabled():
            return False
        return self.acted(lambda: self.finish(finish))

    def place(self):
        """Show the tile on the cell that has the focus, then place it."""
        self.page.keyboard.press("Enter")
        self.page.keyboard.press("Enter")

    def finish(self, button):
        """Finish building, and confirm if tiles are left."""
        button.click()
        if self.page.get_by_role("dialog").is_visible():
            self.button("^Finish building$", self.page.get_by_role("dialog")).click()

    def best_cell(self):
        """Return the most points that the chosen tile can add now, and the cell where it does."""
        cells = self.main.get_by_role("gridcell", name=FITS)
        cells.first.wait_for()
        names = cells.evaluate_all("all => all.map((one) => one.ariaLabel)")
        gains = [int(found[1]) if (found := GAIN.search(name)) else 0 for name in names]
        best = gains.index(max(gains))
        return gains[best], cells.nth(best)

    def acted(self, act, cell=None):
        """Act, and wait until the server has a later event."""
        before = self.screen.view()["version"]
        if cell is not None:
            cell.focus()
        act()
        self.screen.wait_for(lambda: self.screen.view()["version"] != before)
        return True


def events_of(screen):
    """Return the events of the game that a screen shows."""
    return call(screen.url, "GET", f"/v1/games/{screen.game}/events?limit=1000")["events"]


def play_by_ear(screen, is_over):
    """Play until `is_over(view)` is true."""
    listener = Listener(screen)
    while not is_over(screen.view()):
        screen.caught_up()
        if screen.page.get_by_role("button", name="Continue").is_visible():
            screen.page.get_by_role("button", name="Continue").click()
        if not listener.move():
            screen.page.wait_for_timeout(30)


def test_round_is_played_by_ear(browser):
    screen, _, _ = seated(browser, "Ann", bots=["random"])
    play_by_ear(screen, lambda view: view["round"] == 2)
    own = [event["type"] for event in events_of(screen) if event.get("seat") == 0]
    assert {"offer_set", "tile_placed", "building_finished"} <= set(own)


@pytest.mark.full_size
def test_player_by_ear_wins_against_a_random_bot(browser):
    screen, _, _ = seated(browser, "Ann", bots=["random"])
    play_by_ear(screen, lambda view: view["status"] != "playing")
    assert screen.view()["result"]["winners"] == [0]


def test_tile_in_words_follows_its_rotation(browser):
    screen, _, _ = seated(browser, "Ann", "Bob")
    castle = screen.page.get_by_role("gridcell", name=re.compile("castle"))
    castle.and_(screen.page.get_by_role("gridcell", name=re.compile("pasture"))).wait_for()
    words = screen.page.evaluate(
        """async () => {
          const base = document.querySelector("script[type=module]").src.replace("main.js", "");
          const {tileWords} = await import(base + "shared/tile-words.js");
          return [0, 90].map((rotation) => tileWords("base", "L06", rotation));
        }"""
    )
    assert words == [
        f"water in the {one}; mountain in the {other}; road that joins {other}; 1 lighthouse; 1 ship"
        for one, other in (("north and west", "east and south"), ("north and east", "south and west"))
    ]
