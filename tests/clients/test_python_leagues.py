"""The Python client and leagues: batches of games, and exports that resume."""

from contextlib import closing
from itertools import islice

import anyio
import pytest

from skye_client import ApiError, AsyncSkye, ConnectionFailedError, RetryPolicy, Skye
from skye_client._sync import leagues as sync_leagues
from tests.support.waiting import MAX_WAIT_S
from tests.system.network import RandomCuts

PATIENT = RetryPolicy(attempts=100, base_s=0.01, max_s=0.1)
BOTS = {"players": [{"bot": "random"}, {"bot": "random"}], "auto_start": True, "visibility": "private"}
PEOPLE = {"players": [{"name": "Ann"}, {"name": "Bob"}]}


@pytest.fixture(scope="module")
def season(live):
    """The key of a player with 25 finished games, and the ids of the games."""
    with Skye(live.url, timeout_s=MAX_WAIT_S) as skye:
        player = skye.player()
        created = player.leagues.create([BOTS] * 25)
        return player.key, {one["game_id"] for one in created}


def games_of(lines):
    return [line["record"]["game_id"] for line in lines]


def test_batch_repeated_under_its_key_returns_the_same_games(skye):
    created = skye.leagues.create([PEOPLE, BOTS], idempotency_key="season-1-0123456789abcdefghijk")
    assert [len(one["players"]) for one in created] == [2, 2]
    assert skye.leagues.create([PEOPLE, BOTS], idempotency_key="season-1-0123456789abcdefghijk") == created


def test_batch_whose_response_is_lost_creates_its_games_once(url):
    with Skye(url) as skye:
        player = skye.player()
        created = player.leagues.create([PEOPLE] * 5, fault="drop")
        listed = {own["game"]["id"] for own in player.games.list()["games"]}
    assert listed == {one["game_id"] for one in created}
    assert len(listed) == 5


def test_batch_with_a_bad_game_raises_with_the_place_of_the_game(skye):
    with pytest.raises(ApiError) as refused:
        skye.leagues.create([PEOPLE, {"players": [{"bot": "nobody"}]}])
    assert refused.value.errors[0]["pointer"].startswith("/games/1")


def test_export_has_each_game_of_the_player_once(skye, season):
    key, games = season
    lines = list(skye.player(key).leagues.records())
    assert len(lines) == 25
    assert set(games_of(lines)) == games


def test_export_retries_until_it_is_complete(skye, season, monkeypatch):
    key, games = season
    for page in (1, 5, 24):
        monkeypatch.setattr(sync_leagues, "PAGE", page)
        found = games_of(skye.player(key).leagues.records())
        assert len(found) == 25
        assert set(found) == games


def test_export_through_a_cutting_proxy_has_each_game_once(proxy, season):
    key, games = season
    proxy.fault = RandomCuts(500, 6000)
    with Skye(proxy.url, retry=PATIENT) as cut:
        found = games_of(cut.player(key).leagues.records())
    assert len(found) == 25
    assert set(found) == games
    assert proxy.fault.cuts > 0


def test_export_resumes_with_the_cursor_of_a_line(skye, season):
    key, games = season
    leagues = skye.player(key).leagues
    with closing(leagues.records()) as records:
        first = list(islice(records, 10))
    rest = leagues.records(cursor=first[-1]["cursor"])
    assert {*games_of(first), *games_of(rest)} == games


def test_export_since_a_time_has_what_finished_then_or_later(skye, season):
    key, _ = season
    leagues = skye.player(key).leagues
    times = [line["finished_at"] for line in leagues.records()]
    later = [line["finished_at"] for line in leagues.records(since=times[7])]
    assert later == [time for time in times if time >= times[7]]
    earlier = [line["finished_at"] for line in leagues.records(until=times[7])]
    assert earlier == [time for time in times if time < times[7]]


@pytest.mark.parametrize("fault", ["drop", "status=503", "bytes_per_s=1000"])
def test_export_recovers_from_a_fault(url, fault):
    with Skye(url, timeout_s=MAX_WAIT_S) as skye, Skye(url, timeout_s=1, retry=PATIENT) as hurried:
        player = skye.player()
        created = player.leagues.create([BOTS] * 2)
        found = games_of(hurried.player(player.key).leagues.records(fault=fault))
    assert sorted(found) == sorted(one["game_id"] for one in created)


def test_public_export_leaves_out_private_games(skye, season):
    _, games = season
    public = skye.games.create(BOTS | {"visibility": "public"})["game"]["id"]
    lines = list(skye.leagues.records())
    assert public in games_of(lines)
    assert not games & set(games_of(lines))
    assert public not in games_of(skye.leagues.records(until=lines[-1]["finished_at"]))


def test_export_that_is_refused_or_unreachable_ends(skye):
    with pytest.raises(ApiError) as refused:
        next(skye.leagues.records(since="2027-01-15"))
    assert refused.value.code == "invalid_parameter"
    nowhere = Skye("http://127.0.0.1:9", retry=RetryPolicy(attempts=2, base_s=0.01))
    with nowhere, pytest.raises(ConnectionFailedError):
        next(nowhere.leagues.records())


def test_async_export_through_a_cutting_proxy_has_each_game_once(proxy, season):
    key, games = season
    proxy.fault = RandomCuts(500, 6000)

    async def main():
        async with AsyncSkye(proxy.url, retry=PATIENT) as skye:
            created = await skye.player().leagues.create([PEOPLE] * 2)
            assert len(created) == 2
            return games_of([line async for line in skye.player(key).leagues.records()])

    found = anyio.run(main)
    assert len(found) == 25
    assert set(found) == games
    assert proxy.fault.cuts > 0
