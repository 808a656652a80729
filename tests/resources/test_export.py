"""The export of the records of finished games."""

import gzip
import json

import pytest

from tests.support.playing import PAIR, Service, limited, new_key, problem_code

BOTS = [{"bot": "random"}, {"bot": "random"}]


def finished(service, key=None, **more):
    """Create a game that bots play to its end; return its id."""
    return service.begin(key, players=BOTS, auto_start=True, **more).id


def exported(service, query="", key=None):
    """Return the lines of an export: of the public games, or of those of a player key."""
    path = "/v1/records" if key is None else "/v1/me/games/records"
    answer = service.call("GET", f"{path}{query}", token=key)
    assert (answer.status_code, answer.mimetype) == (200, "application/x-ndjson"), answer.text
    return [json.loads(line) for line in answer.text.splitlines()]


@pytest.fixture(scope="module")
def league():
    """A service with some finished games, and their ids, the last to finish first."""
    service = Service()
    ids = []
    for _ in range(25):
        service.clock.advance(1)
        ids.append(finished(service))
    service.create_game(2)
    finished(service, visibility="private")
    return service, ids[::-1]


@pytest.fixture(scope="module")
def own():
    """A service, a key, and the ids of its 25 finished games, one a second, the last to finish first."""
    service, key, ids = Service(), new_key(), []
    for number in range(25):
        service.clock.advance(1)
        ids.append(finished(service, key, visibility="private" if number % 2 == 0 else "public"))
    return service, key, ids[::-1]


@pytest.fixture(params=["public", "own"])
def listed(request):
    """A service, the key of an export or None, and the ids of 25 games of it, the last to finish first."""
    if request.param == "own":
        return request.getfixturevalue("own")
    service, ids = request.getfixturevalue("league")
    return service, None, ids


def games_of(lines):
    return [line["record"]["game_id"] for line in lines]


def test_export_has_every_finished_game_once(listed):
    service, key, ids = listed
    lines = exported(service, key=key)
    assert games_of(lines) == ids
    assert lines[0]["record"] == service.get(f"/v1/games/{ids[0]}/record", key)


def test_export_resumes_after_the_cursor_of_any_line(listed):
    service, key, ids = listed
    lines = exported(service, key=key)
    for number in (0, 11, 19, 24):
        assert games_of(exported(service, f"?cursor={lines[number]['cursor']}", key)) == ids[number + 1 :]
    assert games_of(exported(service, "?limit=22", key)) == ids[:22]


def test_export_shows_when_each_game_finished(league):
    service, ids = league
    events = service.get(f"/v1/games/{ids[0]}/events?limit=1000")["events"]
    [end] = [event["at"] for event in events if event["type"] == "game_finished"]
    assert exported(service, "?limit=1")[0]["finished_at"] == end


def test_export_is_compressed_for_clients_that_accept_it(league):
    service, _ = league
    plain = service.call("GET", "/v1/records").data
    answer = service.call("GET", "/v1/records", headers={"Accept-Encoding": "gzip"})
    assert answer.headers["Content-Encoding"] == "gzip"
    assert gzip.decompress(answer.data) == plain
    assert len(answer.data) < len(plain) / 3


def test_exported_record_begins_the_same_game(league):
    service, ids = league
    record = exported(service, "?limit=1")[0]["record"]
    again = service.call("POST", "/v1/games", {"record": record}).json["game"]
    assert again["result"] == service.get(f"/v1/games/{ids[0]}")["result"]
    assert len(exported(service)) == 25  # games from a record are not exported


def test_export_of_no_games_is_empty(service):
    assert exported(service) == []


@pytest.mark.parametrize("key", [None, new_key()], ids=["public", "own"])
def test_export_has_the_last_to_finish_first_not_the_last_created(service, key):
    body = {"players": [{"name": "Ann"}, {"bot": "random"}], "auto_start": True}
    slow = service.call("POST", "/v1/games", body, key).json
    service.clock.advance(1)
    quick = finished(service, key)
    service.clock.advance(1)
    seat = f"/v1/games/{slow['game']['id']}/players/0"
    assert service.call("POST", f"{seat}/resign", token=key or slow["players"][0]["token"]).status_code == 200
    lines = exported(service, key=key)
    assert games_of(lines) == [slow["game"]["id"], quick]
    assert lines[0]["finished_at"] > lines[1]["finished_at"]
    assert games_of(exported(service, f"?cursor={lines[0]['cursor']}", key)) == [quick]
    if key is None:
        games = service.get("/v1/games?status=finished")["games"]
        assert [game["id"] for game in games] == games_of(lines)


@pytest.mark.parametrize("key", [None, new_key()], ids=["public", "own"])
def test_export_has_each_of_many_games_that_finished_at_once(service, key):
    ids = {finished(service, key) for _ in range(7)}
    found, cursor = [], ""
    while lines := exported(service, f"?limit=2{cursor}", key):
        found += games_of(lines)
        cursor = f"&cursor={lines[-1]['cursor']}"
    assert (len(found), set(found)) == (7, ids)


def test_public_export_leaves_out_games_with_a_manual_clock(service):
    manual = service.create_game(2, options={"clock": "manual", "turn_ms": 1000})
    service.call("POST", manual.path("clock/advance"), {"advance_ms": 3_600_000}, manual.host)
    for seat in (0, 1):
        service.call("POST", manual.path(f"players/{seat}/resign"), token=manual.tokens[seat])
    service.clock.advance(1)
    game = finished(service)
    assert games_of(exported(service)) == [game]
    games = service.get("/v1/games?status=finished")["games"]
    assert [each["id"] for each in games] == [game, manual.id]  # the clock of a host places no game


@pytest.mark.usefixtures("stopped_clock")
def test_export_costs_as_much_as_its_limit():
    service = limited(limit_requests_per_minute=100)
    answer = service.call("GET", "/v1/records?limit=400")
    assert answer.headers["RateLimit"].startswith('"requests";r=19')
    assert problem_code(service.call("GET", "/v1/records?limit=400")) == "too_many_requests"


def test_own_export_leaves_out_games_of_others_and_games_that_are_not_over(own):
    service, key, _ = own
    other = new_key()
    finished(service)
    service.begin(other, **PAIR)
    service.begin(other, **PAIR).call("POST", "abort", token=other)
    assert exported(service, key=other) == []
    assert len(exported(service, key=key)) == 25


def test_export_between_times_has_the_games_that_finished_then(listed):
    service, key, ids = listed
    times = [line["finished_at"] for line in exported(service, key=key)]
    assert times == sorted(times, reverse=True)
    assert games_of(exported(service, f"?since={times[4]}", key)) == ids[:5]
    assert games_of(exported(service, f"?until={times[4]}", key)) == ids[5:]
    assert games_of(exported(service, f"?since={times[9]}&until={times[4]}", key)) == ids[5:10]
    later = f"?cursor={exported(service, key=key)[6]['cursor']}&since={times[9]}&until={times[4]}"
    assert games_of(exported(service, later, key)) == ids[7:10]


def test_export_takes_times_of_other_time_zones(listed):
    service, key, ids = listed
    assert games_of(exported(service, "?since=1970-01-01T02:00:00%2B02:00", key)) == ids
    assert exported(service, "?since=9999-12-31T23:59:59z", key) == []


def test_own_export_after_replacing_the_key_needs_the_new_key():
    service, key, new = Service(), new_key(), new_key()
    game = finished(service, key)
    service.call("PUT", "/v1/me/key", {"key": new}, key)
    assert problem_code(service.call("GET", "/v1/me/games/records", token=key)) == "token_unknown"
    assert games_of(exported(service, key=new)) == [game]


def test_own_export_has_games_of_positions_with_their_beginning():
    service, key = Service(), new_key()
    position = {"round": 6, "phase": "pricing", "players": [{}, {}]}
    service.call("POST", "/v1/games", {"players": BOTS, "position": position}, key)
    assert exported(service, key=key)[0]["record"]["position"]["round"] == 6
