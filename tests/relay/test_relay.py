"""The relay: what a commit leaves out, a dispatcher writes, and a consumer ahead of its game begins again."""

import logging

import pytest

from skye_server.error_codes import Problem
from skye_server.features import installed
from skye_server.games.authorization import hash_player_key
from skye_server.games.due import RELAY_MS
from skye_server.http.framework import collaborators
from skye_server.observability import logs
from skye_server.observability.metrics import CONSUMERS
from skye_server.relay.consumers import Subject, relay_lists
from skye_server.relay.relay import Relay, rebuild
from skye_server.store.game_index import GameIndex
from skye_server.store.redis_players import RedisPlayers
from skye_server.store.shards import key_of, player_key
from tests.support.derived import contents, derived, forget_derived
from tests.support.dispatching import (
    crash_before_relay,
    dispatch,
    dispatcher_of,
    entries,
    games_of,
    put_back,
    rebuild_all,
    saved,
    to_relay,
)
from tests.support.playing import Service, dice, new_key

LISTS = "skye:{index}:*"
PLAYERS = "skye:{player.*"
TICKETS = "/v1/matchmaking/tickets"


def types(service, key):
    return [event["type"] for event in service.get("/v1/me/events", key)["events"]]


def own_games(service, key):
    return [own["game"]["id"] for own in service.get("/v1/me/games", key)["games"]]


def listed(service, status):
    return [game["id"] for game in service.get(f"/v1/games?status={status}")["games"]]


def join(game, key, name="Eve"):
    answer = game.call("POST", "players", {"name": name}, token=key)
    assert answer.status_code == 201, answer.text
    return answer.json["seat"]


def against_bob(service, key, **more):
    """Return a game of a key, which must act, against Bob."""
    return service.create_game(2, key=key, options={"first_seat": 0}, **more)


def relay_all(service):
    """Handle what is due when the relay of a commit has failed."""
    service.clock.advance(RELAY_MS / 1000)
    dispatch(service)


@pytest.fixture
def crashing(monkeypatch):
    """Let processes crash after each commit, until `undo` of the result is called."""
    with monkeypatch.context() as patched:
        crash_before_relay(patched)
        yield patched


# Read your own writes: no dispatcher runs in these tests.


def test_creation_is_in_the_lists_when_it_is_acknowledged(service):
    key = new_key()
    game = against_bob(service, key, start=False)
    assert (listed(service, "lobby"), own_games(service, key)) == ([game.id], [game.id])
    assert types(service, key) == ["seat_taken"]
    assert to_relay(service) == set()


def test_join_and_leave_are_in_the_lists_when_they_are_acknowledged(service):
    key, game = new_key(), service.create_game(1, start=False)
    seat = join(game, key)
    assert own_games(service, key) == [game.id]
    assert game.call("DELETE", seat=seat, token=key).status_code == 200
    assert own_games(service, key) == []
    assert types(service, key) == ["seat_taken", "seat_left"]
    assert to_relay(service) == set()


def test_start_abort_and_deletion_are_in_the_lists_when_they_are_acknowledged(service):
    key = new_key()
    game = against_bob(service, key, start=False)
    assert game.call("POST", "start", token=key).status_code == 200
    assert (listed(service, "lobby"), listed(service, "playing")) == ([], [game.id])
    assert types(service, key)[-1] == "your_turn"
    assert game.abort().status_code == 200
    assert listed(service, "playing") == []
    assert (types(service, key)[-1], own_games(service, key)) == ("game_over", [game.id])
    assert service.call("DELETE", game.path(), token=key).status_code == 204
    assert own_games(service, key) == []
    assert to_relay(service) == set()


def test_end_of_a_game_is_in_the_lists_when_it_is_acknowledged(service):
    key = new_key()
    game = service.create_game(2, key=key, bots={1: "random"})
    game.play_out(dice(2))
    assert (listed(service, "playing"), listed(service, "finished")) == ([], [game.id])
    assert types(service, key)[-1] == "game_over"
    assert to_relay(service) == set()


def test_reads_of_a_player_repair_nothing(service, crashing):
    key = new_key()
    game = against_bob(service, key, start=False)
    crashing.undo()
    before = service.stored()
    own = [f"/v1/me{path}" for path in ("", "/games", "/events", "/games/records", "/records", "/statistics")]
    for path in (*own, "/v1/games", game.path()):
        assert service.call("GET", path, token=key).status_code == 200
    assert service.stored() == before


# A crash between the commit and its relay.


@pytest.mark.usefixtures("crashing")
def test_crash_after_a_commit_is_finished_for_lists_and_events(service):
    key = new_key()
    game = against_bob(service, key)
    assert (listed(service, "playing"), types(service, key)) == ([], [])
    dispatch(service)
    assert listed(service, "playing") == []  # its process may still be relaying
    relay_all(service)
    assert (listed(service, "playing"), own_games(service, key)) == ([game.id], [game.id])
    assert types(service, key) == ["seat_taken", "your_turn"]
    assert to_relay(service) == set()


def test_crash_after_a_player_left_is_finished(service, monkeypatch):
    key, game = new_key(), service.create_game(1, start=False)
    seat = join(game, key)
    with monkeypatch.context() as patched:
        crash_before_relay(patched)
        game.call("DELETE", seat=seat, token=key)
    assert to_relay(service) == {game.id, f"{game.id}/{hash_player_key(key)}"}
    relay_all(service)
    assert (types(service, key), own_games(service, key)) == (["seat_taken", "seat_left"], [])
    assert service.get("/v1/me", key)["active_game_count"] == 0
    assert to_relay(service) == set()


def test_crash_after_a_deletion_is_finished_by_its_tombstone(service, monkeypatch):
    key = new_key()
    game = service.create_game(2, key=key, bots={1: "random"})
    game.play_out(dice(2))
    assert listed(service, "finished") == [game.id]
    with monkeypatch.context() as patched:
        crash_before_relay(patched)
        assert service.call("DELETE", game.path(), token=key).status_code == 204
    assert service.redis.keys(key_of(game.id, "*")) == []
    assert to_relay(service) == {game.id, f"{game.id}/{hash_player_key(key)}"}
    relay_all(service)
    assert service.redis.keys(LISTS) == service.redis.keys(f"{PLAYERS}:games") == []
    assert to_relay(service) == set()


@pytest.mark.usefixtures("crashing")
def test_stopped_relay_grows_by_games_and_not_by_actions(service):
    game = against_bob(service, new_key())
    game.play_to("building", 2, dice(3))
    assert to_relay(service) == {game.id}


def test_player_who_left_and_joined_again_has_all_events(service, crashing):
    key, game = new_key(), service.create_game(1, start=False)
    for _ in range(2):
        seat = join(game, key)
        crashing.undo()
        crash_before_relay(crashing)
        game.call("DELETE", seat=seat, token=key)
    seat = join(game, key)
    relay_all(service)
    assert own_games(service, key) == [game.id]
    assert types(service, key)[-1] == "seat_taken"


def test_commit_whose_relay_failed_is_relayed_by_a_dispatcher(service, monkeypatch):
    def fail(*_, **_named):
        raise Problem("store_unavailable")

    key = new_key()
    with monkeypatch.context() as patched:
        patched.setattr(RedisPlayers, "update_game", fail)
        patched.setattr(GameIndex, "put", fail)
        game = against_bob(service, key)
    assert (listed(service, "playing"), types(service, key)) == ([], [])
    relay_all(service)
    assert (listed(service, "playing"), types(service, key)) == ([game.id], ["seat_taken", "your_turn"])
    assert to_relay(service) == set()


OF_FEATURES = [name for feature in installed() for name in feature.consumers]


@pytest.mark.parametrize("consumer", [*CONSUMERS, *OF_FEATURES])
def test_failure_of_each_consumer_fails_no_request_and_is_counted(service, consumer, monkeypatch):
    def fail(*_, **_named):
        raise Problem("store_unavailable")

    relay = collaborators(service.app).games.stored.relay
    key, counted = new_key(), f'skye_relay_failures_total{{consumer="{consumer}"}}'
    with monkeypatch.context() as patched:
        patched.setitem(relay._consumers, consumer, fail)  # noqa: SLF001 - any of them may fail
        game = against_bob(service, key)
        assert game.view()["status"] == "playing"
    assert f"{counted} 1.0" in service.call("GET", "/metrics").text
    relay_all(service)
    assert (listed(service, "playing"), types(service, key)) == ([game.id], ["seat_taken", "your_turn"])


def test_event_whose_replication_failed_is_written_again_before_its_game_is_clean(service, monkeypatch):
    key, update = new_key(), RedisPlayers.update_game
    player, updated = hash_player_key(key), []

    def write_without_a_replica(*arguments):
        update(*arguments)
        raise Problem("store_unavailable")

    with monkeypatch.context() as patched:
        patched.setattr(RedisPlayers, "update_game", write_without_a_replica)
        game = against_bob(service, key)
    assert to_relay(service) == {game.id}

    def write(store, given):
        updated.append(given.player)
        return update(store, given)

    monkeypatch.setattr(RedisPlayers, "update_game", write)
    relay_all(service)
    assert updated == [player]
    assert types(service, key) == ["seat_taken", "your_turn"]
    assert to_relay(service) == set()


@pytest.mark.parametrize("later_s", [0.1, 0, -0.002, -0.1])
def test_later_commit_leaves_an_earlier_one_to_be_relayed(service, monkeypatch, later_s):
    keys, game = [new_key(), new_key()], service.create_game(1, start=False)
    with monkeypatch.context() as patched:
        crash_before_relay(patched)
        join(game, keys[0])
    service.clock.advance(later_s)  # the clock of another process
    join(game, keys[1], "Fay")
    assert [types(service, key) for key in keys] == [[], ["seat_taken"]]
    relay_all(service)
    assert [types(service, key) for key in keys] == [["seat_taken"], ["seat_taken"]]
    assert to_relay(service) == set()


def test_commit_leaves_a_rebuild_of_its_game_to_the_dispatchers(service):
    keys, game = [new_key(), new_key()], service.create_game(1, start=False)
    join(game, keys[0])
    forget_derived(service)
    rebuild(games_of(service).store)
    service.clock.advance(-0.1)
    join(game, keys[1], "Fay")
    service.clock.advance(0.1)
    relay_all(service)
    assert [own_games(service, key) for key in keys] == [[game.id]] * 2


def test_commit_reports_near_deadlines_that_no_dispatcher_has_reported(service):
    keys, turn_ms = [new_key(), new_key()], 60_000
    game = service.create_game(1, key=keys[0], start=False, options={"turn_ms": turn_ms})
    join(game, keys[1])
    game.call("POST", "start", token=keys[0])
    service.clock.advance(50)
    game.act_legally(0)
    assert [types(service, key)[-1] for key in keys] == ["your_turn", "deadline_near"]
    assert to_relay(service) == set()


# Positions after a loss of writes.


def test_consumer_ahead_of_its_log_begins_again_at_the_next_commit(service):
    key = new_key()
    game = against_bob(service, key)
    before = saved(service, key_of(game.id, "*"))
    game.act_legally(0)
    game.act_legally(1)
    assert types(service, key) == ["seat_taken", "your_turn", "your_turn"]
    put_back(service, before)
    worker = Service(service.redis)
    assert game.view(0)["phase"] == "pricing"
    game.service = worker
    game.act_legally(0)
    game.act_legally(1)
    relay_all(worker)
    found = worker.get("/v1/me/events", key)["events"]
    turn = found[-1]
    view = game.view(0)
    assert (turn["type"], turn["phase"]) == ("your_turn", view["phase"])
    assert (turn["game_version"], turn["game_last_event"]) == (view["version"], view["last_event"])
    assert to_relay(worker) == set()


def test_consumer_ahead_of_its_log_begins_again_in_a_rebuild(service):
    key = new_key()
    game = against_bob(service, key, start=False)
    before = saved(service, key_of(game.id, "*"))
    game.call("POST", "start", token=key)
    assert listed(service, "playing") == [game.id]
    put_back(service, before)
    worker = Service(service.redis)
    rebuild_all(worker)
    assert (listed(worker, "lobby"), listed(worker, "playing")) == ([game.id], [])
    (own,) = worker.get("/v1/me/games", key)["games"]
    assert (own["game"]["status"], own["waiting"]) == ("lobby", False)
    assert to_relay(worker) == set()


def test_lost_creation_counts_until_its_player_reads_the_list(service):
    key, other = new_key(), new_key()
    kept, lost, joined = (service.create_game(1, key=each, start=False) for each in (key, key, other))
    before = saved(service, key_of(joined.id, "*"))
    join(joined, key)
    service.redis.delete(*service.redis.keys(key_of(lost.id, "*")))
    put_back(service, before)
    assert service.get("/v1/me", key)["active_game_count"] == 3
    assert own_games(service, key) == [kept.id]
    dispatch(service)
    assert service.get("/v1/me", key)["active_game_count"] == 1
    assert types(service, key)[-2:] == ["seat_left"] * 2
    before = service.stored()
    assert own_games(service, key) == [kept.id]
    assert service.stored() == before


def test_events_of_a_player_whose_server_lost_writes_are_derived_from_the_log(service):
    key, throw = new_key(), dice(7)
    games = [against_bob(service, key) for _ in range(2)]
    games[0].play_to("buying", 1, throw)
    before = saved(service, f"{PLAYERS}*")
    for game in games:
        game.play_to("building", 2, throw)
    whole = service.get("/v1/me/events", key)["events"]
    put_back(service, before)
    rebuild_all(service)
    assert events_by_game(service.get("/v1/me/events", key)["events"]) == events_by_game(whole)
    games[0].play_to("pricing", 3, throw)
    assert types(service, key)[-1] == "your_turn"


def events_by_game(found):
    """Return the events of each game without their ids, which each history has its own of."""
    games = {}
    for event in found:
        games.setdefault(event["game_id"], []).append(event | {"id": None})
    return games


def test_next_commit_derives_what_the_server_of_a_player_lost(service):
    key, throw = new_key(), dice(7)
    game = against_bob(service, key)
    before = saved(service, f"{PLAYERS}*")
    game.play_to("building", 1, throw)
    whole = service.get("/v1/me/events", key)["events"]
    put_back(service, before)
    game.play_to("pricing", 2, throw)
    found = service.get("/v1/me/events", key)["events"]
    assert events_by_game(found[: len(whole)]) == events_by_game(whole)
    assert len(found) > len(whole)


# Rebuild.


@pytest.fixture
def played(service):
    """A service with games of every status, and keys of their players."""
    keys = [new_key() for _ in range(3)]
    against_bob(service, keys[0]).play_to("building", 1, dice(1))
    against_bob(service, keys[0], start=False)
    service.create_game(2, key=keys[0], visibility="private", options={"turn_ms": 60_000})
    service.clock.advance(1)
    service.create_game(2, key=keys[1], bots={0: "random", 1: "random"})
    against_bob(service, keys[1], bots={1: "random"}).call("POST", "abort", token=keys[1])
    lobby = service.create_game(1, start=False)
    join(lobby, keys[2])
    service.clock.advance(1)
    service.call("POST", TICKETS, {"name": "Ann", "seat_count": 2}, keys[2])
    return service


def test_rebuild_derives_deleted_lists_and_players_from_the_games(played):
    before = derived(played)
    assert len(before) > 10
    forget_derived(played)
    rebuild_all(played)
    assert derived(played) == before


def test_rebuild_while_nothing_is_lost_changes_no_more_than_positions(played):
    before, due = derived(played), entries(played, "relay")
    rebuild_all(played)
    assert (derived(played), entries(played, "relay")) == (before, due)
    stored = contents(played, b"skye:{index}:", b"skye:{player.")
    rebuild_all(played)
    assert contents(played, b"skye:{index}:", b"skye:{player.") == stored


def test_rebuild_reports_games_of_players_that_are_lost(service):
    key = new_key()
    game = against_bob(service, key)
    service.redis.delete(*service.redis.keys(key_of(game.id, "*")))
    rebuild_all(service)
    assert types(service, key) == ["seat_taken", "your_turn", "seat_left"]
    assert service.get("/v1/me", key)["active_game_count"] == 0
    assert service.redis.keys(LISTS) == []


def test_rebuild_lists_a_game_that_its_player_has_resigned(service):
    key, game = new_key(), service.create_game(2, start=False)
    seat = join(game, key)
    game.call("POST", "start", token=game.host)
    assert game.call("POST", "resign", seat=seat, token=key).status_code == 200
    before = service.get("/v1/me/games", key)["games"]
    assert [own["resigned_seat"] for own in before] == [seat]
    forget_derived(service)
    rebuild_all(service)
    assert service.get("/v1/me/games", key)["games"] == before


# A game that fails.


def relay_metrics(service):
    """Return how many games are parked, and how often each consumer has failed."""
    values = dict(line.rsplit(" ", 1) for line in service.call("GET", "/metrics").text.splitlines())
    failures = (values[f'skye_relay_failures_total{{consumer="{name}"}}'] for name in ("lists", "players"))
    return [float(value) for value in (values['skye_due_entries{kind="parked"}'], *failures)]


@pytest.fixture
def parked(service):
    """A game, the keys of its host and another player, and how to mend the record of the host."""
    corrupt, other = new_key(), new_key()
    game = service.create_game(1, start=False, key=corrupt)
    join(game, other)
    name = player_key(hash_player_key(corrupt), "games")
    kept = service.redis.hget(name, game.id)
    service.redis.hset(name, game.id, b"corrupt")
    assert game.call("POST", "start", token=corrupt).status_code == 200
    return game, corrupt, other, lambda: service.redis.hset(name, game.id, kept)


def test_game_that_fails_is_parked_and_tried_again_later_each_time(service, parked, caplog):
    game, corrupt, other, mend = parked
    relay_all(service)
    waits = []
    with caplog.at_level(logging.WARNING):
        for _ in range(4):
            ((entry, due_ms),) = entries(service, "parked").items()
            waits.append(due_ms - round(1000 * service.clock.now))
            service.clock.now = due_ms / 1000
            dispatch(service)  # another process each time
    assert waits == [2000, 4000, 8000, 16_000]
    assert entry.startswith(game.id)
    assert relay_metrics(service) == [1, 0, 6]
    records = [record for record in caplog.records if "cannot be relayed" in record.message]
    assert game.id in logs.RedactingFormatter().format(records[-1])
    # Neither lists nor the other player wait for the record of the first.
    assert listed(service, "playing") == [game.id]
    assert types(service, other)[:2] == ["seat_taken", "your_turn"]
    assert to_relay(service) == set()
    mend()
    (due_ms,) = entries(service, "parked").values()
    service.clock.now = due_ms / 1000
    dispatch(service)
    assert types(service, corrupt) == ["seat_taken", "your_turn"]
    assert relay_metrics(service) == [0, 0, 6]


def test_relay_of_a_later_commit_leaves_a_game_parked(service, parked):
    game, corrupt, other, mend = parked
    relay_all(service)
    mend()
    action = service.get(game.path("actions", 1), other)["actions"][0]
    assert service.call(action["method"], action["href"], action["body"], other).status_code == 200
    assert types(service, corrupt) == ["seat_taken"]
    service.clock.advance(2)
    dispatch(service)
    assert types(service, corrupt) == ["seat_taken", "your_turn"]
    assert entries(service, "parked") == {}


@pytest.mark.usefixtures("crashing")
def test_game_that_fails_holds_up_no_other_game(service):
    keys = [new_key(), new_key()]
    games = [against_bob(service, key) for key in keys]
    service.redis.set(key_of(games[0].id, "game"), b"corrupt")
    relay_all(service)
    assert listed(service, "playing") == [games[1].id]
    assert types(service, keys[1]) == ["seat_taken", "your_turn"]
    assert set(entries(service, "parked")) == {f"{games[0].id}//1"}
    assert to_relay(service) == set()


# Late workers.


def left_behind(monkeypatch, action):
    """Return a function that relays the commit of an action, which its process has not done yet."""
    late, committed = [], Relay.committed
    with monkeypatch.context() as patched:
        patched.setattr(Relay, "committed", lambda *given: late.append(given))
        found = action()
    ((relay, *given),) = late
    return found, lambda: committed(relay, *given)


def test_late_worker_does_not_list_a_game_that_was_aborted(service, monkeypatch):
    game = service.create_game(2, start=False, key=new_key())
    _, relay_late = left_behind(monkeypatch, lambda: game.call("POST", "start", token=game.host))
    service.clock.advance(0.1)
    game.abort()
    dispatcher = dispatcher_of(service)
    relay_all(service)
    assert to_relay(service) == set()
    before = contents(service, b"skye:{index}:", b"skye:{player.")
    relay_late()
    service.clock.advance(RELAY_MS / 1000)
    dispatcher.run_due()
    assert contents(service, b"skye:{index}:", b"skye:{player.") == before
    assert to_relay(service) == set()


def test_late_worker_does_not_list_a_game_that_was_deleted(service, monkeypatch):
    key = new_key()
    game, relay_late = left_behind(monkeypatch, lambda: against_bob(service, key, bots={1: "random"}))
    service.clock.advance(0.1)
    game.abort()
    relay_all(service)
    assert service.call("DELETE", game.path(), token=key).status_code == 204
    relay_late()
    relay_all(service)
    assert service.redis.keys(LISTS) == service.redis.keys(f"{PLAYERS}:games") == []
    assert to_relay(service) == set()


def test_lists_refuse_an_older_version_of_a_game_in_play(service, monkeypatch):
    late = []
    key, game = new_key(), service.create_game(1, start=False)
    with monkeypatch.context() as patched:
        patched.setattr(Relay, "committed", lambda _relay, *given: late.append(given))
        join(game, key)
    join(game, new_key(), "Fay")
    game.call("POST", "start", token=game.host)
    _, after, commit = late[0]
    store = games_of(service).store
    subject = Subject(store, game.id, after, commit.header, frozenset(), commit.changes)
    assert not relay_lists(subject)
    assert (listed(service, "lobby"), listed(service, "playing")) == ([], [game.id])
