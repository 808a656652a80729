"""Private games, opened in the browser of each role."""

import json

from tests.web.driver import call

END = {"scenario": "last_action", "players": [{"name": "Ann"}, {"name": "Bob"}]}


def with_tokens(browser, path, game, tokens):
    """Open a page in a browser that has some tokens of a game."""
    stored = {f"skye.game.{game}": json.dumps({"seats": [], "host": None} | tokens)}
    screen = browser.window(path, stored=stored)
    screen.page.wait_for_selector(".game-page")
    return screen


def rights(browser, role, created):
    """Return the tokens that a browser has in one of the roles."""
    game, host = created["game"]["id"], created["host_token"]
    seats = [player["token"] for player in created["players"]]
    if role == "host":
        return {"seats": seats[:1], "host": host, "invitations": created.get("invitations", [])}
    if role == "friend":
        return {"seats": seats[1:2]}
    if role == "hotseat":
        return {"seats": seats[:2], "host": host, "invitations": created.get("invitations", [])}
    if role == "guest":
        return {"invite": created["invitations"][0]["code"]}
    return {"watch": call(browser.url, "GET", f"/v1/games/{game}/watch-code", token=host)["code"]}


def opened(browser, role, *, replay=False, **body):
    """Create a private game, and open it in one of the roles."""
    created = call(browser.url, "POST", "/v1/games", {"visibility": "private"} | body)
    game = created["game"]["id"]
    if body.get("scenario") == "last_action":
        token = created["players"][0]["token"]
        call(browser.url, "POST", f"/v1/games/{game}/players/0/building/finish", {}, token)
    path = f"/play/?game={game}" + ("&replay=1" if replay else "")
    return with_tokens(browser, path, game, rights(browser, role, created))
