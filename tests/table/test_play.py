"""What a player does in each phase."""

import re

import pytest

from tests.table.driver import Mouse, call
from tests.table.test_late_answers import Held

HOSTILE = "<img src=x onerror=alert(1)>"
ARABIC = "عبد الله"
GAINING = {"seed": "table", "scoring_tiles": ["connected_tiles", "completed_areas", "sheep", "squares"]}
"""Scoring tiles that the first placements gain points with."""


def seated(browser, *names, bots=(), seat=0, **body):
    """Create a game and open one of its seats; return the screen, the id and the tokens."""
    game, tokens, _ = browser.game(*names, bots=bots, **body)
    screen = browser.window(f"/play/?game={game}#seat={tokens[seat]}")
    screen.page.wait_for_selector(".pricing .card")
    return screen, game, tokens


def offer(browser, game, tokens, seat, first, second):
    """Set prices for a seat by plain HTTP; return the prices by tile."""
    path = f"/v1/games/{game}"
    drawn = call(browser.url, "GET", path)["players"][seat]["tiles_drawn"]
    marked, *kept = (tile["tile"] for tile in drawn)
    body = {"discard": marked, "prices": dict(zip(kept, (first, second), strict=True))}
    call(browser.url, "PUT", f"{path}/players/{seat}/offer", body, tokens[seat])
    return body


@pytest.mark.slow
def test_offer_is_replaced_until_the_last_one_reveals_it(browser):
    screen, game, tokens = seated(browser, "Ann", "Bob")
    page = screen.page
    assert "Choose the tile to discard" in page.locator(".pricing").inner_text()
    Mouse().set_prices(page)
    page.click("[data-act=change]")
    page.locator(".card:not(.out) .stepper button").last.click()
    assert page.locator(".purse").inner_text() == "2 gold left"
    page.click("[data-act=set]")
    page.wait_for_selector("[data-act=change]:visible")
    prices = [tile["price"] for tile in screen.view(tokens[0])["players"][0]["tiles_drawn"]]
    assert sorted(price for price in prices if price) == [1, 2]
    offer(browser, game, tokens, 1, 1, 1)
    page.wait_for_selector(".table[data-phase=buying]")


@pytest.mark.slow
def test_typed_prices_survive_events_of_others(browser):
    screen, game, tokens = seated(browser, "Ann", "Bob", "Cy")
    field = screen.page.locator(".card .price").first
    field.fill("3")
    offer(browser, game, tokens, 1, 1, 1)
    screen.caught_up()
    assert field.input_value() == "3"
    assert screen.page.evaluate("document.activeElement.className") == "price"
    screen.page.reload()
    screen.page.wait_for_selector(".pricing .card")
    assert screen.page.locator(".card .price").first.input_value() == "3"


@pytest.mark.slow
def test_price_that_was_deleted_is_typed_again(browser):
    screen, game, tokens = seated(browser, "Ann", "Bob", "Cy")
    page = screen.page
    field = page.locator(".card .price").nth(1)
    field.click()
    page.keyboard.press("End")
    page.keyboard.press("Backspace")
    offer(browser, game, tokens, 1, 1, 1)
    screen.caught_up()
    page.keyboard.type("3")
    assert field.input_value() == "3"
    page.keyboard.press("Backspace")
    page.keyboard.press("Tab")
    assert field.input_value() == "3"
    page.keyboard.press("Escape")
    page.locator(".menu summary").focus()
    page.keyboard.press("1")
    page.keyboard.type("2")
    assert page.locator(".card .price").first.input_value() == "2"


def test_prices_of_rivals_are_in_no_document_before_the_reveal(browser):
    screen, game, tokens = seated(browser, "Ann", "Bob")
    offer(browser, game, tokens, 1, 4, 1)
    screen.caught_up()
    shown = screen.page.locator(".market").text_content()
    assert "gold" not in shown
    assert shown.count("price hidden") == 3


@pytest.mark.slow
def test_buyers_take_turns_and_see_what_they_can_afford(browser):
    screen, game, tokens = seated(browser, "Ann", "Bob", options={"seed": "table", "starting_seat": 1})
    dear = offer(browser, game, tokens, 1, 4, 1)["prices"]
    Mouse().set_prices(screen.page)
    page = screen.page
    page.wait_for_selector(".table[data-phase=buying]")
    assert not page.locator(".buying").is_visible()
    call(browser.url, "POST", f"/v1/games/{game}/players/1/purchase", {"pass": True}, tokens[1])
    page.wait_for_selector('.offer[aria-disabled="false"]')
    for tile, price in dear.items():
        one = page.locator(f'.offer[data-tile="{tile}"]')
        assert one.get_attribute("aria-disabled") == ("true" if price > 3 else "false")
        assert ("too expensive" in one.inner_text()) == (price > 3)
    page.click("[data-act=pass]")
    page.wait_for_selector(".table[data-phase=building]")


@pytest.mark.slow
def test_offer_is_not_too_expensive_before_actions_are_known(browser):
    screen, game, tokens = seated(browser, "Ann", "Bob", options={"seed": "table", "starting_seat": 0})
    dear = offer(browser, game, tokens, 1, 4, 1)["prices"]
    page = screen.page
    page.click(".pricing .card .discard")
    answer = Held(screen, "**/offer?*", "PUT")
    page.click("[data-act=set]")
    page.wait_for_selector(".table[data-phase=buying].my-turn[aria-busy]")
    screen.drawn()
    assert "".join(page.locator(".why").all_inner_texts()) == ""
    answer.release()
    page.wait_for_selector(".table[data-phase=buying]:not([aria-busy])")
    for tile, price in dear.items():
        shown = page.locator(f'.offer[data-tile="{tile}"]').inner_text()
        assert ("too expensive" in shown) == (price > 3)


def test_ghost_goes_through_exactly_the_legal_rotations(browser):
    screen, game, tokens = seated(browser, "Ann", bots=["random"])
    screen.play_until(lambda state: state["phase"] == "building" and state["mine"] and state["ready"])
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
            label = page.locator(".cell.ghost").get_attribute("aria-label")
            seen.add((x, y, int(re.search(r"turned by \W*(\d+)", label)[1])))
            page.keyboard.press("r")
    assert seen == legal


@pytest.mark.slow
def test_taps_keys_wheel_and_button_turn_only_to_legal_rotations(browser):
    screen, _, _ = seated(browser, "Ann", bots=["random"])
    screen.play_until(lambda state: state["phase"] == "building" and state["mine"] and state["ready"])
    page = screen.page
    page.locator(".hand-tile:not(.dim)").first.click()
    page.locator(".cell.legal:has(.dots i:nth-child(2))").first.click()
    ghost = page.locator(".cell.ghost")
    legal = ghost.locator(".dots i").count()

    def shown():
        return int(re.search(r"turned by \W*(\d+)", ghost.get_attribute("aria-label"))[1])

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


def points_of(browser, game, tokens):
    """Return the points that the server counts in seat 0's territory now, by slot."""
    what_if = call(browser.url, "POST", f"/v1/games/{game}/players/0/what-if", {"placements": []}, tokens[0])
    return {tile["slot"]: tile["before"] for tile in what_if["scoring_tiles"]}


def shown_gains(page):
    """Return the gains of the ghost by slot, as numbers."""
    rows = page.locator(".gains > div:visible").all_inner_texts()
    signs = str.maketrans("\N{MINUS SIGN}", "-")
    return {row[0]: int(row.split()[-1].translate(signs)) for row in rows if row[1] == " "}


def test_gains_that_were_shown_equal_the_points_afterwards(browser):
    screen, game, tokens = seated(browser, "Ann", bots=["random"], options=GAINING)
    page = screen.page
    gained = 0
    for round_number in (1, 2):
        screen.play_until(
            lambda state, now=round_number: (
                state["phase"] == "building" and state["ready"] and screen.view()["round"] == now
            )
        )
        while page.locator(".hand-tile:not(.dim)").count():
            before = points_of(browser, game, tokens)
            page.locator(".hand-tile:not(.dim)").first.click()
            page.locator(".cell.legal").first.click()
            page.wait_for_function(
                "() => { const gains = document.querySelector('.building .gains'); "
                "return gains.offsetParent && !gains.textContent.includes('?'); }"
            )
            shown = shown_gains(page)
            version = page.locator(".table").get_attribute("data-event")
            page.click("[data-act=place]")
            page.wait_for_function(
                "old => document.querySelector('.table').dataset.event !== old", arg=version
            )
            page.wait_for_selector(".table:not([aria-busy])")
            after = points_of(browser, game, tokens)
            assert shown == {slot: after[slot] - before[slot] for slot in before}
            gained += sum(shown.values())
        screen.play_until(lambda state: state["phase"] != "building")
    assert gained > 0


@pytest.mark.slow
def test_ghost_begins_with_the_rotation_that_gains_most(browser):
    screen, game, tokens = seated(browser, "Ann", bots=["random"], options=GAINING)
    screen.play_until(lambda state: state["phase"] == "building" and state["mine"] and state["ready"])
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


@pytest.mark.slow
def test_tile_for_sale_is_tried_in_our_territory(browser):
    screen, game, tokens = seated(browser, "Ann", "Bob", options=GAINING | {"starting_seat": 0})
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
    (0, "POST", "purchase", {"tile": "L53"}),
    (1, "POST", "purchase", {"pass": True}),
    (0, "POST", "placements", {"tile": "L52", "x": 0, "y": 1, "rotation": 0}),
    (0, "POST", "placements", {"tile": "L53", "x": 1, "y": 0, "rotation": 0}),
    (0, "POST", "placements", {"tile": "L44", "x": -1, "y": 0, "rotation": 90}),
    (0, "POST", "build/finish", None),
    (1, "POST", "placements", {"tile": "L19", "x": -1, "y": 0, "rotation": 90}),
    (1, "POST", "build/finish", None),
    (0, "PUT", "offer", {"discard": "L55", "prices": {"L61": 1, "L43": 1}}),
    (1, "PUT", "offer", {"discard": "L45", "prices": {"L66": 1, "L71": 1}}),
    (1, "POST", "purchase", {"tile": "L61"}),
    (0, "POST", "purchase", {"tile": "L66"}),
    (0, "POST", "placements", {"tile": "L66", "x": 1, "y": -1, "rotation": 270}),
]
"""A game, from the seed "t7226", at the end of which the tile L43 has no place in seat 0's territory."""


@pytest.mark.slow
def test_tile_without_a_place_returns_to_the_bag_after_a_question(browser):
    game, tokens, _ = browser.game("Ann", "Bob", options={"seed": "t7226"})
    for seat, method, what, body in UNPLACEABLE:
        call(browser.url, method, f"/v1/games/{game}/players/{seat}/{what}", body, tokens[seat])
    screen = browser.window(f"/play/?game={game}#seat={tokens[0]}")
    page = screen.page
    page.wait_for_selector('.hand-tile.dim[data-tile="L43"]')
    page.click("[data-act=finish]")
    page.locator("dialog[open]").get_by_role("button", name="Cancel").click()
    assert screen.view()["players"][0]["build_finished"] is False
    page.click("[data-act=finish]")
    page.click("dialog[open] [data-act=yes]")
    page.wait_for_selector(".log .building_finished:has-text('has no place for')")
    assert "L43" in screen.view()["bag"]["tiles"]


def test_placements_are_taken_back_one_by_one(browser):
    screen, _, _ = seated(browser, "Ann", bots=["random"])
    hands = Mouse()
    screen.play_until(lambda state: state["phase"] == "building" and state["mine"])
    screen.play_until(lambda state: state["hand"] == 0 and state["mine"], hands)
    page = screen.page
    placed = len(screen.view()["players"][0]["territory"])
    for left in (placed - 1, placed - 2):
        page.click("[data-act=undo]")
        page.wait_for_function("count => document.querySelectorAll('.cell.tile').length === count", arg=left)
        page.wait_for_selector(".table:not([aria-busy])")
    assert len(screen.view()["players"][0]["territory"]) == placed - 2


def test_names_with_markup_and_right_to_left_text_stay_text(browser):
    screen, _, _ = seated(browser, HOSTILE, ARABIC, "Bob", seat=2)
    assert screen.page.locator(".seat h3 bdi").all_inner_texts() == [HOSTILE, ARABIC, "Bob"]
    assert screen.page.locator("img[src=x]").count() == 0


@pytest.mark.slow
def test_token_of_a_seat_link_stays_out_of_addresses_and_referrers(browser):
    game, tokens, _ = browser.game("Ann", "Bob")
    requests = []
    window = browser.window("/play/")
    window.page.on("request", lambda request: requests.append((request.url, request.headers)))
    window.page.goto(f"{browser.url}/play/?game={game}#seat={tokens[0]}")
    window.page.wait_for_selector(".pricing .card")
    assert tokens[0] not in window.page.url
    sent = [url.partition("#")[0] for url, _ in requests]  # a fragment is never sent
    assert not any(tokens[0] in url for url in sent)
    assert not any(tokens[0] in headers.get("referer", "") for _, headers in requests)
    window.page.go_back()
    assert tokens[0] not in window.page.evaluate("JSON.stringify([location.href, document.referrer])")
