"""Two hundred bug hunts at once on one server: its games respond like those of a server without hunts."""

import contextlib
import json
import re
import threading
from concurrent.futures import ThreadPoolExecutor
from itertools import chain

import httpx
import pytest

from skye_server.contract.enums.hunts import DEFECT_CLASSES
from tests.support.launcher import launching
from tests.support.waiting import MAX_WAIT_S, waited_for
from tests.system.processes import kill_worker
from tests.system.wire import anonymous_key

pytestmark = pytest.mark.slow

HUNTS = 200
VARYING = re.compile(rb"skye_(?:[a-z]+_)?[A-Za-z0-9_-]{22}|(?<![A-Za-z0-9])[0-9a-f]{16,64}(?![A-Za-z0-9])")
"""Tokens, nonces and ids of requests; those of games derive from the idempotency keys."""

TIME = re.compile(rb"\d{4}-\d\d-\d\dT[\d:.]+Z")

SHOWN = ("etag", "vary", "cache-control", "content-type", "location", "link", "content-length")


def answers_of_a_game(http, seed):
    """Play a round of a game with a seed and keys; return all responses, with what varies in order."""
    numbers, found = {}, []

    def settled(data):
        data = TIME.sub(b"TIME", data)
        return VARYING.sub(lambda each: b"<%d>" % numbers.setdefault(each[0], len(numbers)), data)

    def send(method, path, body=None, token=None):
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        if method != "GET":
            headers["Idempotency-Key"] = anonymous_key(f"{seed}-{len(found)}")
        answer = http.request(method, path, json=body, headers=headers)
        shown = {name: answer.headers.get(name, "") for name in SHOWN}
        found.append(
            (method, answer.status_code, settled(json.dumps(shown).encode()), settled(answer.content))
        )
        return answer

    body = {"players": [{"name": "Ann"}, {"name": "Bob"}], "auto_start": True, "options": {"seed": seed}}
    created = send("POST", "/v1/games", body).json()
    path, tokens = f"/v1/games/{created['game']['id']}", [each["token"] for each in created["players"]]
    while (view := send("GET", path).json())["round"] == 1:
        seat = view["waiting_for"][0]
        action = send("GET", f"{path}/players/{seat}/actions", token=tokens[seat]).json()["actions"][0]
        send(action["method"], action["href"], action["body"], tokens[seat])
    for rest in (
        "/events",
        "/record",
        "/scores",
        "/rounds/1",
        "/players",
        "/position",
        "/none",
        "/players/9",
    ):
        send("GET", path + rest, token=tokens[0])
    send("POST", "/v1/games", {"name": ""})
    return found


def hunt_and_report(http, number):
    """Open a hunt, play in it, and send reports that lie; return the verdicts."""
    hunt = http.post("/v1/lab/hunts", json={"count": 8, "seed": str(number), "name": f"Hunt {number}"}).json()
    path, api = f"/v1/lab/hunts/{hunt['id']}", hunt["api"]
    created = http.post(f"{api}/v1/games", json={"scenario": "first_round"})
    assert created.status_code == 201, created.text
    listed = http.get(f"{api}/v1/games?origin=scenario").json()["games"]
    assert [each["id"] for each in listed] == [created.json()["game"]["id"]]

    def verdict(evidence):
        report = {"operation": "get_game", "class": number_class(number), "evidence": evidence}
        return http.post(f"{path}/reports", json=report).json().get("verdict")

    return {
        verdict([{"path": f"/v1/lab/hunts/{'x' * 12}/api/v1/games"}]),
        verdict([{"path": "/v1/tiles/L01", "status": 500}]),
        verdict([{"path": path, "method": "POST", "body": "{}"}]),
        verdict([{"path": "/v1/games/none/events?wait_ms=30000"}]),
        verdict([{"path": "/v1/tiles/L01"}]),
    }


def number_class(number):
    return list(DEFECT_CLASSES)[number % len(DEFECT_CLASSES)]


def settled_games(url, seeds):
    with httpx.Client(base_url=url, timeout=4 * MAX_WAIT_S) as http:
        return [answers_of_a_game(http, seed) for seed in seeds]


def test_two_hundred_hunts_do_not_touch_the_games_of_the_server(tmp_path):
    seeds = [f"game-{number}" for number in range(6)]
    (tmp_path / "other").mkdir()
    with launching(tmp_path) as start, launching(tmp_path / "other") as start_other:
        server, other = start(SKYE_LAB="on", SKYE_WORKERS="2"), start_other(SKYE_LAB="off", SKYE_WORKERS="2")
        without_hunts = settled_games(other.url, seeds)
        beside = []
        with (
            httpx.Client(base_url=server.url, timeout=8 * MAX_WAIT_S) as http,
            ThreadPoolExecutor(8) as pool,
        ):
            hunts = [pool.submit(hunt_and_report, http, number) for number in range(HUNTS)]
            games = threading.Thread(target=lambda: beside.extend(settled_games(server.url, seeds)))
            games.start()
            lies = {"other_hunt", "edited", "invalid_evidence", "no_difference"}
            assert all(each.result() == lies for each in hunts)
            games.join()
        with contextlib.suppress(
            httpx.TransportError
        ):  # the server closes the connection before it has read all
            big = httpx.post(f"{server.url}/v1/lab/hunts/none/reports", content=b" " * 10_000_000)
            assert big.status_code == 413
        assert httpx.get(f"{server.url}/healthz").status_code == 200
    pairs = zip(chain(*without_hunts), chain(*beside), strict=True)
    different = [pair for pair in pairs if pair[0] != pair[1]]
    assert different == []


def test_replay_of_a_killed_worker_leaves_no_keys(redis_server, redis_client, launch):
    server = launch(SKYE_LAB="on", SKYE_REDIS_URL=redis_server.url)
    hunt = server.call("POST", "/v1/lab/hunts", {"count": 100})
    games = [{"method": "POST", "path": "/v1/games", "body": "{}"}] * 100
    report = {"operation": "create_game", "class": "contract", "evidence": games}
    reports = f"{server.url}/v1/lab/hunts/{hunt['id']}/reports"
    sending = threading.Thread(target=refused, args=(reports, report))
    sending.start()
    replayed = "skye-replay:*"
    assert waited_for(lambda: next(redis_client.scan_iter(replayed), None))
    kill_worker(server)
    sending.join(MAX_WAIT_S)
    assert list(redis_client.scan_iter(replayed))
    (prefix,) = redis_client.zrange("skye-replays", 0, -1)
    redis_client.zadd("skye-replays", {prefix: 1})  # it should have ended long ago
    server.call("POST", "/v1/lab/hunts", {})
    assert not list(redis_client.scan_iter(replayed))
    assert not redis_client.exists("skye-replays")


def refused(url, body):
    """Send a request to which there is no response."""
    with pytest.raises(httpx.TransportError):
        httpx.post(url, json=body, timeout=MAX_WAIT_S)
