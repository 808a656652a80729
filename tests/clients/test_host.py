"""The host of the Python client plays all games of a player key."""

import random

import pytest

from skye_client import Skye, async_host, host
from tests.support import coroutines

GAME = {"players": [{"name": "Ann"}, {"bot": "random"}], "auto_start": True}


@pytest.fixture
def player(live):
    with Skye(live.url) as client:
        yield client.player()


def at_random(turn):
    return random.choice(turn.moves)


def statuses(player):
    return [own["game"]["status"] for own in player.games.all()]


def test_host_plays_all_games_through_cut_connections(player, proxy):
    player.leagues.create([GAME] * 5)
    proxy.cut_after = (0, 60_000)
    host(player.key, at_random, url=proxy.url, until_over=True)
    assert statuses(player) == ["finished"] * 5


def test_host_ends_with_the_error_of_decide(player, live):
    player.games.create(GAME)

    def decide(_turn):
        raise LookupError("no idea")

    with pytest.raises(LookupError, match="no idea"):
        host(player.key, decide, url=live.url)


def test_async_host_plays_and_shows_its_progress(player, live, capsys):
    player.leagues.create([GAME] * 2)

    async def decide(turn):
        await turn.seat.territory()
        return at_random(turn)

    coroutines.run(lambda: async_host(player.key, decide, url=live.url, until_over=True, progress=True))
    assert statuses(player) == ["finished"] * 2
    assert "1 games over" in capsys.readouterr().err
