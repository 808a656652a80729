"""The views that the client packages fold from events equal the view of the service."""

import json
import random
from copy import deepcopy

import fakeredis
import pytest

from skye.rulesets import BASE
from skye_client import UnknownRulesetError, empty_view, fold
from skye_server import create_app
from skye_server.games.outages import Outage, Uptime
from skye_server.http.framework import collaborators
from skye_server.settings import Settings
from skye_server.store.redis_store import RedisStore
from tests.clients.offline.node import FOLDER, run
from tests.support.comparing import without_time
from tests.support.second_ruleset import SECOND, registered

FOLD = FOLDER / "fold.js"


class Watcher:
    """One caller with two views: one that began with a GET, and one that began with the first event.

    The events of each step, and what the service then shows, are kept for the fold in JavaScript.
    """

    def __init__(self, client, path, token, ruleset=BASE):
        self.client, self.path, self.ruleset = client, path, ruleset
        self.headers = {"Authorization": f"Bearer {token}"} if token else {}
        self.view = self.get()
        self.first = deepcopy(self.view)
        seat, host = self.view["you"]["seat"], "host" in self.view["you"]["roles"]
        color = next((each["color"] for each in self.view["players"] if each["seat"] == seat), None)
        self.caller = {"color": color, "host": host}
        self.from_events = empty_view(ruleset.tiles.by_id, ruleset.id, **self.caller)
        self.from_events["last_event"] = 0
        self.steps, self.seen = [], []

    def get(self, rest="", status=200):
        answer = self.client.get(self.path + rest, headers=self.headers)
        assert answer.status_code == status, answer.text
        return answer.json

    def catch_up(self):
        """Fold the new events, and compare the views with that of the service."""
        events = self.get(f"/events?after={self.from_events['last_event']}")["events"]
        for view in (self.view, self.from_events):
            for event in events:
                if event["id"] > view["last_event"]:
                    fold(view, event)
        self.steps.append(events)
        self.seen.append(without_time(self.get()))
        self.check(self.view, self.from_events, self.seen[-1])

    def check_javascript(self):
        """Fold all steps in JavaScript, and compare the views with those of the service."""
        begun = {"tiles": list(self.ruleset.tiles.by_id), "ruleset": self.ruleset.id, **self.caller}
        recorded = {**begun, "first": self.first, "steps": self.steps}
        folded = run("node", str(FOLD), text=json.dumps(recorded))
        for views, seen in zip(json.loads(folded), self.seen, strict=True):
            self.check(*views, seen)

    def check(self, view, from_events, seen):
        assert without_time(view) == seen
        seat = seen["you"]["seat"]
        own = next((player for player in seen["players"] if player["seat"] == seat), None)
        if own is not None and own["color"] != self.caller["color"]:
            from_events["you"] = seen["you"]  # `begin` needs the colour that the seat has now
        assert without_color(from_events) == seen


def without_color(view):
    """Return a view as the service shows it: the colour of the caller is the client's own note."""
    you = {name: value for name, value in view["you"].items() if name != "color"}
    return without_time(view) | {"you": you}


def client_of(clock):
    """Return a client of a service whose time is the number in `clock`."""
    app = create_app(Settings.from_environment({}), RedisStore(fakeredis.FakeRedis()), clock=lambda: clock[0])
    return app.test_client()


def invited(client, path, host):
    """Return the headers of a player whom the host invites."""
    made = client.post(f"{path}/invitations", headers=host).json["invitation"]
    return {"Authorization": f"Bearer {made['code']}"}


def test_lobby_with_invitations_and_changed_players_is_folded():
    client = client_of([1_000_000.0])
    created = client.post("/v1/games", json={"players": [{"name": "Ann"}, {"name": "Bob"}]}).json
    path = f"/v1/games/{created['game']['id']}"
    watchers = [
        Watcher(client, path, token) for token in (None, *[seat["token"] for seat in created["players"]])
    ]
    host = {"Authorization": f"Bearer {created['host_token']}"}
    codes = [invited(client, path, host) for _ in range(2)]
    client.patch(f"{path}/players/0", json={"name": "Ada", "color": "green"}, headers=watchers[1].headers)
    client.post(f"{path}/players", json={"name": "Eve"}, headers=codes[0])
    for action in ("", "start"):  # an invitation is open before the start
        if action:
            client.post(f"{path}/{action}", headers=host)
        for watcher in watchers:
            watcher.catch_up()
    for watcher in watchers:
        watcher.check_javascript()


def moves(client, path, seat, headers):
    """Return the actions of a seat."""
    return client.get(f"{path}/players/{seat}/actions", headers=headers).json["actions"]


@pytest.mark.parametrize(("players", "open_gold"), [(2, False), (3, True), (4, False), (5, True)])
def test_events_of_a_whole_game_are_folded_for_every_caller(players, open_gold):
    clock = [1_000_000.0]
    client = client_of(clock)
    dice = random.Random(players)
    named = {
        "scoring_tiles": ["sheep", "squares", "most_gold", "most_ships"],
        "first_seat": 1,
        "budget_ms": 600_000,
    }
    options = {"seed": "fold", "open_gold": open_gold, "turn_ms": 60_000} | (named if open_gold else {})
    created = client.post("/v1/games", json={"seat_count": players, "options": options}).json
    path = f"/v1/games/{created['game']['id']}"
    host = {"Authorization": f"Bearer {created['host_token']}"}
    watchers = [Watcher(client, path, None), Watcher(client, path, created["host_token"])]
    tokens = []

    def join(name, headers=()):
        joined = client.post(f"{path}/players", json={"name": name}, headers=dict(headers)).json
        tokens.insert(joined["seat"], joined["token"])
        watchers.append(Watcher(client, path, joined["token"]))
        check()

    def check():
        for watcher in watchers:
            watcher.catch_up()

    join("Ann")
    join("Bob", invited(client, path, host))
    client.delete(f"{path}/players/0", headers=host)
    del tokens[0], watchers[2]
    while len(tokens) < players - 1:
        join(f"Player {len(tokens)}")
    bot = client.post(f"{path}/players", json={"bot": "random"}, headers=host).json
    tokens.insert(bot["seat"], None)
    client.post(f"{path}/start", headers=host)
    check()
    for turn in range(1000):
        view = watchers[0].get()
        if view["status"] != "playing":
            break
        seat = dice.choice(view["waiting_for"])
        if turn == 25:
            clock[0] += 61  # everybody who must act now is late
            check()
            continue
        if turn == 40 and players > 2:
            own = {"Authorization": f"Bearer {tokens[0]}"}
            answer = client.post(f"{path}/players/0/resign", headers=own)
            assert answer.status_code == 200
            watchers = [w for w in watchers if w.headers.get("Authorization") != f"Bearer {tokens[0]}"]
            check()
            continue
        mine = {"Authorization": f"Bearer {tokens[seat]}"}
        action = dice.choice(moves(client, path, seat, mine))
        answer = client.open(action["href"], method=action["method"], json=action["body"], headers=mine)
        assert answer.status_code == 200, answer.text
        check()
    assert watchers[0].view["status"] == "finished"
    assert watchers[0].view["fairness"]["seed"] == "fold"
    for watcher in watchers:
        watcher.check_javascript()


def test_seat_that_a_bot_took_over_and_its_player_took_back_is_folded():
    clock = [1_000_000.0]
    client = client_of(clock)
    body = {"players": [{"name": "Ann"}, {"name": "Bob"}], "auto_start": True}
    body["options"] = {"turn_ms": 60_000, "on_timeout": "bot"}
    created = client.post("/v1/games", json=body).json
    path, tokens = f"/v1/games/{created['game']['id']}", [seat["token"] for seat in created["players"]]
    watchers = [Watcher(client, path, token) for token in (None, *tokens)]
    own = [{"Authorization": f"Bearer {token}"} for token in tokens]
    (offer,) = moves(client, path, 1, own[1])
    client.put(offer["href"], json=offer["body"], headers=own[1])
    clock[0] += 61
    steps = [("late", 0, "took_over"), ("return", 0, "took_over"), ("act", 0, "played")]
    steps.append(("resign", 1, "resigned"))
    for step, seat, end in steps:
        if step in ("return", "resign"):
            assert client.post(f"{path}/players/{seat}/{step}", headers=own[seat]).status_code == 200
        while step == "act" and watchers[1].view["players"][0]["end"]["type"] != end:
            acting = client.get(path).json["waiting_for"][-1]
            action = moves(client, path, acting, own[acting])[0]
            client.open(action["href"], method=action["method"], json=action["body"], headers=own[acting])
            watchers[1].catch_up()
        for watcher in watchers[: 2 if end == "resigned" else 3]:
            watcher.catch_up()
            assert watcher.view["players"][seat]["end"]["type"] == end
            assert (watcher.view["players"][seat]["takeover"] is not None) is (step == "late")
    for watcher in watchers[:2]:
        watcher.check_javascript()


def test_game_from_the_record_of_players_who_left_is_folded():
    client = client_of([1_000_000.0])
    body = {"players": [{"name": "Ann"}, {"name": "Bob"}], "auto_start": True}
    created = client.post("/v1/games", json=body).json
    path = f"/v1/games/{created['game']['id']}"
    for seat, each in enumerate(created["players"]):
        client.post(f"{path}/players/{seat}/resign", headers={"Authorization": f"Bearer {each['token']}"})
    record = client.get(f"{path}/record").json
    for stop in ({}, {"stop_at": {"round": 3, "phase": "buying"}}):
        again = client.post("/v1/games", json={"record": record} | stop).json
        watcher = Watcher(client, f"/v1/games/{again['game']['id']}", again["host_token"])
        watcher.catch_up()
        watcher.check_javascript()


def test_pause_and_the_end_of_a_budget_are_folded_for_every_caller():
    clock = [1_000_000.0]
    client = client_of(clock)
    body = {"players": [{"name": "Ann"}, {"name": "Bob"}], "auto_start": True}
    body["options"] = {"budget_ms": 60_000, "increment_ms": 1000}
    created = client.post("/v1/games", json=body).json
    path, tokens = f"/v1/games/{created['game']['id']}", [seat["token"] for seat in created["players"]]
    watchers = [Watcher(client, path, token) for token in (None, *tokens)]
    own = [{"Authorization": f"Bearer {token}"} for token in tokens]

    def check(**expected):
        for watcher in watchers:
            watcher.catch_up()
            assert {field: watcher.view[field] for field in expected} == expected

    client.post(f"{path}/pause", headers=own[0])
    clock[0] += 7
    client.post(f"{path}/players/1/proposal", json={"accept": True}, headers=own[1])
    check(waiting_for=[], deadline=None, proposal=None)
    assert watchers[0].view["pause"] is not None
    clock[0] += 100
    assert client.post(f"{path}/resume", headers=own[1]).status_code == 200
    check(waiting_for=[0, 1], pause=None)
    (offer,) = moves(client, path, 1, own[1])
    client.put(offer["href"], json=offer["body"], headers=own[1])
    clock[0] += 53
    check(phase="buying")
    assert watchers[0].view["players"][0]["end"]["type"] == "out_of_time"
    for watcher in watchers:
        watcher.check_javascript()


@pytest.mark.parametrize("options", [{"turn_ms": 60_000}, {"budget_ms": 60_000}])
def test_time_added_after_an_outage_is_folded_for_every_caller(options):
    clock = [1_000_000.0]
    client = client_of(clock)
    body = {"players": [{"name": "Ann"}, {"name": "Bob"}], "auto_start": True, "options": options}
    created = client.post("/v1/games", json=body).json
    path, tokens = f"/v1/games/{created['game']['id']}", [seat["token"] for seat in created["players"]]
    watchers = [Watcher(client, path, token) for token in (None, *tokens)]
    own = [{"Authorization": f"Bearer {token}"} for token in tokens]

    def outage(number):
        start_ms = int(1000 * clock[0])
        clock[0] += 300
        known = Outage(number, start_ms, start_ms + 305_000)
        collaborators(client.application).games.signs.uptime = Uptime(start_ms + 300_000, (known,))
        for watcher in watchers:
            watcher.catch_up()
            assert watcher.steps[-1][-1]["added_ms"] == 305_000

    client.post(f"{path}/pause", headers=own[0])
    outage(1)  # with an open proposal
    clock[0] += 5
    client.post(f"{path}/players/1/proposal", json={"accept": True}, headers=own[1])
    outage(2)  # in a pause
    for watcher in watchers:
        watcher.check_javascript()


def test_events_of_a_game_of_another_ruleset_are_folded_for_every_caller():
    client = client_of([1_000_000.0])
    dice = random.Random(1)
    with registered(SECOND):
        body = {"players": [{"name": "Ann"}, {"bot": "random"}], "ruleset": "second"}
        created = client.post("/v1/games", json=body).json
        path = f"/v1/games/{created['game']['id']}"
        token = created["players"][0]["token"]
        callers = (None, created["host_token"], token)
        watchers = [Watcher(client, path, caller, SECOND) for caller in callers]
        own = {"Authorization": f"Bearer {token}"}
        client.post(f"{path}/start", headers={"Authorization": f"Bearer {created['host_token']}"})
        while watchers[0].view["status"] != "finished":
            for watcher in watchers:
                watcher.catch_up()
            for seat in watchers[0].view["waiting_for"]:
                listed = client.get(f"{path}/players/{seat}/actions", headers=own).json["actions"]
                moves = [action for action in listed if action["type"] != "take_back"]
                action = dice.choice(moves)
                client.open(action["href"], method=action["method"], json=action["body"], headers=own)
        assert watchers[0].view["round_count"] == 4
        for watcher in watchers:
            watcher.check_javascript()


def test_fold_into_a_view_with_tiles_of_another_ruleset_raises():
    created = {"type": "game_created", "id": 1, "version": 1, "at": "", "ruleset": "druids"}
    view = empty_view(BASE.tiles.by_id, "base")
    before = deepcopy(view)
    with pytest.raises(UnknownRulesetError, match="ruleset=druids"):
        fold(view, created)
    assert view == before
    script = f"""
import {{ emptyView, fold }} from {json.dumps(str(FOLDER.parents[1] / "src" / "fold.js"))};
try {{ fold(emptyView([], "base"), {json.dumps(created)}); }} catch (error) {{ console.log(`${{error}}`); }}
"""
    told = run("node", "--input-type=module", "-e", script, text="")
    assert "UnknownRulesetError" in told
    assert "ruleset=druids" in told
