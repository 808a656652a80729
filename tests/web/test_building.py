"""What a player does with tiles: tries, places and takes them back."""

import pytest

from tests.support.sizes import sized
from tests.web.driver import PHONE, building, call, offer, seated, show_ghost
from tests.web.hands import Mouse, can_build
from tests.web.test_late_answers import Held

OF_RIVAL, OF_ANN = (f".seat[data-seat='{seat}'] .look" for seat in (1, 0))
"""The buttons that show a territory."""

GAINING = {"seed": "table", "scoring_tiles": ["connected_tiles", "completed_areas", "sheep", "squares"]}
"""Scoring tiles that the first placements gain points with."""


def test_ghost_goes_through_exactly_the_legal_rotations(browser):
    screen, game, tokens = seated(browser, "Ann", bots=["random"])
    screen.play_until(can_build)
    page = screen.page
    actions = call(browser.url, "GET", f"/v1/games/{game}/players/0/actions", token=tokens[0])["actions"]
    tile = actions[0]["body"]["tile"]
    legal = {
        (a["body"]["x"], a["body"]["y"], a["body"]["rotation"]) for a in actions if a["body"]["tile"] == tile
    }
    page.click(f'.hand-tile[data-tile="{tile}"]')
    cells = {(x, y) for x, y, _ in legal}
    assert page.locator(".cell.legal").count() == len(cells)
    seen = set()
    for x, y in cells:
        page.click(f'.cell[data-x="{x}"][data-y="{y}"]')
        for _ in range(sum(1 for place in legal if place[:2] == (x, y))):
            seen.add((x, y, int(page.locator(".cell.ghost").get_attribute("data-rotation"))))
            page.keyboard.press("r")
    assert seen == legal


def test_taps_keys_wheel_and_button_turn_only_to_legal_rotations(browser):
    screen = building(browser)
    page = screen.page
    page.locator(".hand-tile:not(.dim)").first.click()
    page.locator(".cell.legal:has(.dots i:nth-child(2))").first.click()
    ghost = page.locator(".cell.ghost")
    legal = ghost.locator(".dots i").count()

    def shown():
        return int(ghost.get_attribute("data-rotation"))

    def cycle(turn):
        seen = [shown()]
        for _ in range(legal):
            turn()
            screen.wait_for(lambda: shown() != seen[-1])
            seen.append(shown())
        return seen

    ghost.hover()
    once_around = cycle(ghost.click)
    assert len(set(once_around)) == legal
    assert once_around[0] == once_around[-1]
    assert cycle(lambda: page.keyboard.press("r")) == once_around
    assert cycle(lambda: page.click("[data-act=rotate]")) == once_around
    ghost.hover()
    assert cycle(lambda: page.mouse.wheel(0, 100)) == once_around
    assert cycle(lambda: page.keyboard.press("Shift+R")) == once_around[::-1]


@pytest.mark.parametrize("window", [PHONE, {"width": 1280, "height": 800}])
def test_signs_and_a_button_that_waits_say_what_they_mean(browser, window):
    page = building(browser, **window).page
    page.wait_for_selector(".building .step:has-text('Choose a tile.'):visible")
    assert page.get_attribute("[data-act=place]", "title") == "Choose a tile."
    only = page.locator(".cell.legal[title='Fits in 1 rotation']")
    for tile in page.locator(".hand-tile:not(.dim)").all():
        assert "ways" in tile.inner_text()
        tile.click()
        page.wait_for_selector(".legend:has-text('dot: a rotation that fits')")
        if only.count():
            break
    assert only.first.locator(".dots i").count() == 1
    only.first.click()
    page.wait_for_selector("[data-act=rotate][aria-disabled=true]:has-text('Only this way'):visible")


def points_of(browser, game, tokens):
    """Return the points that the server counts in seat 0's territory now, by slot."""
    what_if = call(browser.url, "POST", f"/v1/games/{game}/players/0/what-if", {"placements": []}, tokens[0])
    return {tile["slot"]: tile["before"] for tile in what_if["scoring_tiles"]}


def shown_gains(page):
    """Return the gains of the ghost by slot, as numbers."""
    rows = page.locator(".gains > div:visible").all_inner_texts()
    signs = str.maketrans("\N{MINUS SIGN}", "-")
    return {row[0]: int(row.split()[-1].translate(signs)) for row in rows if row[1:2].isspace()}


def test_gains_that_were_shown_equal_the_points_afterwards(browser):
    screen, game, tokens = seated(browser, "Ann", bots=["random"], options=GAINING)
    page = screen.page
    gained = 0
    for round_number in sized((1,), (1, 2)):
        screen.play_until(lambda state, now=round_number: can_build(state) and screen.view()["round"] == now)
        while page.locator(".hand-tile:not(.dim)").count():
            before = points_of(browser, game, tokens)
            show_ghost(page)
            page.wait_for_function(
                "() => { const gains = document.querySelector('.building .gains'); "
                "return gains.offsetParent && !gains.textContent.includes('?'); }"
            )
            shown = shown_gains(page)
            version = page.locator(".game-page").get_attribute("data-event")
            page.click("[data-act=place]")
            page.wait_for_function(
                "old => document.querySelector('.game-page').dataset.event !== old", arg=version
            )
            page.wait_for_selector(".game-page:not([aria-busy])")
            after = points_of(browser, game, tokens)
            assert shown == {slot: after[slot] - before[slot] for slot in before}
            gained += sum(shown.values())
        screen.play_until(lambda state: state["phase"] != "building")
    assert gained > 0


def test_ghost_begins_with_the_rotation_that_gains_most(browser):
    screen, game, tokens = seated(browser, "Ann", bots=["random"], options=GAINING)
    screen.play_until(can_build)
    page = screen.page
    tile = page.locator(".hand-tile").first.get_attribute("data-tile")
    path = f"/v1/games/{game}/players/0/places?tile={tile}"
    places = call(browser.url, "GET", path, token=tokens[0])["places"]
    best = {}
    for place in places:
        cell = (place["x"], place["y"])
        best[cell] = max(best.get(cell, 0), place["gains"][0]["points"])
    page.click(f'.hand-tile[data-tile="{tile}"]')
    page.wait_for_function("() => document.querySelector('.cell.legal .best').textContent !== ''")
    assert page.locator(".cell.legal").count() == len(best)
    for (x, y), points in best.items():
        page.click(f'.cell[data-x="{x}"][data-y="{y}"]')
        assert shown_gains(page)["A"] == points


def test_tile_for_sale_is_tried_in_our_territory(browser):
    screen, game, tokens = seated(browser, "Ann", "Bob", options=GAINING | {"first_seat": 0})
    page = screen.page
    offered = offer(browser, game, tokens, 1, 1, 1)
    Mouse().set_prices(page)
    tile = next(iter(offered["prices"]))
    page.click(f'.offer[data-tile="{tile}"]')
    page.locator(".cell.legal").first.click()
    page.wait_for_selector(".trial .gains dd")
    assert tile in page.locator(".trial h2").inner_text()
    assert not page.locator("[data-act=place]").is_visible()
    page.locator(".cell.ghost").press("Enter")
    page.locator(".cell.ghost").press("Enter")
    assert len(screen.view()["players"][0]["territory"]) == 1
    page.click("[data-act=buy]")
    page.wait_for_selector(".trial", state="hidden")


UNPLACEABLE = [
    (0, "PUT", "offer", {"discard": "L47", "prices": {"L44": 1, "L52": 1}}),
    (1, "PUT", "offer", {"discard": "L05", "prices": {"L53": 1, "L19": 1}}),
    (0, "PUT", "purchase", {"tile": "L53"}),
    (1, "PUT", "purchase", {"tile": None}),
    (0, "POST", "placements", {"tile": "L52", "x": 0, "y": 1, "rotation": 0}),
    (0, "POST", "placements", {"tile": "L53", "x": 1, "y": 0, "rotation": 0}),
    (0, "POST", "placements", {"tile": "L44", "x": -1, "y": 0, "rotation": 90}),
    (0, "POST", "building/finish", None),
    (1, "POST", "placements", {"tile": "L19", "x": -1, "y": 0, "rotation": 90}),
    (1, "POST", "building/finish", None),
    (0, "PUT", "offer", {"discard": "L55", "prices": {"L61": 1, "L43": 1}}),
    (1, "PUT", "offer", {"discard": "L45", "prices": {"L66": 1, "L71": 1}}),
    (1, "PUT", "purchase", {"tile": "L61"}),
    (0, "PUT", "purchase", {"tile": "L66"}),
    (0, "POST", "placements", {"tile": "L66", "x": 1, "y": -1, "rotation": 270}),
]
"""A game, from the seed "t7226", at the end of which the tile L43 has no place in seat 0's territory."""


def test_rivals_board_places_no_tile(browser):
    screen = building(browser)
    page = screen.page
    screen.menu("label:has(input[name=auto])")
    page.keyboard.press("Escape")
    tile = page.locator(".hand-tile:not(.dim)").first
    for choose in (tile.click, lambda: tile.drag_to(page.locator(".cell.tile").first)):
        page.click(OF_RIVAL)
        page.wait_for_selector(f"{OF_RIVAL}[aria-pressed=true]")
        choose()
        page.wait_for_selector(f"{OF_ANN}[aria-pressed=true]")
        assert page.locator(".cell.legal").count()
        x, y = (page.locator(".cell.legal").first.get_attribute(f"data-{axis}") for axis in "xy")
        page.click(OF_RIVAL)
        cell = page.locator(f".cell[data-x='{x}'][data-y='{y}']")
        cell.click()
        cell.press("Enter")
        cell.press("n")
        screen.drawn()
        assert page.locator(".hand-tile[aria-pressed=true], .cell.ghost, .waiting").count() == 0
    assert len(screen.view()["players"][0]["territory"]) == 1


def test_late_catalogue_redraws_the_board_that_is_shown_now(browser):
    screen = building(browser)
    page = screen.page
    catalogue = Held(screen, "**/v1/tiles?*")
    page.reload()  # the pointer has reached tiles whose tooltips need the catalogue
    page.wait_for_selector(".hand-tile")
    show_ghost(page)
    catalogue.wait()
    page.click("[data-act=cancel]")
    page.wait_for_selector(".cell.ghost", state="detached")
    page.click(OF_RIVAL)
    page.wait_for_selector(f"{OF_RIVAL}[aria-pressed=true]")
    title = page.locator(".board h2").inner_text()
    with page.expect_response("**/v1/tiles?*"):
        catalogue.release()
    screen.drawn()
    assert page.locator(".board h2").inner_text() == title


def test_tile_without_a_place_returns_to_the_bag_after_a_question(browser):
    game, tokens, _ = browser.game("Ann", "Bob", options={"seed": "t7226"})
    for seat, method, what, body in UNPLACEABLE:
        call(browser.url, method, f"/v1/games/{game}/players/{seat}/{what}", body, tokens[seat])
    screen = browser.window(f"/play/?game={game}#seat={tokens[0]}")
    page = screen.page
    page.wait_for_selector('.hand-tile.dim[data-tile="L43"]')
    page.click("[data-act=finish]")
    page.locator("dialog[open]").get_by_role("button", name="Cancel").click()
    assert screen.view()["players"][0]["building_finished"] is False
    page.click("[data-act=finish]")
    page.click("dialog[open] [data-act=yes]")
    page.wait_for_selector(".log .building_finished:has-text('has no place for')", state="attached")
    assert "L43" in screen.view()["bag"]["tiles"]


def test_placement_cancels_the_request_for_the_places_of_its_tile(browser):
    screen = building(browser)
    page = screen.page
    held, cancelled = [], []
    screen.keep(15_000)  # the client must not cancel the request after its timeout
    page.route("**/places?*", lambda route: held.append(route.request.url))
    page.on("requestfailed", lambda request: cancelled.append(request.url))
    page.locator(".hand-tile:not(.dim)").last.click()  # the first one is bought: its places are known
    screen.wait_for(lambda: held)
    Mouse().build(page, screen.state())
    screen.wait_for(lambda: held[0] in cancelled)  # the next tile may ask for its own places


def test_placements_are_taken_back_one_by_one(browser):
    screen = building(browser)
    screen.play_until(lambda state: can_build(state) and state["hand"] == 0)
    page = screen.page
    placed = len(screen.view()["players"][0]["territory"])
    for left in (placed - 1, placed - 2):
        page.click("[data-act=undo]")
        page.wait_for_function("count => document.querySelectorAll('.cell.tile').length === count", arg=left)
        page.wait_for_selector(".game-page:not([aria-busy])")
    assert len(screen.view()["players"][0]["territory"]) == placed - 2
