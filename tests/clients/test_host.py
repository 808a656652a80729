"""The host of the Python client plays all games of a player key."""

import random

import pytest

from skye_client import async_host, host
from tests.support import coroutines
from tests.system.network import RandomCuts

GAME = {"players": [{"name": "Ann"}, {"bot": "random"}], "auto_start": True}


@pytest.fixture
def player(skye):
    return skye.player()


def at_random(turn):
    return random.choice(turn.moves)


def statuses(player):
    return [own["game"]["status"] for own in player.games.all()]


def test_host_plays_all_games_through_cut_connections(player, proxy):
    player.leagues.create([GAME] * 3)
    proxy.fault = RandomCuts(0, 60_000)
    coroutines.in_thread(host, player.key, at_random, url=proxy.url, until_over=True)
    assert statuses(player) == ["finished"] * 3


def test_host_ends_with_the_error_of_decide(player, live):
    player.games.create(GAME)

    def decide(_turn):
        raise LookupError("no idea")

    with pytest.raises(LookupError, match="no idea"):
        coroutines.in_thread(host, player.key, decide, url=live.url)


def test_async_host_plays_and_shows_its_progress(player, live, capsys):
    player.leagues.create([GAME] * 2)

    async def decide(turn):
        await turn.seat.territory()
        return at_random(turn)

    coroutines.run(lambda: async_host(player.key, decide, url=live.url, until_over=True, progress=True))
    assert statuses(player) == ["finished"] * 2
    assert "1 games over" in capsys.readouterr().err


@pytest.fixture
def renumbered(player, skye):
    """Return a game in which the player's seat was 2 until the start closed a gap of the lobby."""
    created = skye.games.create({"players": [{"bot": "random"}] * 2, "seat_count": 3})
    game = skye.game(created["game"]["id"], created["host_token"])
    assert player.game(game.id).join({"name": "Ann"})["seat"] == 2
    game.seat(1).leave()
    game.start()
    return player.game(game.id)


def test_host_acts_for_a_seat_that_the_start_has_renumbered(player, renumbered, live):
    coroutines.in_thread(host, player.key, at_random, url=live.url, until_over=True)
    assert renumbered.get()["status"] == "finished"


def test_events_of_a_player_name_the_seat_that_the_start_has_renumbered(player, renumbered):
    seats = []
    for event in player.events():
        if event["type"] == "seat_taken":
            seats.append(event["seat"])
        elif event["type"] == "your_turn":
            seat = renumbered.seat(event["seat"])
            while moves := [move for move in seat.actions() if move["type"] != "take_back"]:
                seat.act(random.choice(moves))
        elif event["type"] == "game_over":
            break
    assert seats == [2, 1]
    assert renumbered.get()["status"] == "finished"
