"""Games with `public_from` set to `end`: nothing that a spectator can look at moves with play."""

import json

import pytest

from skye_server.games.authorization import hash_player_key
from skye_server.http.framework import collaborators
from skye_server.store.shards import player_key
from skye_server.webhooks.game_events import cursor_at, report
from tests.support.dispatching import dispatch, games_of
from tests.support.endpoints import ENDPOINTS
from tests.support.playing import NAMES, dice, new_key, problem_code
from tests.support.waiting import waited_for

READS = [each for each in ENDPOINTS if each.of_game and (each.method == "GET" or not each.writes)]
"""All operations that read something of a game."""

TURN_S = 60


def hidden_game(service, host, guest, visibility="public", **options):
    """Return a game of three persons in play, whose host holds no seat; seat 2 is that of a player key."""
    options |= {"public_from": "end", "seed": "skye"}
    invited = [{"invite": True}] * 3
    game = service.begin(host, players=invited, seat_count=3, visibility=visibility, options=options)
    for name, code in zip(NAMES, game.created["invitations"], strict=False):
        token = guest if len(game.tokens) == 2 else None
        body = {"name": name, "invite_code": code["code"]}
        game.tokens.append(game.call("POST", "players", body, token=token).json["token"] or guest)
    assert game.call("POST", "start", token=host).json["status"] == "playing"
    return game


def play_turn(game, chance):
    """Make legal actions until the game waits for other decisions; return whether it goes on."""
    before = view = game.view(0)
    while (view["round"], view["phase"], view["deadline"]) == (
        before["round"],
        before["phase"],
        before["deadline"],
    ):
        game.act_legally(chance.choice(view["waiting_for"]), chance)
        view = game.view(0)
    return view["status"] == "playing"


def pause(game):
    """Propose a pause, agree to it, and end it."""
    game.call("POST", "pause", token=game.tokens[0])
    game.call("POST", "proposal", {"accept": True}, seat=1)
    assert game.call("POST", "resume", token=game.tokens[1]).status_code == 200


def shown(response):
    """Return what a client gets, without the time and the id of the request."""
    body = response.get_data(as_text=True)
    if response.is_json:
        body = {name: value for name, value in response.json.items() if name not in ("now", "instance")}
    headers = {name: response.headers.get(name) for name in ("ETag", "Link", "Location")}
    return response.status_code, headers, json.dumps(body, sort_keys=True)


def looks(game, callers, tags):
    """Return all that callers without a seat can look at."""
    service, found = game.service, {}
    for caller, token in callers.items():
        for endpoint in READS:
            body = {"placements": []} if endpoint.method == "POST" else None
            sent = {"query_string": dict(endpoint.query)}
            answer = service.call(endpoint.method, endpoint.path(game), body, token, **sent)
            found[caller, endpoint.name] = shown(answer)
        for rest in ("events?after=9999", "events?wait_ms=60000", "events/stream?after=40"):
            found[caller, rest] = shown(game.call("GET", rest, token=token))
        past = service.call("GET", f"{game.path()}?at_event=40", token=token)
        known = service.call("GET", game.path(), token=token, headers={"If-None-Match": tags[caller]})
        found |= {(caller, "at_event"): shown(past), (caller, "304"): known.status_code}
    for path in ("/v1/games", "/v1/games?status=playing"):
        found[path] = shown(service.call("GET", path))
    for caller in ("host", "resigned"):
        for path in ("/v1/me", "/v1/me/games", "/v1/me/events"):
            found[caller, path] = shown(service.call("GET", path, token=callers[caller]))
    return found


def webhook_events(game, cursor):
    """Return what a webhook of a game reports after a cursor."""
    games = games_of(game.service)
    current, changes = games.changes_after(game.id, cursor.last_event)
    return report(cursor, current, changes, games.now_ms()).events


def accepted(game, token, path, versions):
    """Return the versions that a precondition of a change may name, and how the change is then refused."""
    codes = {}
    for version in versions:
        headers = {"If-Match": f'"{version}"'}
        body = {"name": "Eve"} if path == "players" else None
        codes[version] = problem_code(game.call("POST", path, body, token=token, headers=headers))
    refused = ("version_mismatch", "game_not_found")
    return {version: code for version, code in codes.items() if code not in refused}


@pytest.mark.parametrize("visibility", ["public", "private"])
def test_nothing_that_spectators_can_look_at_moves_with_play(service, visibility):
    host, guest, chance, wakes = new_key(), new_key(), dice(8), []
    game = hidden_game(service, host, guest, visibility, turn_ms=1000 * TURN_S)
    other = hidden_game(service, host, new_key(), visibility)
    assert game.call("POST", "resign", seat=2).status_code == 200
    callers = {"host": host, "resigned": guest, "stranger": None}
    if visibility == "private":
        callers["stranger"] = game.call("GET", "watch-code", token=host).json["code"]
    tags = {name: game.call("GET", token=token).headers["ETag"] for name, token in callers.items()}
    cursor = cursor_at(games_of(service).stored.read(game.id))

    def probe():
        """Return what preconditions of the host and of a stranger show."""
        versions = range(game.view(0)["version"] + 2)
        return [accepted(game, token, path, versions) for token, path in ((host, "start"), (None, "players"))]

    notifier = collaborators(service.app).change_notifier
    with notifier.calling(player_key(hash_player_key(host), "changes"), lambda: wakes.append(1)):
        assert waited_for(lambda: wakes)  # a new subscription counts as a change
        wakes.clear()
        first, preconditions, number = looks(game, callers, tags), probe(), 0
        while play_turn(game, chance):
            number += 1
            service.clock.advance(0.8 * TURN_S)  # the deadline is near, which a dispatcher reports to seats
            dispatch(service)
            if number % 5 == 1:
                pause(game)
                play_turn(other, chance)
            if number % 8 == 3:
                again = looks(game, callers, tags)
                assert {
                    name: (first[name], again[name]) for name in first if first[name] != again[name]
                } == {}
                assert probe() == preconditions
                assert webhook_events(game, cursor) == []
            last = game.view(0)["version"]
        assert number > 15
        assert waited_for(lambda: wakes)
        assert len(wakes) == 1  # for the end
    assert last - game.created["game"]["version"] > 40
    assert looks(game, callers, tags)["host", "GET /v1/games/<game>"] != first["host", "GET /v1/games/<game>"]


def test_version_that_spectators_see_counts_who_plays_a_hidden_game(service):
    host, guest = new_key(), new_key()
    game = hidden_game(service, host, guest)
    cursor = cursor_at(games_of(service).stored.read(game.id))
    begun, real = game.view(), game.view(0)
    assert (begun["version"], begun["last_event"]) == (real["version"], real["last_event"])
    play_turn(game, dice(1))
    response = game.call("POST", "resign", seat=2)
    view = game.view()
    assert (view["version"], view["last_event"]) == (begun["version"] + 1, begun["last_event"] + 1)
    assert (response.json["version"], response.headers["ETag"]) == (view["version"], f'"{view["version"]}"')
    assert view["players"][2]["bot"] != begun["players"][2]["bot"]
    ((kind, told),) = webhook_events(game, cursor)
    assert (kind, told["reason"], told["id"]) == ("seat_left", "resigned", f"{view['last_event']}-2")
    assert (told["game_version"], told["game_last_event"]) == (view["version"], view["last_event"])
    last = game.view(0)["version"]
    assert last > view["version"] + 3
    refused = game.call("POST", "start", token=host, headers={"If-Match": f'"{last}"'})
    assert refused.json["params"]["version"] == view["version"]
    again = {"Idempotency-Key": "proposed-0123456789abcdefghijk"}
    proposed = [game.call("POST", "abort", token=host, headers=again) for _ in range(2)]
    assert [answer.json["version"] for answer in proposed] == [view["version"]] * 2
    assert game.view(0)["proposal"]["seat"] is None
