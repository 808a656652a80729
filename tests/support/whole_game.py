"""Plays a whole game through any object with `call(method, path, body, token)`, such as one that retries."""

from skye_server.cli.demo import PLAYERS, Dice


def played(caller, players, seed):
    """Yield the view after each action, and the events since, as a spectator gets them."""
    seats = [{"name": name} for name in PLAYERS[:players]]
    created = caller.call(
        "POST", "/v1/games", {"players": seats, "auto_start": True, "options": {"seed": seed}}
    )
    view, tokens = created["game"], [player["token"] for player in created["players"]]
    home, last_event, dice = f"/v1/games/{view['id']}", 0, Dice(seed)
    while True:
        events = caller.call("GET", f"{home}/events?after={last_event}")["events"]
        last_event = events[-1]["id"] if events else last_event
        yield view, events
        if view["status"] != "playing" or not view["waiting_for"]:
            break
        seat = view["waiting_for"][0]
        actions = caller.call("GET", f"{home}/players/{seat}/actions", token=tokens[seat])["actions"]
        action = dice.choose(actions, view["players"][seat])
        view = caller.call(action["method"], action["href"], action["body"], tokens[seat])
    assert view["status"] == "finished"
