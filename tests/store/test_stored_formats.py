"""Stored data: format 1 is read and played on; newer formats and corrupt bytes are refused."""

import hashlib
import json
from dataclasses import is_dataclass
from pathlib import Path
from typing import get_args, get_type_hints

import msgspec
import pytest

from skye_server.commands.attempts import IdempotencyRecord
from skye_server.games.events import HOSTED_EVENT_TYPES
from skye_server.games.game import Game as HostedGame
from skye_server.games.past_games import PastGame
from skye_server.games.player_events import FollowedGame, PlayerEvent
from skye_server.http.framework import collaborators
from skye_server.outgoing.messages import Message
from skye_server.outgoing.receivers import StoredReceiver
from skye_server.players.codec import KeyRecord
from skye_server.store.codec import StoredFormatError, decode_entry, decode_game, entry_header
from skye_server.store.commit import LogEntry
from skye_server.store.redis_store import RedisStore
from skye_server.store.shards import key_of
from tests.faults.parts import check_stored_game
from tests.support.comparing import with_fields_of
from tests.support.endpoints import PLAYER_KEY
from tests.support.features import modules_of_features
from tests.support.playing import Game, Service, dice, problem_code, stored
from tests.support.receiver import AnsweringSender
from tests.support.stored_fixture import KINDS, NEW_KEY, OLD_KEY, restore

FIXTURES = sorted((Path(__file__).parent / "fixtures").glob("*.json"))
SCHEMA = Path(__file__).parent / "fixtures" / "schema.txt"
SHA256 = {"format-1": "f0c1f9dfb211ea0e317c6db8a16895e5c42dd2667e6b7a395ea7e90abc3d4552"}
OF_FEATURES = modules_of_features("stored")


@pytest.fixture(params=FIXTURES, ids=lambda path: path.stem)
def written(request):
    """The data that a release wrote, and a service of today on it."""
    data = json.loads(request.param.read_text())
    service = Service()
    service.clock.now = data["now"]
    collaborators(service.app).challenges.sender = AnsweringSender()
    restore(service.redis, data["keys"])
    return service, data


def game_of(service, kept):
    """Return a game of a fixture."""
    game = Game(service, {"game": kept["view"], "host_token": kept["host"], "players": []})
    game.tokens = kept["tokens"]
    return game


# Data of format 1. Responses are compared in the fields that they had then.


def test_fixture_changes_only_with_a_stored_format_or_layout():
    """A response that differs needs no new fixture: it is proof that the code of today reads these bytes."""
    assert {path.stem: hashlib.sha256(path.read_bytes()).hexdigest() for path in FIXTURES} == SHA256


def test_stored_games_are_read_as_they_were(written):
    service, data = written
    for kind, kept in data["games"].items():
        game = game_of(service, kept)
        assert with_fields_of(kept["view"], game.view(0)) == kept["view"], kind
        events = game.call("GET", "events?limit=1000", token=game.tokens[0]).json["events"]
        assert [event["id"] for event in events] == list(range(1, kept["view"]["last_event"] + 1))
    listed = {game["id"] for game in service.get("/v1/games?limit=100")["games"]}
    assert {data["games"][kind]["id"] for kind in ("lobby", "playing", "finished")} <= listed


@pytest.mark.parametrize("kind", [make.__name__ for make in KINDS])
def test_stored_game_of_each_kind_is_played_on(written, kind):
    service, data = written
    game = game_of(service, data["games"][kind])
    view = game.view(0)
    if kind in ("finished", "aborted"):
        assert game.call("POST", "rematch", token=game.tokens[0]).status_code == 201
        return
    if kind == "lobby":
        view = game.call("POST", "start", token=game.host).json
        del game.tokens[1]
    if kind == "with_bot_at_url":
        assert game.call("DELETE", "players/0/bot", token=game.tokens[0]).status_code == 200
    # `play_until` looks at the game as a spectator, who does not find a private one.
    throw, first, end = dice(1), view["version"], min(view["round"] + 1, 6)
    while view["status"] == "playing" and view["round"] < end:
        held = [seat for seat in view["waiting_for"] if view["players"][seat]["takeover"] is None]
        if held:
            view = game.act_legally(held[0], throw)
        else:  # the server decides at the deadline of a seat that it plays
            service.call("POST", game.path("clock"), {"advance_ms": 3_600_000}, game.host)
            view = game.view(0)
    assert view["version"] > first
    assert check_stored_game(service.redis, game.id).version == view["version"]


def test_stored_response_is_replayed(written):
    service, data = written
    keyed = data["keyed"]
    path = keyed["href"].split("/players")[0]
    version = service.get(path)["version"]
    headers = {"Idempotency-Key": "again"}
    answer = service.call(keyed["method"], keyed["href"], keyed["body"], keyed["token"], headers)
    assert answer.status_code == 200
    assert with_fields_of(keyed["answer"], answer.json) == keyed["answer"]
    assert service.get(path)["version"] == version


def test_stored_player_keeps_key_games_and_events(written):
    service, data = written
    for name, value in data["player"].items():
        assert with_fields_of(value, service.get(f"/v1/me/{name}", NEW_KEY)[name]) == value
    for name, view in data["history"].items():
        assert with_fields_of(view, service.get(f"/v1/me/{name}", NEW_KEY)) == view
    assert data["history"]["records"]["games"]
    assert problem_code(service.call("GET", "/v1/me/games", token=OLD_KEY)) == "token_unknown"


def test_stored_values_of_features_are_read(written):
    for feature in OF_FEATURES:
        feature.check_written(*written)


# Newer formats.


@pytest.fixture
def everything(service):
    """All kinds of stored values: patterns of their keys, and requests that read them."""
    collaborators(service.app).challenges.sender = AnsweringSender()
    new = "skye_key_" + 22 * "B"
    game = service.create_game(2, key=PLAYER_KEY)
    action = game.actions(1)[0]
    again = {"Idempotency-Key": "again"}
    game.send(1, action, headers=again)
    service.call("PUT", "/v1/me/key", {"key": new}, PLAYER_KEY)
    game.tokens[0] = game.host = new
    of_features = {
        pattern: read for feature in OF_FEATURES for pattern, read in feature.reads(service, new).items()
    }
    return of_features | {
        "*:game": lambda: game.call("GET"),
        "*:log": lambda: game.call("GET", "events"),
        "*:record:*": lambda: game.send(1, action, headers=again),
        "*:events": lambda: service.call("GET", "/v1/me/events", token=new),
        "*:key": lambda: service.call("GET", "/v1/me", token=new),
    }


def overwrite(redis, key, number):
    """Replace the format numbers of the values under a key."""
    kind = redis.type(key)

    def changed(value):
        return number + value[1:] if value.startswith(b"1:") else value

    if kind == b"string":
        redis.set(key, changed(redis.get(key)))
    elif kind == b"hash":
        redis.hset(key, mapping={name: changed(value) for name, value in redis.hgetall(key).items()})
    else:
        entries = redis.xrange(key)
        redis.delete(key)
        for entry_id, fields in entries:
            redis.xadd(key, {name: changed(value) for name, value in fields.items()}, id=entry_id)


@pytest.mark.parametrize(("number", "code"), [(b"2", "data_newer"), (b"0", "data_corrupt")])
def test_stored_value_of_another_format_is_refused(service, everything, number, code):
    for pattern, read in everything.items():
        kept = {key: service.redis.dump(key) for key in service.redis.keys(pattern)}
        assert kept, pattern
        for key in kept:
            overwrite(service.redis, key, number)
        before = [stored(service.redis, key) for key in kept]
        answer = read()
        assert problem_code(answer) == code, pattern
        assert number == b"0" or "format 2" in answer.json["detail"]
        assert [stored(service.redis, key) for key in kept] == before, pattern
        for key, value in kept.items():
            service.redis.restore(key, 0, value, replace=True)


def test_game_of_a_player_in_a_newer_format_does_not_hide_the_others(service):
    service.call("POST", "/v1/games", {"players": [{"name": "Ann"}]}, PLAYER_KEY)
    (name,) = service.redis.keys("skye:{player.*}:games")
    overwrite(service.redis, name, b"2")
    assert service.call("GET", "/v1/me/events", token=PLAYER_KEY).status_code == 200


def test_log_entry_without_a_known_field_is_refused(service):
    game = service.create_game()
    key = key_of(game.id, "log")
    (last, values) = service.redis.xrevrange(key, count=1)[0]
    service.redis.delete(key)
    service.redis.xadd(key, {"c": values[b"c"], "x": b"1"}, id=last)
    assert problem_code(game.call("GET", "events")) == "data_corrupt"


def schema(kind, name, seen=()):
    """Return a line for each field that a stored value may have."""
    parts = [kind, *get_args(kind), *(one for part in get_args(kind) for one in get_args(part))]
    lines = []
    for part in dict.fromkeys(parts):
        is_struct = isinstance(part, type) and issubclass(part, msgspec.Struct)
        if (is_struct or is_dataclass(part) or hasattr(part, "_fields")) and part not in seen:
            hints = get_type_hints(part)
            stored_names = part.__struct_encode_fields__ if is_struct else hints
            for field, hint in zip(stored_names, hints.values(), strict=True):
                lines.append(f"{name}.{field}")
                lines += schema(hint, f"{name}.{field}", (*seen, part))
    return lines


STORED = {
    "game": HostedGame,
    **{name: kind for kind, name in HOSTED_EVENT_TYPES.items() if name != "position_set"},
    "idempotency_record": IdempotencyRecord,
    "followed_game": FollowedGame,
    "player_event": PlayerEvent,
    "key": KeyRecord,
    "past_game": PastGame,
    **{name: kind for feature in OF_FEATURES for name, kind in feature.STORED.items()},
    "webhook": StoredReceiver,
    "delivery": Message,
}


def test_new_field_of_a_stored_value_needs_a_new_format():
    """An older program would drop the field: raise the format, and write the schema and a fixture again."""
    fields = [line for name, kind in STORED.items() for line in schema(kind, name)]
    assert fields == SCHEMA.read_text().splitlines()


# Corrupt bytes.


def flipped(data):
    """Yield data with each byte changed in one bit."""
    for at in range(len(data)):
        yield data[:at] + bytes([data[at] ^ (1 << (at % 8))]) + data[at + 1 :]


def test_flipped_bit_in_a_stored_game_is_noticed(service):
    data = service.redis.get(key_of(service.create_game().id, "game"))
    for corrupt in flipped(data):
        with pytest.raises(StoredFormatError):
            decode_game(corrupt)


@pytest.mark.parametrize("finished", [False, True])
def test_flipped_bit_in_a_log_entry_is_noticed(service, finished):
    game = service.create_game(2)
    if finished:
        game.play_out(dice(3))
    for entry in RedisStore(service.redis).games.load_with_log(game.id)[1]:
        assert list(decode_entry(entry))
        for data in flipped(entry.data):
            with pytest.raises(StoredFormatError):
                list(decode_entry(entry._replace(data=data)))
        for header in flipped(entry.header):
            with pytest.raises(StoredFormatError):
                list(decode_entry(entry._replace(header=header)))
        with pytest.raises(StoredFormatError):
            list(decode_entry(entry._replace(last_event=entry.last_event + 1)))


def test_header_of_a_log_entry_covers_its_number():
    assert entry_header(1, b"data") != entry_header(2, b"data")
    with pytest.raises(StoredFormatError):
        list(decode_entry(LogEntry(1, b"[[1,1,1,[]]]")))
