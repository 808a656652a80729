"""Input devices that play in the web client: mouse, touch and keyboard."""

_CHANGED = "document.querySelector('.game-page').dataset.event !== old"


def can_build(state):
    """Return whether the seat can place a tile or finish, and the page shows the hand."""
    return state["mine"] and state["building"] and state["ready"]


class Mouse:
    """Plays by clicks: discards the first tile, buys the first affordable one, builds at the first cell."""

    def move(self, page, state):
        """Do the next thing, if there is one; return whether something was done."""
        if not state["mine"]:
            return False
        if state["set"]:
            return self.set_prices(page)
        if state["buying"]:
            return self.buy(page)
        if can_build(state):
            return self.build(page, state)
        return False

    def press(self, page, selector):
        """Press what a selector finds first."""
        page.locator(selector).first.click()

    def set_prices(self, page):
        """Discard the first tile; the prices stay as they are. End the counting, which covers them."""
        if page.locator(".strip [data-act=skip]").is_visible():
            self.press(page, "[data-act=skip]")
        self.press(page, ".pricing .card .discard")
        self.press(page, "[data-act=set]")
        page.wait_for_selector("[data-act=set]", state="hidden")
        return True

    def buy(self, page):
        """Buy the first affordable tile, or none."""
        page.wait_for_function("() => !document.querySelector('[data-act=pass]').disabled")
        version = page.evaluate("document.querySelector('.game-page').dataset.event")
        offers = page.locator('.offer[aria-disabled="false"]')
        if offers.count():
            self.press(page, '.offer[aria-disabled="false"]')
            self.press(page, "[data-act=buy]")
        else:
            self.press(page, "[data-act=pass]")
        page.wait_for_function(f"old => {_CHANGED}", arg=version)
        return True

    def build(self, page, state):
        """Place a tile, or finish."""
        if state["hand"]:
            if not page.locator(".hand-tile[aria-pressed=true]").count():
                self.press(page, ".hand-tile:not(.dim)")
            self.choose_cell(page)
            version = page.evaluate("document.querySelector('.game-page').dataset.event")
            self.place(page)
        elif state["finish"]:
            version = page.evaluate("document.querySelector('.game-page').dataset.event")
            self.press(page, "[data-act=finish]")
            page.wait_for_function(
                f"old => document.querySelector('dialog[open]') || {_CHANGED}", arg=version
            )
            if page.locator("dialog[open]").count():  # tiles are left
                self.press(page, "dialog[open] [data-act=yes]")
        else:
            return False
        page.wait_for_function(f"old => {_CHANGED}", arg=version)
        return True

    def choose_cell(self, page):
        """Show the ghost on the first cell where the tile can lie."""
        self.press(page, ".cell.legal")

    def place(self, page):
        """Place the ghost."""
        self.press(page, "[data-act=place]")


class Touch(Mouse):
    """Plays by taps."""

    def press(self, page, selector):
        """Tap what a selector finds first, on the pane where it is."""
        page.locator(selector).first.tap()


class Keyboard(Mouse):
    """Plays with keys alone: focus moves by Tab and arrows, and shortcuts do the rest."""

    def set_prices(self, page):
        """Choose the first card, discard it, and send."""
        page.keyboard.press("1")
        page.keyboard.press("x")
        page.wait_for_selector("[data-act=set]:enabled:not([aria-disabled])")
        self._tab_to(page, "[data-act=set]")
        page.keyboard.press("Enter")
        page.wait_for_selector("[data-act=set]", state="hidden")
        return True

    def press(self, page, selector):
        """Do with keys what a click would do."""
        if selector.startswith(".offer"):
            page.keyboard.press("1")
        elif selector.startswith(".hand-tile"):
            tiles = "[...document.querySelectorAll('.hand-tile')]"
            index = page.evaluate(f"{tiles}.findIndex((tile) => !tile.matches('.dim'))")
            page.keyboard.press(str(index + 1))
        elif selector == "[data-act=pass]":
            page.keyboard.press("p")
        elif selector == "[data-act=finish]":
            page.keyboard.press("f")
        else:
            self._tab_to(page, selector)
            page.keyboard.press("Enter")

    def choose_cell(self, page):
        """Go to the first legal cell and show the ghost there."""
        page.keyboard.press("n")
        page.keyboard.press("Enter")
        page.wait_for_selector(".cell.ghost")

    def place(self, page):
        """Press Enter again."""
        page.keyboard.press("Enter")

    def _tab_to(self, page, selector):
        for _ in range(80):
            if page.evaluate("selector => document.activeElement?.matches(selector)", selector):
                return
            page.keyboard.press("Tab")
        raise AssertionError(f"the keyboard does not reach {selector}")
