"""The events of a player: one list and one stream over all games of a key, without gaps."""

import json
import re
import threading

import pytest

from skye_server.error_codes import Problem
from skye_server.following.player_stream import PlayerStream
from skye_server.games.authorization import hash_player_key
from skye_server.games.due import RELAY_MS
from skye_server.relay.relay import Relay, connected
from skye_server.store.redis_store import RedisStore
from skye_server.store.shards import key_of, player_key
from tests.support.dispatching import dispatch, games_of, put_back, rebuild_all, saved
from tests.support.playing import Service, dice, new_key, problem_code
from tests.support.threads import at_once, running
from tests.support.waiting import MAX_WAIT_S


def opponents(service, key, **options):
    """Return a game of a key, which buys first, against Bob; the key is the token of seat 0."""
    return service.create_game(2, key=key, options={"first_seat": 0, **options})


def events(service, key, query=""):
    return service.get(f"/v1/me/events{query}", key)["events"]


def types(service, key, query=""):
    return [event["type"] for event in events(service, key, query)]


def expected(service, game):
    """Return the events that a player in seat 0 must receive, derived from all events of the game."""
    found, turn = ["seat_taken"], None
    for event in service.get(f"{game.path()}/events?limit=1000", game.tokens[1])["events"]:
        if event["type"] != "turn_changed":
            continue
        reached = (event["phase"], event["deadline"]) if 0 in event["waiting_for"] else None
        found += [event["id"]] if reached not in (None, turn) else []
        turn = reached
    return [*found, "game_over"]


def received(service, key, game):
    """Return the events of a game that a player received, turns with the number of their event."""
    own = [event for event in events(service, key) if event["game_id"] == game.id]
    return [event["game_last_event"] if event["type"] == "your_turn" else event["type"] for event in own]


def test_player_takes_a_seat_then_has_turns_until_the_game_is_over(service):
    key = new_key()
    game = opponents(service, key)
    assert types(service, key) == ["seat_taken", "your_turn"]
    game.act_legally(0)
    game.act_legally(1)
    assert types(service, key) == ["seat_taken", "your_turn", "your_turn"]
    turn = events(service, key)[-1]
    assert (turn["game_id"], turn["seat"], turn["phase"], turn["deadline"]) == (game.id, 0, "buying", None)
    assert turn["game_version"] == game.view()["version"]
    game.abort()
    assert events(service, key)[-1]["type"] == "game_over"
    assert events(service, key)[-1]["status"] == "aborted"


def test_seat_that_the_start_of_a_game_renumbers_is_reported_again(service):
    key, game = new_key(), service.create_game(2, seat_count=3, start=False)
    assert service.call("POST", game.path("players"), {"name": "Key"}, key).json["seat"] == 2
    game.call("DELETE", "players/0", token=game.host)
    game.call("POST", "start", token=game.host)
    assert game.view()["players"][1]["name"] == "Key"
    found = [(event["type"], event["seat"]) for event in events(service, key)]
    assert found == [("seat_taken", 2), ("seat_taken", 1), ("your_turn", 1)]


def test_events_of_a_whole_game_are_those_of_its_log(service):
    key = new_key()
    game = opponents(service, key)
    game.play_out(dice(4))
    assert received(service, key, game) == expected(service, game)


@pytest.mark.parametrize("share", [0.0, 0.3, 0.9])
def test_relays_lost_in_crashes_leave_no_gap(service, monkeypatch, share):
    key, throw = new_key(), dice(5)
    committed = Relay.committed
    with monkeypatch.context() as patched:
        patched.setattr(
            Relay, "committed", lambda *given: committed(*given) if throw.random() < share else None
        )
        game = opponents(service, key)
        game.play_out(dice(4))
    service.clock.advance(RELAY_MS / 1000)
    dispatch(service)
    assert received(service, key, game) == expected(service, game)


def test_concurrent_relays_write_each_event_once(service):
    key = new_key()
    game = opponents(service, key)
    relays = [connected(games_of(Service(service.redis))) for _ in range(4)]

    def relay_again(relay):
        for _ in range(8):
            relay.attend(game.id)

    with running(lambda: at_once(relay_again, relays)):
        game.play_to("building", 3, dice(6))
    assert received(service, key, game) == expected(service, game)[:-1]


def test_events_of_several_games_are_one_list(service):
    key = new_key()
    games = [opponents(service, key) for _ in range(3)]
    for game in games:
        game.play_out(dice(7))
    for game in games:
        assert received(service, key, game) == expected(service, game)


def test_pages_of_events_go_on_after_the_last_id(service):
    key = new_key()
    opponents(service, key).play_to("building", 2)
    whole, found, after = events(service, key), [], "0-0"
    while page := events(service, key, f"?after={after}&limit=2"):
        found, after = found + page, page[-1]["id"]
    assert found == whole
    assert [int(event["id"].split("-")[0]) for event in whole] == list(range(1, len(whole) + 1))


def test_following_from_the_list_of_games_misses_nothing(service):
    key = new_key()
    game = opponents(service, key)
    after = service.get("/v1/me/games", key)["last_event"]
    assert events(service, key, f"?after={after}") == []
    game.act_legally(0)
    game.act_legally(1)
    assert types(service, key, f"?after={after}") == ["your_turn"]


def test_event_that_the_store_lost_is_reported(service):
    key = new_key()
    opponents(service, key)
    last = events(service, key)[-1]["id"]
    number, salt = last.split("-")
    for unknown in (f"{number}-{int(salt) + 1}", f"{int(number) + 1}-{salt}"):
        assert (
            problem_code(service.call("GET", f"/v1/me/events?after={unknown}", token=key)) == "history_lost"
        )
        answer = service.call("GET", f"/v1/me/events/stream?after={unknown}", token=key)
        assert problem_code(answer) == "history_lost"


def test_player_who_leaves_receives_an_event(service):
    key, game = new_key(), service.create_game(1, start=False)
    for token in (key, game.host):
        game.call("POST", "players", {"name": "Eve"}, token=key)
        game.call("DELETE", seat=1, token=token)
    assert types(service, key) == ["seat_taken", "seat_left", "seat_taken", "seat_left"]
    assert [event["reason"] for event in events(service, key)[1::2]] == ["left", "removed"]
    removed = service.get(f"{game.path()}/events")["events"]
    assert [event["removed"] for event in removed if event["type"] == "player_left"] == [False, True]


def test_player_who_resigns_is_told_why_the_seat_is_left(service):
    key, game = new_key(), service.create_game(1, start=False)
    game.call("POST", "players", {"name": "Eve"}, token=key)
    game.call("POST", "start", token=game.host)
    game.call("POST", "resign", seat=1, token=key)
    (left,) = [event for event in events(service, key) if event["type"] == "seat_left"]
    assert left["reason"] == "resigned"


@pytest.mark.parametrize("is_seated", [True, False])
def test_host_is_told_each_time_that_every_seat_is_taken(service, is_seated):
    host, guest = new_key(), new_key()
    seated = [{"name": "Ann"}] if is_seated else [{"bot": "random"}]
    game = service.begin(host, players=seated, seat_count=2)

    def is_full(key):
        (own,) = service.get("/v1/me/games", key)["games"]
        return own["lobby_full"]

    assert not is_full(host)
    for _ in range(2):
        game.call("POST", "players", {"name": "Bob"}, token=guest)
        assert (is_full(host), is_full(guest)) == (True, False)
        game.call("DELETE", seat=1, token=guest)
    game.call("POST", "players", {"name": "Bob"}, token=guest)
    assert types(service, host) == ["seat_taken"] * is_seated + ["lobby_full"] * 3
    assert "lobby_full" not in types(service, guest)
    game.call("POST", "start", token=host)
    assert not is_full(host)
    assert types(service, host).count("lobby_full") == 3


def test_lobby_that_starts_when_full_is_not_reported_as_full(service):
    host = new_key()
    game = service.begin(host, players=[{"name": "Ann"}], seat_count=2, auto_start=True)
    game.call("POST", "players", {"name": "Bob"}, token=new_key())
    assert types(service, host) == ["seat_taken", "your_turn"]


def test_player_whom_a_bot_replaces_has_no_more_turns(service):
    key = new_key()
    game = opponents(service, key, turn_ms=60_000, on_timeout="bot")
    service.clock.advance(61)
    game.view()
    assert game.view()["players"][0]["bot"] == "greedy"
    while game.view()["status"] == "playing":
        service.clock.advance(61)
    assert types(service, key) == ["seat_taken", "your_turn", "game_over"]


def test_near_deadline_is_reported_once(service):
    key = new_key()
    game = opponents(service, key, turn_ms=100_000)
    service.clock.advance(74)
    assert types(service, key) == ["seat_taken", "your_turn"]
    service.clock.advance(2)
    for _ in range(2):
        dispatch(service)
        assert types(service, key) == ["seat_taken", "your_turn", "deadline_near"]
    near = events(service, key)[-1]
    assert near["deadline"] == game.view()["deadline"]
    game.call("POST", "abort", token=game.tokens[1])  # within the same turn of seat 0
    assert types(service, key)[3:] == ["proposal_opened"]
    game.act_legally(0)
    game.act_legally(1)
    assert types(service, key)[4:] == ["your_turn"]


def test_near_deadline_by_a_manual_clock_is_reported_once(service):
    key = new_key()
    game = opponents(service, key, turn_ms=100_000, clock="manual")

    def advance(ms):
        answer = game.call("POST", "clock", {"advance_ms": ms}, token=game.host)
        assert answer.status_code == 200, answer.text

    game.play_to("buying")
    service.clock.advance(80)
    advance(74_999)
    assert types(service, key) == ["seat_taken", "your_turn", "your_turn"]
    for _ in range(2):
        advance(1)
        assert types(service, key) == ["seat_taken", "your_turn", "your_turn", "deadline_near"]
    near = events(service, key)[-1]
    assert near["deadline"] == game.view()["deadline"]
    advance(25_000)
    game.call("PUT", "purchase", {"tile": None}, seat=1)
    advance(75_000)
    service.clock.advance(200)
    assert types(service, key)[4:] == ["your_turn", "deadline_near"]


def test_deadline_near_of_a_turn_that_is_over_is_not_reported(service):
    key = new_key()
    game = opponents(service, key, turn_ms=100_000)
    game.act_legally(0)
    service.clock.advance(80)
    dispatch(service)
    assert types(service, key) == ["seat_taken", "your_turn"]


def test_commit_that_the_store_lost_is_followed_again(service):
    key = new_key()
    game = opponents(service, key)
    before = saved(service, key_of(game.id, "*"))
    game.act_legally(0)
    game.act_legally(1)
    put_back(service, before)
    worker = Service(service.redis)
    rebuild_all(worker)
    assert types(worker, key) == ["seat_taken", "your_turn", "your_turn", "your_turn"]
    assert events(worker, key)[-1]["phase"] == "pricing"


def test_long_poll_waits_for_an_event(service):
    key = new_key()
    game = opponents(service, key)
    after, found = events(service, key)[-1]["id"], []
    with running(lambda: found.extend(types(service.beside(), key, f"?after={after}&wait_ms=60000"))):
        game.act_legally(0)
        game.act_legally(1)
    assert found == ["your_turn"]


class Reader:
    """A client of a player's stream, in a thread."""

    def __init__(self, service, key, after="0-0"):
        http = service.app.test_client()
        headers = {"Authorization": f"Bearer {key}", "Last-Event-ID": after}
        self.answer = http.get("/v1/me/events/stream", headers=headers, buffered=False)
        self.messages, self.grown = [], threading.Condition()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for chunk in self.answer.iter_encoded():
            for block in chunk.decode().split("\n\n"):
                lines = dict(line.split(": ", 1) for line in block.splitlines() if not line.startswith(":"))
                if "data" in lines:
                    with self.grown:
                        self.messages.append((lines.get("event", ""), json.loads(lines["data"])))
                        self.grown.notify_all()

    def wait_for(self, done):
        with self.grown:
            assert self.grown.wait_for(lambda: done(self.messages), MAX_WAIT_S), self.messages
        return self.messages


def test_stream_sends_events_as_they_happen(service):
    key = new_key()
    game = opponents(service, key)
    reader = Reader(service, key)
    assert reader.answer.mimetype == "text/event-stream"
    reader.wait_for(lambda messages: len(messages) == 3)
    game.act_legally(0)
    game.act_legally(1)
    messages = reader.wait_for(lambda messages: len(messages) == 4)
    assert [name for name, _ in messages] == ["stream", "", "", ""]
    assert messages[0][1].keys() >= {"after", "last_event", "now"}
    assert [event["type"] for _, event in messages[1:]] == ["seat_taken", "your_turn", "your_turn"]
    resumed = Reader(service, key, messages[2][1]["id"])
    assert resumed.wait_for(lambda messages: len(messages) == 2)[1] == messages[3]


def test_stream_sends_each_event_once_though_the_store_fails(service, monkeypatch):
    monkeypatch.setattr("skye_server.following.streams.OUTAGE_S", 0.01)
    read, failures = PlayerStream.read, []

    def fail_once(*arguments):
        if not failures:
            failures.append("read")
            raise Problem("store_unavailable")
        return read(*arguments)

    key = new_key()
    game = opponents(service, key)
    page = events(service, key)
    reader = Reader(service, key, page[0]["id"])
    reader.wait_for(lambda messages: len(messages) == 2)
    monkeypatch.setattr(PlayerStream, "read", fail_once)
    game.act_legally(0)
    game.act_legally(1)
    reader.wait_for(lambda messages: len(messages) == 3)
    game.abort()
    messages = reader.wait_for(lambda messages: len(messages) == 4)
    assert [event["type"] for _, event in messages[1:]] == ["your_turn", "your_turn", "game_over"]
    assert failures == ["read"]


def test_stream_sends_events_of_a_game_whose_record_is_corrupt(service):
    key = new_key()
    game = opponents(service, key)
    service.redis.hset(player_key(hash_player_key(key), "games"), game.id, b"corrupt")
    reader = Reader(service, key)
    messages = reader.wait_for(lambda messages: len(messages) == 3)
    assert [event["type"] for _, event in messages[1:]] == ["seat_taken", "your_turn"]


def test_stream_ends_when_the_key_is_replaced(service):
    key, new = new_key(), new_key()
    game = opponents(service, key)
    reader = Reader(service, key)
    reader.wait_for(lambda messages: len(messages) == 3)
    service.call("PUT", "/v1/me/key", {"key": new}, key)
    game.tokens[0] = new
    game.act_legally(0)
    game.act_legally(1)
    last = reader.wait_for(lambda messages: messages[-1][0] == "end")[-1][1]
    assert last["reason"] == "token_unknown"


def test_stream_sends_the_events_of_missed_deadlines(service):
    key = new_key()
    game = opponents(service, key, turn_ms=60_000)
    game.act_legally(0)
    reader = Reader(service, key)
    reader.wait_for(lambda messages: len(messages) == 3)
    service.clock.advance(61)
    dispatch(service.beside())
    reader.wait_for(lambda messages: len(messages) == 4)
    assert game.view()["phase"] == "buying"
    assert reader.messages[-1][1]["type"] == "your_turn"


def test_events_show_no_secret_of_other_seats(service):
    key, other = new_key(), new_key()
    game = service.create_game(1, start=False)
    for name, each in (("Eve", key), ("Fay", other)):
        game.call("POST", "players", {"name": name}, token=each)
    game.call("POST", "start", token=game.host)
    made = events(service, key)
    assert {event["seat"] for event in made} == {1}
    assert not re.search(r"Fay|skye_|\bL\d\d\b", json.dumps(made))  # no name, credential or tile
    assert RedisStore(service.redis).players.active_games("nobody") == []


def test_proposal_reaches_the_others_who_must_agree(service):
    keys = [new_key(), new_key()]
    game = service.create_game(2, key=keys[0])
    game.call("POST", "abort", token=game.tokens[1])
    event = events(service, keys[0])[-1]
    proposal = game.view(0)["proposal"]
    assert (event["type"], event["kind"], event["proposed_by"]) == ("proposal_opened", "abort", 1)
    assert (event["seat"], event["expires_at"]) == (0, proposal["expires_at"])
    made = service.get(game.path("events?limit=1000"))["events"]
    assert event["game_last_event"] == next(each["id"] for each in made if each["type"] == "proposal_made")
    rebuild_all(service)
    assert types(service, keys[0])[-1] == "proposal_opened"
    game.call("POST", "proposal", {"accept": False}, seat=0)
    game.call("POST", "pause", token=game.tokens[0])  # an own proposal is no news
    assert types(service, keys[0]).count("proposal_opened") == 1
