"""The page of examples/browser, in a real Chromium, watches games as they are played."""

import random
import re
from urllib.parse import urlencode

from tests.examples.conftest import EXAMPLES, address_of, call
from tests.support.comparing import without_time
from tests.support.launcher import launching
from tests.support.ports import free_port

HOSTILE = "<img src=x onerror=alert(1)>"
INDEX = EXAMPLES / "browser" / "index.html"


class Played:
    """A game of two persons and a bot, played move by move."""

    def __init__(self, url, seed, **options):
        self.url, self.dice = url, random.Random(seed)
        players = [{"name": HOSTILE}, {"bot": "greedy"}, {"name": "Ann & 'Bob'"}]
        body = {"name": f"{seed} {HOSTILE}", "players": players, "options": {"seed": seed, **options}}
        opened = call(url, "POST", "/v1/games", body)
        self.id, self.path = opened["game"]["id"], f"/v1/games/{opened['game']['id']}"
        self.tokens = [player["token"] for player in opened["players"]]
        self.host = opened["host_token"]

    def view(self):
        """Return the game as it is for a spectator, without the time of the response."""
        return without_time(call(self.url, "GET", self.path))

    def start(self):
        """Close the lobby."""
        call(self.url, "POST", f"{self.path}/start", token=self.host)

    def play(self, **until):
        """Send random legal actions until the view has these values; return it."""
        view = self.view()
        while any(view[field] != value for field, value in until.items()):
            seat = self.dice.choice(view["waiting_for"])
            token = self.tokens[seat]
            listed = call(self.url, "GET", f"{self.path}/players/{seat}/actions", token=token)["actions"]
            action = self.dice.choice(listed)
            call(self.url, action["method"], action["href"], action["body"], token)
            view = self.view()
        return view


def address(url, game=None):
    """Return the URL of the page, for a server and a game."""
    return f"{address_of('index.html')}?{urlencode({'api': url} | ({'game': game} if game else {}))}"


def shown(page, game):
    """Wait until the page shows a game as it is after its last event; return its own view."""
    page.wait_until(f"document.body?.dataset.event === '{game['last_event']}'")
    return without_time(page.evaluate("view"))


def isolated(name):
    """Return a name as part of a sentence, kept from turning the direction of the rest."""
    return f"\u2068{name}\u2069"


def test_game_is_watched_live_from_the_lobby_to_its_end(page, url):
    game = Played(url, "live", turn_ms=600_000)
    page.open(address(url, game.id))
    assert shown(page, game.view()) == game.view()
    game.start()
    for number in range(1, 7):
        for phase in ("pricing", "buying", "building"):
            now = game.play(round=number, phase=phase)
            assert shown(page, now) == now
            acting = [now["players"][seat]["name"] for seat in now["waiting_for"]]
            assert page.texts(".seat.acting h2") == acting
            waiting = ", ".join(map(isolated, acting))
            assert page.texts("#turn")[0].startswith(f"Round {number} of 6: {waiting} to ")
    over = game.play(status="finished")
    assert shown(page, over) == over
    scores = [str(player["score"]) for player in over["players"]]
    assert page.texts(".score") == scores
    assert page.texts("#result td:last-child") == scores
    page.wait_until("document.getElementById('line')?.textContent === 'over'")
    page.wait_until(
        "[...document.querySelectorAll('.territory img')].every((image) => image.naturalWidth > 200)"
    )
    assert page.complaints == []


def test_players_who_come_and_go_are_watched_too(page, url):
    game = Played(url, "coming and going")
    page.open(address(url, game.id))
    shown(page, game.view())
    call(url, "DELETE", f"{game.path}/players/0", token=game.host)
    cat = call(url, "POST", f"{game.path}/players", {"name": "Cat", "color": "white"})
    game.start()
    call(url, "POST", f"{game.path}/players/2/resign", token=game.tokens[2])
    now = game.view()
    assert [player["bot"] for player in now["players"]] == [None, "greedy", "greedy"]
    assert shown(page, now) == now
    call(url, "POST", f"{game.path}/abort", token=game.host)
    now = game.view()
    assert now["proposal"]["kind"] == "abort"
    assert shown(page, now) == now
    call(url, "POST", f"{game.path}/players/0/proposal", {"accept": True}, token=cat["token"])
    now = game.view()
    assert now["status"] == "aborted"
    assert shown(page, now) == now
    assert page.complaints == []


def test_page_of_a_lobby_requests_no_territory_of_a_seat(page, url):
    game = Played(url, "lobby")
    page.open(address(url, game.id))
    shown(page, game.view())
    page.wait_until(
        "[...document.querySelectorAll('.territory img')].every((image) => image.naturalWidth > 0)"
    )
    requested = page.evaluate("performance.getEntriesByType('resource').map(({ name }) => name)")
    assert any("/v1/tiles/castle-" in address for address in requested)
    assert not [address for address in requested if "/territory/picture.svg" in address]


def test_user_input_is_shown_as_text_and_not_as_markup(page, url):
    game = Played(url, "names")
    page.open(address(url, game.id))
    shown(page, game.view())
    assert page.texts("#name") == [f"names {HOSTILE}"]
    assert page.texts(".seat h2") == [player["name"] for player in game.view()["players"]]
    assert page.texts("img[src=x]") == []
    assert page.complaints == []


def test_purchases_of_the_round_are_listed(page, url):
    game = Played(url, "purchases")
    game.start()
    view = game.play(round=1, phase="building")
    page.open(address(url, game.id))
    shown(page, view)
    names = [isolated(player["name"]) for player in view["players"]]
    received = [
        [names[made["seat"]], "passes", "", ""]
        if made["tile"] is None
        else [names[made["seat"]], made["tile"], f"from {names[made['seller']]}", str(made["price"])]
        for made in call(url, "GET", f"{game.path}/rounds/1")["purchases"]
    ]
    assert page.texts("#purchases td") == [cell for row in received for cell in row]


def test_game_is_chosen_from_the_list(page, url):
    game = Played(url, "chosen")
    page.open(address(url))
    link = f"[...document.links].find((link) => link.href.includes('game={game.id}'))"
    page.wait_until(f"{link}?.textContent === {f'chosen {HOSTILE}'!r}")
    page.evaluate(f"{link}.click()")
    assert shown(page, game.view()) == game.view()


def test_missing_game_is_reported(page, url):
    page.open(address(url, "nosuchgame"))
    page.wait_until("/no such game/i.test(document.getElementById('line')?.textContent)")


def test_restart_of_the_server_loses_nothing_of_the_game(page, tmp_path):
    bind = f"127.0.0.1:{free_port()}"
    with launching(tmp_path) as start:
        first = start(SKYE_BIND=bind)
        game = Played(first.url, "restart")
        game.start()
        before = game.play(round=2)
        page.open(address(first.url, game.id))
        assert shown(page, before) == before
        first.end()
        page.wait_until("document.getElementById('line')?.className === 'reconnecting'")
        second = start(SKYE_BIND=bind)
        assert second.url == first.url
        after = game.play(round=3)
        assert shown(page, after) == after
        page.wait_until("document.getElementById('line')?.className === 'live'")


def test_list_of_games_is_shown_again_after_a_restart(page, tmp_path):
    bind = f"127.0.0.1:{free_port()}"
    with launching(tmp_path) as start:
        first = start(SKYE_BIND=bind)
        page.open(address(first.url))
        page.wait_until("document.getElementById('line')?.className === 'live'")
        first.end()
        page.wait_until("document.getElementById('line').className === 'reconnecting'")
        game = Played(start(SKYE_BIND=bind).url, "after the restart")
        page.wait_until(f"[...document.links].some((link) => link.href.includes('game={game.id}'))")
        assert page.evaluate("document.getElementById('line').className") == "live"


def test_page_is_one_file_that_loads_nothing_from_outside():
    text = INDEX.read_text()
    assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|@import|url\(", text)
    assert not re.search(r"""(?:src|href)=(?!["']?data:)""", text.partition("<script>")[0])
