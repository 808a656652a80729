"""The host of the Python client plays all games of a player key."""

import random
from functools import partial

import anyio
import pytest

from skye_client import (
    ApiError,
    AsyncGame,
    AsyncOwnGames,
    AsyncSkye,
    ConnectionFailedError,
    RetryPolicy,
    SkyeError,
    async_host,
    host,
    hosting,
)
from tests.support.waiting import waited_for
from tests.system.network import REQUEST, ConnectionBreak, RandomCuts

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
    host(player.key, at_random, url=proxy.url, until_over=True)
    assert statuses(player) == ["finished"] * 3


def test_host_resumes_after_an_outage_longer_than_its_retries(player, proxy, monkeypatch):
    monkeypatch.setattr(hosting, "AsyncSkye", partial(AsyncSkye, retry=RetryPolicy(attempts=1)))
    monkeypatch.setattr(hosting, "backoff", lambda *_: 0.01)
    outage = ConnectionBreak(REQUEST, word=b"/v1/me/games", times=3)

    def decide(turn):
        proxy.fault = outage
        return at_random(turn)

    player.games.create(GAME)
    host(player.key, decide, url=proxy.url, until_over=True)
    assert statuses(player) == ["finished"]
    assert outage.times == 0


def test_host_ends_with_the_error_of_decide(player, live):
    player.games.create(GAME)

    def decide(_turn):
        raise LookupError("no idea")

    with pytest.raises(LookupError, match="no idea"):
        host(player.key, decide, url=live.url)


def test_host_resumes_after_outages_that_decide_meets(player, live, monkeypatch):
    monkeypatch.setattr(hosting, "backoff", lambda *_: 0.01)
    errors = [ConnectionFailedError("cut"), ApiError(503, {}), ApiError(429, {})]

    def decide(turn):
        if errors:
            raise errors.pop()
        return at_random(turn)

    player.games.create(GAME)
    host(player.key, decide, url=live.url, until_over=True)
    assert statuses(player) == ["finished"]


@pytest.mark.parametrize(
    ("change", "code"), [({"body": {}}, "invalid_body"), ({"href": "/v1/nothing"}, "not_found")]
)
def test_host_ends_with_a_request_of_decide_that_the_server_refuses(player, live, change, code):
    player.games.create(GAME)

    def decide(turn):
        return turn.api_seat.act(turn.moves[0] | change)

    with pytest.raises(ApiError, match=code):
        host(player.key, decide, url=live.url)


def test_host_leaves_out_a_game_that_is_deleted_while_it_decides(player, live):
    lobby = player.game(player.games.create(GAME)["game"]["id"])

    def decide(turn):
        lobby.abort()
        lobby.delete()
        return at_random(turn)

    host(player.key, decide, url=live.url, until_over=True)
    assert statuses(player) == []


@pytest.mark.parametrize(
    "end", [lambda lobby: lobby.abort(), lambda lobby: lobby.seat(0).leave()], ids=["aborted", "left"]
)
def test_host_ends_when_the_last_game_ends_after_the_list(player, skye, live, monkeypatch, end):
    created = skye.games.create({"seat_count": 2})
    lobby = skye.game(created["game"]["id"], created["host_token"])
    player.game(lobby.id).join({"name": "Ann"})
    load, ends = AsyncOwnGames.list, [end]

    async def list_before_the_end(games, **options):
        page = await load(games, **options)
        if "limit" not in options and ends:
            ends.pop()(lobby)
        return page

    monkeypatch.setattr(AsyncOwnGames, "list", list_before_the_end)
    host(player.key, at_random, url=live.url, until_over=True)
    assert ends == []


@pytest.mark.parametrize(("price", "code"), [("one", "invalid_body"), (99, "not_enough_gold")])
def test_host_ends_with_an_action_that_the_server_refuses(player, live, price, code):
    player.games.create(GAME)

    def decide(turn):
        (action,) = turn.moves
        first, second, third = action["constraints"]["tiles"]
        return action | {"body": {"discard": first, "prices": {second: price, third: 1}}}

    with pytest.raises(ApiError, match=code):
        host(player.key, decide, url=live.url)


def test_host_ends_when_the_server_does_not_know_a_ruleset(player, live):
    player.games.create(GAME)
    with pytest.raises(SkyeError, match="unknown ruleset 'bsae'"):
        host(player.key, at_random, url=live.url, until_over=True, rulesets=["base", "bsae"])


def test_host_does_not_wait_for_games_of_other_rulesets(player, live):
    player.games.create(GAME)
    host(player.key, at_random, url=live.url, until_over=True, rulesets=[])
    assert statuses(player) == ["playing"]


def test_async_host_plays_and_shows_its_progress(player, live, capsys):
    player.leagues.create([GAME] * 2)

    async def decide(turn):
        await turn.api_seat.territory()
        return at_random(turn)

    anyio.run(lambda: async_host(player.key, decide, url=live.url, until_over=True, progress=True))
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
    host(player.key, at_random, url=live.url, until_over=True)
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


def test_host_leaves_out_a_game_that_the_server_refuses_to_send(player, live, monkeypatch, caplog):
    first, second = (player.games.create(GAME)["game"]["id"] for _ in range(2))
    load = AsyncGame.get

    async def refuse_one(game, **options):
        if game.id == first:
            raise ApiError(500, {"code": "data_corrupt"})
        return await load(game, **options)

    monkeypatch.setattr(AsyncGame, "get", refuse_one)
    host(player.key, at_random, url=live.url, until_over=True)
    assert player.game(second).get()["status"] == "finished"
    assert player.game(first).get()["status"] == "playing"
    assert [first in message for message in caplog.messages] == [True]


def test_host_takes_back_a_seat_that_was_taken_over(player, live):
    created = player.games.create({**GAME, "options": {"turn_ms": 1000}})
    game = player.game(created["game"]["id"])
    waited_for(lambda: game.get()["players"][0]["takeover"] is not None)
    host(player.key, at_random, url=live.url, until_over=True)
    types = [event["type"] for event in game.events()]
    assert types.count("seat_returned") >= 1
    assert game.get()["players"][0]["takeover"] is None
