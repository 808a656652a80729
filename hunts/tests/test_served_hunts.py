"""A bug hunt over HTTP, beside the games of its server; and the keys of a replay whose worker is killed."""

import threading

import httpx
import pytest

from tests.support.waiting import MAX_WAIT_S, waited_for
from tests.system.processes import kill_worker


def test_hunt_over_http_accepts_a_defect_and_refuses_lies(live):
    choices = {"classes": ["contract"], "difficulty": "easy", "count": 1, "seed": "hunt"}
    hunt = live.call("POST", "/v1/lab/hunts", choices)
    path, api = f"/v1/lab/hunts/{hunt['id']}", hunt["api"].removeprefix(live.url)
    played, beside = (live.call("POST", f"{prefix}/v1/games", {})["game"] for prefix in (api, ""))
    assert "last_event" not in live.call("GET", f"{api}/v1/games/{played['id']}")
    assert "last_event" in live.call("GET", f"/v1/games/{beside['id']}")

    def verdict(*evidence):
        report = {"operation": "get_game", "class": "contract", "evidence": evidence}
        return live.call("POST", f"{path}/reports", report)["verdict"]

    begun = {"method": "POST", "path": "/v1/games", "body": "{}"}
    assert verdict(begun, {"path": "/v1/games/{{1/game/id}}"}) == "accepted"
    assert verdict({"path": "/v1/tiles/L01", "status": 500}) == "edited"
    assert verdict({"path": "/v1/tiles/L01"}) == "no_difference"
    score = live.call("GET", f"{path}/score")
    assert (len(score["found"]), score["left"], score["false_reports"]) == (1, [], 2)


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
    assert waited_for(lambda: opens_hunt(server))
    assert not list(redis_client.scan_iter(replayed))
    assert not redis_client.exists("skye-replays")


def opens_hunt(server):
    """Open a hunt; return False if the request met the worker that ends."""
    try:
        return server.call("POST", "/v1/lab/hunts", {})
    except OSError:
        return False


def refused(url, body):
    """Send a request to which there is no response."""
    with pytest.raises(httpx.TransportError):
        httpx.post(url, json=body, timeout=MAX_WAIT_S)
