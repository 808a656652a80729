"""The Python client against a live server whose connections are cut."""

import random
import threading
from concurrent.futures import ThreadPoolExecutor

import anyio
import httpx
import pytest

from skye_client import (
    ApiError,
    AsyncGameView,
    AsyncSkye,
    ConnectionFailedError,
    GameView,
    RetryPolicy,
    Seat,
    Skye,
)
from tests.support.comparing import without_time
from tests.support.ports import free_port
from tests.support.waiting import MAX_RUN_S, waited_for
from tests.system.network import Blackhole, NoFault, RandomCuts

PATIENT = RetryPolicy(attempts=100, base_s=0.01, max_s=0.1)
BOTH = {"players": [{"name": "Ann"}, {"name": "Bob"}], "auto_start": True}


def play(skye, created, seat, dice):
    game = skye.game(created["game"]["id"], created["players"][seat]["token"])
    view = GameView.open(game)
    while view.until_my_turn():
        actions = [action for action in game.seat(seat).actions() if action["type"] != "take_back"]
        if actions:
            game.seat(seat).act(dice.choice(actions))
        view.reload()
    return view


def test_game_against_a_bot_is_played_to_its_end(skye):
    created = skye.games.create({"players": [{"name": "Ann"}, {"bot": "greedy"}], "auto_start": True})
    view = play(skye, created, 0, random.Random(1))
    assert view.data["status"] == "finished"


def test_async_game_against_a_bot_is_played_to_its_end(live):
    async def main():
        async with AsyncSkye(live.url) as skye:
            created = await skye.games.create(
                {"players": [{"name": "Ann"}, {"bot": "random"}], "auto_start": True}
            )
            game = skye.game(created["game"]["id"], created["players"][0]["token"])
            view = await AsyncGameView.open(game)
            dice = random.Random(2)
            while await view.until_my_turn():
                actions = [each for each in await game.seat(0).actions() if each["type"] != "take_back"]
                await game.seat(0).act(dice.choice(actions))
                await view.reload()
            return view.data["status"], [event["id"] async for event in game.events()]

    status, ids = anyio.run(main)
    assert status == "finished"
    assert ids == list(range(1, len(ids) + 1))


def test_view_takes_back_a_seat_that_was_taken_over(skye):
    options = {"turn_ms": 60_000, "clock": "manual"}
    body = {"players": [{"name": "Ann"}, {"bot": "random"}], "auto_start": True, "options": options}
    created = skye.games.create(body)
    host = skye.game(created["game"]["id"], created["host_token"])
    assert host.advance_clock(60_000)["players"][0]["takeover"] is not None
    view = GameView.open(skye.game(host.id, created["players"][0]["token"]))
    assert view.until_my_turn()
    assert view.my_turn
    assert view.data["players"][0]["takeover"] is None


def test_view_that_acts_needs_one_request_for_each_further_decision(skye):
    created = skye.games.create({"scenario": "buying_last_seat"})
    number = created["game"]["waiting_for"][0]
    view = GameView.open(skye.seats(created)[number].game)
    view.act(next(action for action in view.actions() if action["type"] == "pass"))
    assert view.my_turn
    assert view.data["actions"] == view.actions() == view.seat.actions()
    assert view.data["phase"] == "building"
    view.act(view.actions()[0])
    assert without_time(view.data) == without_time(view.game.get(include=["actions"]))


def test_view_that_acts_while_it_follows_stays_current(skye):
    created = skye.games.create({"players": [{"name": "Ann"}, {"bot": "random"}], "auto_start": True})
    view = GameView.open(skye.seats(created)[0].game)
    ids, moves = [view.data["last_event"]], random.Random(3)
    view.seat.act(view.actions()[0])
    for event in view.follow():
        ids.append(event["id"])
        assert view.data["last_event"] >= event["id"]
        if view.my_turn:
            view.act(moves.choice([action for action in view.actions() if action["type"] != "take_back"]))
    assert ids == list(range(ids[0], ids[-1] + 1))
    view.data.pop("actions", None)
    assert without_time(view.data) == without_time(view.game.get())


@pytest.fixture
def rivals(skye):
    """The view of a seat that has acted, its action, and a function that lets the rival act."""
    mine, rival = skye.seats(skye.games.create(BOTH))
    view = GameView.open(mine.game)
    (action,) = view.actions()
    view.act(action, idempotency_key="first-act-of-ann")
    return view, action, lambda: rival.act(rival.actions()[0])


def test_view_that_repeats_an_action_stays_current(rivals):
    view, action, let_rival_act = rivals
    let_rival_act()
    view.reload()
    view.act(action, idempotency_key="first-act-of-ann")
    assert without_time(view.data) == without_time(view.game.get(include=["actions"]))


def test_view_that_follows_before_the_response_of_act_needs_no_get(skye, monkeypatch):
    mine, rival = skye.seats(skye.games.create(BOTH))
    view = GameView.open(mine.game)
    (action,), act, events = view.actions(), Seat.act, view.follow()
    later = None

    def act_before_events(seat, action, **options):
        nonlocal later
        accepted = act(seat, action, **options)
        act(rival, rival.actions()[0])
        later = accepted["last_event"] + 1
        while view.data["last_event"] < later:
            next(events)
        return accepted

    monkeypatch.setattr(Seat, "act", act_before_events)
    monkeypatch.setattr(view.game, "get", None)
    view.act(action)
    assert view.data["last_event"] == later
    events.close()


@pytest.mark.parametrize("load", [GameView.reload, GameView.actions])
def test_view_that_loads_while_it_follows_stays_current(rivals, load, monkeypatch):
    view, _, let_rival_act = rivals
    view.data.pop("actions", None)
    get, events = view.game.get, view.follow()

    def get_before_an_event(**options):
        loaded = get(**options)
        let_rival_act()
        next(events)
        return loaded

    monkeypatch.setattr(view.game, "get", get_before_an_event)
    before = view.data["last_event"]
    load(view)
    assert view.data["last_event"] == before + 1
    events.close()


def test_seat_changes_renews_its_token_and_leaves(skye):
    lobby = skye.games.create({"players": [{"name": "Ann"}]})
    seat = skye.seat(skye.game(lobby["game"]["id"]).join({"name": "Bob"}))
    assert seat.change({"name": "Bea"})["players"][1]["name"] == "Bea"
    old = seat.game.token
    seat.rotate_token()
    assert seat.game.token != old
    assert len(seat.leave()["players"]) == 1


def test_picture_of_a_territory_is_svg(skye):
    seat = skye.seats(skye.games.create(BOTH))[0]
    assert seat.territory_svg(coordinates=True).startswith("<svg")


def test_all_games_are_listed_page_by_page(skye):
    player = skye.player()
    created = {game["game_id"] for game in player.leagues.create([BOTH] * 55)}
    with player.games.all() as games:
        assert {own["game"]["id"] for own in games} == created
    with skye.games.all(status="playing") as games:
        assert {game["id"] for game in games} >= created


def test_writes_through_a_cutting_proxy_count_once(live, proxy):
    """The client retries after a cut response with the same key; the log has each action once."""
    proxy.fault = RandomCuts(50, 30_000)
    with Skye(proxy.url, retry=PATIENT) as cut, Skye(live.url) as direct:
        created = cut.games.create(BOTH)
        with ThreadPoolExecutor() as pool:
            games = [pool.submit(play, cut, created, seat, random.Random(seat)) for seat in (0, 1)]
            for game in games:
                game.result(MAX_RUN_S)
        final = direct.game(created["game"]["id"]).get()
    assert final["status"] == "finished"
    assert proxy.fault.cuts > 5


def test_events_through_a_cutting_proxy_arrive_once_in_order(proxy, skye):
    created = skye.games.create(BOTH)
    game_id = created["game"]["id"]
    proxy.fault = RandomCuts(0, 3000)

    def follow():
        with Skye(proxy.url, retry=PATIENT) as cut:
            return list(cut.game(game_id).events())

    with ThreadPoolExecutor() as pool:
        watcher = pool.submit(follow)
        players = [pool.submit(play, skye, created, seat, random.Random(seat)) for seat in (0, 1)]
        for player in players:
            player.result(MAX_RUN_S)
        seen = watcher.result(MAX_RUN_S)
    complete = skye.game(game_id).event_page(limit=1000)["events"]
    assert [event["id"] for event in seen] == [event["id"] for event in complete]
    assert proxy.fault.cuts > 0


def forward_once_replaced(proxy, connections):
    """Let a silent proxy forward again when it has had more connections than so many."""
    assert waited_for(lambda: proxy.connections > connections)
    proxy.fault = NoFault()


def test_half_open_stream_is_replaced(proxy, skye):
    created = skye.games.create(BOTH)
    game = skye.game(created["game"]["id"], created["players"][0]["token"])
    with Skye(proxy.url) as held:
        events = held.game(game.id).events(silence_s=0.5)
        first = next(events)
        for _ in range(created["game"]["last_event"] - 1):
            next(events)
        proxy.fault = Blackhole()  # what is open stays open, and no byte arrives
        offer = next(action for action in game.seat(0).actions() if action["type"] == "set_offer")
        connections = proxy.connections
        game.seat(0).act(offer)
        replaced = threading.Thread(target=forward_once_replaced, args=(proxy, connections))
        replaced.start()
        event = next(events)
        events.close()
        replaced.join()
    assert first["type"] == "game_created"
    assert event["type"] == "offer_set"
    assert proxy.connections > connections


def test_server_that_does_not_answer_raises_connection_failed():
    with (
        Skye(f"http://127.0.0.1:{free_port()}", retry=RetryPolicy(attempts=2, base_s=0.01)) as skye,
        pytest.raises(ConnectionFailedError),
    ):
        skye.games.list()


def test_refused_request_raises_api_error_with_its_code(skye):
    with pytest.raises(ApiError) as refused:
        skye.game("nosuchgame22").get()
    assert (refused.value.status, refused.value.code) == (404, "game_not_found")
    assert refused.value.request_id


def test_places_are_those_of_the_legal_placements(skye):
    created = skye.games.create({"scenario": "building_last_seat"})
    (number,) = created["game"]["waiting_for"]
    seat = skye.game(created["game"]["id"], created["players"][number]["token"]).seat(number)
    legal = [action["body"] for action in seat.actions() if action["type"] == "place"]
    found = seat.places(sorted({body["tile"] for body in legal}))
    keys = ("tile", "x", "y", "rotation")
    assert {tuple(body[key] for key in keys) for body in legal} == {
        tuple(place[key] for key in keys) for place in found["places"]
    }


def test_own_idempotency_key_returns_the_same_game(skye):
    first, second = (skye.games.create(BOTH, idempotency_key="the-same-key-of-a-test") for _ in range(2))
    assert first["game"]["id"] == second["game"]["id"]
    assert first["host_token"] == second["host_token"]


def test_query_within_a_path_is_sent(skye):
    created = skye.games.create(BOTH)
    page = skye.game(created["game"]["id"]).request("GET", "/events?after=2&limit=1")
    assert [event["id"] for event in page["events"]] == [3]


def test_heartbeat_between_events_keeps_the_stream():
    messages = [
        'event: stream\ndata: {"last_event": 3, "after": 0}',
        *(f'id: {number}\ndata: {{"id": {number}}}\n\n: heartbeat' for number in (1, 2, 3)),
        'event: end\ndata: {"reason": "finished", "resume": "stop", "last_event": 3}',
    ]
    opened = []

    def answer(request):
        opened.append(request)
        headers = {"Content-Type": "text/event-stream"}
        return httpx.Response(200, headers=headers, text="".join(f"{each}\n\n" for each in messages))

    with httpx.Client(transport=httpx.MockTransport(answer)) as http:
        seen = [event["id"] for event in Skye("http://test", http=http).game("g").events()]
    assert seen == [1, 2, 3]
    assert len(opened) == 1


@pytest.mark.parametrize("fault", ["drop", "status=503"])
def test_fault_is_sent_with_the_first_attempt_only(url, fault):
    with Skye(url) as skye:
        created = skye.games.create(BOTH, fault=fault)
        game = skye.game(created["game"]["id"], created["host_token"])
        assert game.request("GET", fault=fault)["id"] == game.id
