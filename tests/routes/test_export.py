"""The export of the records of finished games."""

import gzip
import json

import pytest

from tests.support.playing import Service, code_of, limited

BOTS = [{"bot": "random"}, {"bot": "random"}]


def finished(service, **more):
    """Create a game that bots play to its end; return its id."""
    body = {"players": BOTS, "start": True, **more}
    return service.call("POST", "/v1/games", body).json["game"]["id"]


def exported(service, query=""):
    """Return the lines of an export."""
    answer = service.call("GET", f"/v1/records{query}")
    assert (answer.status_code, answer.mimetype) == (200, "application/x-ndjson"), answer.text
    return [json.loads(line) for line in answer.text.splitlines()]


@pytest.fixture(scope="module")
def league():
    """A service with some finished games, and their ids, the newest first."""
    service = Service()
    ids = []
    for _ in range(25):
        service.clock.advance(1)
        ids.append(finished(service))
    service.table(2)
    finished(service, private=True)
    return service, ids[::-1]


def test_export_has_every_finished_public_game_once(league):
    service, ids = league
    lines = exported(service)
    assert [line["record"]["game"] for line in lines] == ids
    assert lines[0]["record"] == service.get(f"/v1/games/{ids[0]}/record")


def test_export_resumes_after_the_cursor_of_any_line(league):
    service, ids = league
    lines = exported(service)
    for number in (0, 11, 24):
        rest = exported(service, f"?cursor={lines[number]['cursor']}")
        assert [line["record"]["game"] for line in rest] == ids[number + 1 :]


def test_export_ends_at_its_limit(league):
    service, ids = league
    assert [line["record"]["game"] for line in exported(service, "?limit=22")] == ids[:22]


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


@pytest.mark.parametrize("query", ["?limit=0", "?limit=1001", "?cursor=x"])
def test_export_with_an_invalid_parameter_is_refused(league, query):
    service, _ = league
    assert code_of(service.call("GET", f"/v1/records{query}")) == "invalid_parameter"


def test_export_costs_as_much_as_its_limit():
    service = limited(limit_requests_per_minute=100)
    answer = service.call("GET", "/v1/records?limit=400")
    assert answer.headers["RateLimit"].startswith('"requests";r=19')
    assert code_of(service.call("GET", "/v1/records?limit=400")) == "too_many_requests"
