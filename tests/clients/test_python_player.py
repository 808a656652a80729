"""The Python client with player keys: the games, events and tickets of a player."""

from contextlib import closing
from itertools import islice

import anyio
import pytest

from skye_client import ApiError, AsyncSkye, HistoryLostError, RetryPolicy, Skye
from tests.system.network import RandomCuts

PATIENT = RetryPolicy(attempts=100, base_s=0.01, max_s=0.1)
ALONE = {"players": [{"name": "Ann"}, {"bot": "random"}], "auto_start": True}


def numbers(events):
    return [int(event["id"].partition("-")[0]) for event in events]


def test_players_of_matched_tickets_play_over_one_stream(skye):
    criteria = {"seat_count": 2, "options": {"turn_ms": 77_000}}
    ann, bob = skye.player(), skye.player()
    waiting = ann.create_ticket({"name": "Ann", **criteria})
    assert waiting["status"] == "waiting"
    assert ann.tickets() == [waiting]
    matched = bob.create_ticket({"name": "Bob", **criteria})
    assert ann.ticket(waiting["id"])["game_id"] == matched["game_id"]
    with closing(ann.events()) as events:
        taken, turn = islice(events, 2)
        assert (taken["type"], turn["type"]) == ("seat_taken", "your_turn")
        assert turn["game_id"] == matched["game_id"]
        for player, seat in ((ann, turn["seat"]), (bob, matched["seat"])):
            own = player.game(matched["game_id"]).seat(seat)
            own.act(own.actions()[0])
    assert ann.games.list()["games"][0]["game"]["id"] == matched["game_id"]


def test_ticket_can_be_cancelled(skye):
    player = skye.player()
    ticket = player.create_ticket({"name": "Ann", "seat_count": 5})
    assert player.cancel_ticket(ticket["id"])["status"] == "cancelled"


def test_past_games_and_statistics_of_a_player(skye):
    player, ids = skye.player(), []
    for _ in range(3):
        ids.append(player.games.create(ALONE)["game"]["id"])
        seat = player.game(ids[-1]).seat(0)
        seat.act(seat.actions()[0])  # a game without a decision of a person enters no history
        seat.resign()
    first = player.games.list_past(limit=2)
    rest = player.games.list_past(limit=2, cursor=first["next_cursor"])
    assert [game["game_id"] for page in (first, rest) for game in page["games"]] == [
        game["game_id"] for game in player.games.all_past()
    ]
    assert {game["game_id"] for game in player.games.all_past()} == set(ids)
    assert player.statistics()["resigned"] == 3


def test_events_of_a_player_through_a_cutting_proxy_arrive_once(proxy, skye):
    player = skye.player()
    proxy.fault = RandomCuts(0, 3000)
    games = [player.games.create(ALONE)["game"]["id"] for _ in range(20)]
    with Skye(proxy.url, retry=PATIENT) as cut, closing(cut.player(player.key).events()) as events:
        seen = list(islice(events, 2 * len(games)))
    assert numbers(seen) == list(range(1, 41))
    assert [event["game_id"] for event in seen[::2]] == games
    assert proxy.fault.cuts > 0


def test_events_end_when_the_key_is_replaced(skye):
    player = skye.player()
    player.games.create(ALONE)
    old = skye.player(player.key)
    player.replace_key()
    assert len(player.games.list()["games"]) == 1
    with pytest.raises(ApiError) as refused:
        next(old.events())
    assert refused.value.code == "token_unknown"


def test_events_after_one_that_is_unknown_raise_history_lost(skye):
    player = skye.player()
    created = player.games.create(ALONE)
    with pytest.raises(HistoryLostError):
        next(player.events("7-7"))
    page = player.event_page(limit=1)
    assert page["events"][0]["game_id"] == created["game"]["id"]


def test_rematch_seats_the_player_in_the_next_game(skye):
    player = skye.player()
    created = player.games.create(ALONE)
    game = player.game(created["game"]["id"])
    game.abort()
    taken = game.rematch()
    assert taken["game"]["auto_start"] is True
    assert taken["game"]["id"] != game.id


def test_async_player_follows_its_games(live):
    async def main():
        async with AsyncSkye(live.url) as skye:
            player = skye.player()
            events = player.events()
            created = await player.games.create(ALONE)
            seen = [await anext(events) for _ in range(2)]
            await events.aclose()
            assert [event["game_id"] for event in seen] == [created["game"]["id"]] * 2

    anyio.run(main)
