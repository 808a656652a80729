"""Which tickets play together, also when a player tries to hold up the others, or to play too often."""

import pytest

from skye_server.ladder.pairing import LOOK_MS, MAX_GAVE_UP, MAX_MEETINGS
from skye_server.ladder.ratings import Rating
from skye_server.ladder.results import LadderResults, ratings
from skye_server.matchmaking import tickets
from skye_server.store.shards import key_of
from tests.ladder.support import begin_rated, new_player, seek_rated
from tests.support.dispatching import dispatch, games_of
from tests.support.playing import Service
from tests.support.threads import at_once

CROWD, PAGE_SIZE = 12, 4
LEAVER = Rating(last=(True,) * MAX_GAVE_UP)


@pytest.fixture
def crowd(service, monkeypatch):
    """Let players of one network wait who have given up their last games: nobody meets them soon."""
    monkeypatch.setattr(tickets, "_PAGE_SIZE", PAGE_SIZE)
    for number in range(CROWD):
        key = new_player(service, f"leaver-{number}")
        player = games_of(service).identities.require_player(key)
        service.redis.hset(key_of("ladder.live_2", "ratings"), player, ratings.encode(LEAVER))
        assert seek_rated(service, key, "127.0.9.9", ttl_ms=600_000).json["status"] == "waiting"


@pytest.mark.usefixtures("crowd")
def test_crowd_that_waits_does_not_hold_up_the_pool(service):
    found = {}
    for number, name in enumerate(("ann", "bob")):
        service.clock.advance(1)
        key = new_player(service, name)
        found[key] = seek_rated(service, key, f"127.0.0.{number}", ttl_ms=600_000).json["id"]
    for _ in range(CROWD // PAGE_SIZE + 1):
        service.clock.advance(LOOK_MS / 1000)
        dispatch(service)
    for key, ticket in found.items():
        assert service.get(f"/v1/matchmaking/tickets/{ticket}", key)["status"] == "matched"


@pytest.mark.usefixtures("crowd")
def test_look_reads_a_page_however_many_tickets_wait(service, monkeypatch):
    read = []
    original = LadderResults.ratings

    def counted(results, players, *kind):
        read.append(len(players))
        return original(results, players, *kind)

    monkeypatch.setattr(LadderResults, "ratings", counted)
    service.clock.advance(LOOK_MS / 1000)
    dispatch(service)
    assert len(read) == CROWD
    assert max(read) <= PAGE_SIZE + 1


def test_two_processes_do_not_begin_one_game_too_many(service, monkeypatch):
    """The count that a process has read may be older than the game that another has begun."""
    pair = [new_player(service, name) for name in ("ann", "bob")]
    monkeypatch.setattr(LadderResults, "meetings", lambda _results, pairs, _day: [0] * len(pairs))
    for _ in range(MAX_MEETINGS):
        begin_rated(service, *pair)
        service.clock.advance(11)  # a ticket repeats one that was just matched
    for number, key in enumerate(pair):
        ticket = seek_rated(service, key, f"127.0.0.{number}").json
    assert ticket["status"] == "waiting"


def test_games_that_begin_at_once_are_counted_one_by_one(any_redis):
    results = LadderResults(games_of(Service(any_redis)).store.calls, "live_4")
    tables = [[f"ticket-{number}", f"other-{number}"] for number in range(3 * MAX_MEETINGS)]
    begun = at_once(lambda table: results.meet(["ann", "bob", "cy"], table, 1, MAX_MEETINGS), tables)
    assert sum(begun) == MAX_MEETINGS
    again = [results.meet(["ann", "bob", "cy"], table, 1, MAX_MEETINGS) for table in tables]
    assert again == begun
    assert results.meetings([("ann", "bob"), ("bob", "cy"), ("cy", "ann")], 1) == [MAX_MEETINGS] * 3
