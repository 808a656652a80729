"""The player page of examples/browser, in a real Chromium, plays a game in plain JavaScript."""

import re
from urllib.parse import parse_qs, urlencode

from tests.examples.conftest import EXAMPLES, address_of, call

PAGE = EXAMPLES / "browser" / "player.html"
ACT = """
(() => {
  const list = document.getElementById("action"), button = document.getElementById("act");
  if (!button || document.body.dataset.status !== "playing") return;
  const isTakenBack = ({ text }) => text.startsWith("Take the last");
  if (list) list.value = Math.max(0, [...list.options].findIndex((option) => !isTakenBack(option)));
  button.click();
})()
"""


def test_game_is_played_to_its_end_by_the_buttons(page, url):
    page.open(f"{address_of('player.html')}?{urlencode({'api': url})}")
    page.wait_until("!!document.getElementById('begin')")
    page.evaluate("document.getElementById('begin').click()")
    page.wait_until("document.body.dataset.event")
    seat = {
        name: values[0] for name, values in parse_qs(page.evaluate("location.hash").removeprefix("#")).items()
    }
    path = f"/v1/games/{seat['game']}"
    page.evaluate(f"setInterval(() => {ACT.strip()}, 20) && null")
    page.wait_until("document.body.dataset.status === 'finished'")
    view = call(url, "GET", path, token=seat["token"])
    assert page.texts("#players td:nth-child(2)") == [str(player["score"]) for player in view["players"]]
    assert page.texts("#problem") == [""]
    page.wait_until("document.querySelector('#territory img')?.naturalWidth > 200")
    assert page.complaints == []


def test_reload_goes_on_with_the_seat_and_a_refusal_is_shown(page, url):
    body = {"players": [{"name": "Ann"}, {"name": "<img src=x onerror=alert(1)>"}], "auto_start": True}
    created = call(url, "POST", "/v1/games", body)
    game, token = created["game"]["id"], created["players"][0]["token"]
    fragment = urlencode({"game": game, "seat": 0, "token": token})
    page.open(f"{address_of('player.html')}?{urlencode({'api': url})}#{fragment}")
    page.wait_until("!!document.getElementById('act')")
    page.evaluate("document.querySelectorAll('#choice input').forEach((price) => { price.value = 9999; })")
    page.evaluate("document.getElementById('act').click()")
    page.wait_until("/./.test(document.getElementById('problem').textContent)")
    page.wait_until("!!document.getElementById('act')")
    page.evaluate("document.getElementById('act').click()")
    page.wait_until("/waiting for/.test(document.getElementById('state').textContent)")
    assert page.texts("#players td:first-child") == [player["name"] for player in body["players"]]
    assert page.texts("img[src=x]") == []
    other = created["players"][1]["token"]
    (action, *_) = call(url, "GET", f"/v1/games/{game}/players/1/actions", token=other)["actions"]
    call(url, action["method"], action["href"], action["body"], other)
    page.wait_until("!!document.getElementById('act')")
    assert token not in page.evaluate("document.body.innerText")


def test_page_is_one_file_of_plain_javascript():
    text = PAGE.read_text()
    assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|@import|url\(", text)
    assert not re.search(r"""(?:src|href)=(?!["']?data:)""", text.partition("<script")[0])
    assert not re.search(r"\bimport\b\s*[({\"']", text)
