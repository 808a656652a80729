"""Stored data across versions: old formats are read, newer ones and corrupt bytes are refused."""

import json
from dataclasses import is_dataclass
from pathlib import Path
from typing import get_args, get_type_hints

import fakeredis
import msgspec
import pytest

from skye_server.games.game import Game as HostedGame
from skye_server.storage.codec import StoredFormatError, decode_entry, decode_game, entry_header
from skye_server.storage.redis_store import RedisStore
from skye_server.storage.store import LogEntry
from tests.faults.parts import check_stored_game
from tests.support.endpoints import PLAYER_KEY
from tests.support.playing import Service, dice, problem_code
from tests.support.stored_fixture import restore

FIXTURES = sorted((Path(__file__).parent / "fixtures").glob("*.json"))
SCHEMA = Path(__file__).parent / "fixtures" / "match-schema.txt"


@pytest.fixture(params=FIXTURES, ids=lambda path: path.stem)
def written(request):
    """The data that a release wrote, and a service of today on it."""
    data = json.loads(request.param.read_text())
    service = Service(fakeredis.FakeRedis(server=fakeredis.FakeServer()))
    service.clock.now = data["now"]
    restore(service.redis, data["keys"])
    return service, data


def with_data_of(name):
    """Give a test the data of the releases that wrote a member of this name."""
    paths = [path for path in FIXTURES if name in json.loads(path.read_text())]
    return pytest.mark.parametrize("written", paths, ids=lambda path: path.stem, indirect=True)


def includes(value, recorded):
    """Return whether a value is the recorded one, apart from members that objects have gained."""
    if isinstance(recorded, dict):
        return recorded.keys() <= value.keys() and all(
            includes(value[name], recorded[name]) for name in recorded
        )
    if isinstance(recorded, list):
        return len(value) == len(recorded) and all(map(includes, value, recorded))
    return value == recorded


# Old data. Members that were renamed later are absent from the recorded responses.


def test_game_of_an_older_release_is_read_as_it_was(written):
    service, data = written
    for stage, game in data["games"].items():
        path = f"/v1/games/{game['id']}"
        view = service.get(path, game["tokens"][0])
        assert includes(view, game["view"]), stage
        events = service.get(f"{path}/events?limit=1000", game["tokens"][0])["events"]
        assert [event["id"] for event in events] == list(range(1, view["last_event"] + 1))
        if stage != "lobby":
            assert check_stored_game(service.redis, game["id"]).version == view["version"]


def test_game_of_an_older_release_is_listed(written):
    service, data = written
    listed = {game["id"] for game in service.get("/v1/games?limit=100")["games"]}
    assert {data["games"][stage]["id"] for stage in ("lobby", "playing", "finished")} <= listed


def test_game_of_an_older_release_is_played_to_its_end(written):
    service, data = written
    game = data["games"]["playing"]
    throw, path = dice(1), f"/v1/games/{game['id']}"
    view = service.get(path)
    while view["status"] == "playing":
        seat = view["waiting_for"][0]
        token = game["tokens"][seat]
        actions = service.get(f"{path}/players/{seat}/actions", token)["actions"]
        action = throw.choice([action for action in actions if action["type"] != "take_back"])
        view = service.call(action["method"], action["href"], action["body"], token).json
    events = service.get(f"{path}/events?limit=1000")["events"]
    assert [event["id"] for event in events] == list(range(1, view["last_event"] + 1))


def test_response_of_an_older_release_is_replayed(written):
    service, data = written
    keyed = data["keyed"]
    version = service.get(keyed["path"].split("/players")[0])["version"]
    headers = {"Idempotency-Key": "again"}
    answer = service.call(keyed["method"], keyed["path"], keyed["body"], keyed["token"], headers)
    assert answer.status_code == 200
    assert includes(answer.json, keyed["answer"])
    assert service.get(keyed["path"].split("/players")[0])["version"] == version


@with_data_of("player")
def test_player_of_an_older_release_keeps_key_games_and_events(written):
    service, data = written
    player = data["player"]
    listed = service.get("/v1/me/games", player["key"])["games"]
    assert [own["game"]["id"] for own in listed] == player["games"]
    assert includes(service.get("/v1/me/events", player["key"])["events"], player["events"])
    assert problem_code(service.call("GET", "/v1/me/games", token=player["old"])) == "token_unknown"


@with_data_of("waiting_player")
def test_ticket_of_an_older_release_is_matched(written):
    service, data = written
    player = data["waiting_player"]
    path, ticket = "/v1/matchmaking/tickets", player["ticket"]
    assert service.get(path, player["key"]) == {"tickets": [ticket | {"ruleset": "base"}]}
    matched = service.call("POST", path, player["body"] | {"name": "Bob"}, PLAYER_KEY).json
    found = service.get(f"{path}/{ticket['id']}", player["key"])
    assert (found["status"], found["game_id"]) == ("matched", matched["game_id"])


# Newer formats.


@pytest.mark.parametrize("kind", ["games", "events", "key"])
def test_record_of_a_player_of_a_newer_format_is_refused(service, kind):
    old, key = PLAYER_KEY, "skye_key_" + 22 * "B"
    service.call("POST", "/v1/games", {"players": [{"name": "Ann"}]}, old)
    service.call("PUT", "/v1/me/key", {"key": key}, old)
    for name in service.redis.keys(f"skye:{{player.*}}:{kind}"):
        if kind == "games":
            service.redis.hset(name, mapping=dict.fromkeys(service.redis.hkeys(name), b"2:"))
        elif kind == "events":
            service.redis.xadd(name, {"e": b"2:0:"}, id="9-9")
        else:
            service.redis.set(name, b"2:0:")
    answer = service.call("GET", "/v1/me/events", token=key)
    if kind == "games":  # one game of the player does not hide the others
        assert answer.status_code == 200
    else:
        assert problem_code(answer) == "data_newer"


def format_of(game):
    """Return the number of the format in which a game is stored."""
    return int(game.service.redis.get(f"skye:{{{game.id}}}:table").partition(b":")[0])


@pytest.mark.parametrize(
    ("key", "body", "number"),
    [
        (None, {}, 1),
        (None, {"players": [{"name": "Ann"}, {"invite": True}]}, 2),
        (None, {"options": {"seed": "skye"}}, 3),
        (None, {"position": {"players": [{}, {}]}}, 3),
        (PLAYER_KEY, {"players": [{"name": "Ann"}]}, 4),
    ],
)
def test_game_is_stored_in_the_oldest_format_that_can_hold_it(service, key, body, number):
    assert format_of(service.begin(key, **body)) == number


def test_game_whose_invitation_is_used_is_stored_in_the_first_format(service):
    game = service.begin(players=[{"name": "Ann"}, {"invite": True}])
    game.call("POST", "players", {"name": "Bob"}, token=game.created["invitations"][0]["code"])
    assert format_of(game) == 1


@pytest.mark.parametrize(("is_newer", "problem"), [(True, "data_newer"), (False, "data_corrupt")])
def test_log_entry_of_a_newer_format_or_with_another_field_is_refused(service, is_newer, problem):
    game = service.create_game()
    key = f"skye:{{{game.id}}}:log"
    (last, values) = service.redis.xrevrange(key, count=1)[0]
    service.redis.delete(key)
    other = {"h": b"2" + values[b"h"][1:]} if is_newer else {"x": b"1"}
    service.redis.xadd(key, {"c": values[b"c"]} | other, id=last)
    answer = game.call("GET", "events")
    assert problem_code(answer) == problem
    assert not is_newer or "format 2" in answer.json["detail"]


def test_game_with_next_draws_is_stored_in_the_fifth_format_until_drawn(service):
    position = {"next_draws": [f"L{number:02}" for number in range(1, 13)], "players": [{}, {}]}
    game = service.begin(position=position)
    assert format_of(game) == 5
    game.play_to("pricing", 2)
    drawn = [draw["tile"] for player in game.view()["players"] for draw in player["tiles_on_offer"]]
    assert drawn == position["next_draws"][6:]
    assert format_of(game) == 3
    assert check_stored_game(service.redis, game.id).version == game.view()["version"]


def schema(kind, name="match", seen=()):
    """Return a line for each field that a stored game may have."""
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


def test_new_field_of_a_stored_game_needs_a_new_format():
    """An older program would drop the field: raise the format of games that use it, record the schema."""
    assert schema(HostedGame) == SCHEMA.read_text().splitlines()


# Corrupt bytes.


def flipped(data):
    """Yield data with each byte changed in one bit."""
    for at in range(len(data)):
        yield data[:at] + bytes([data[at] ^ (1 << (at % 8))]) + data[at + 1 :]


def test_flipped_bit_in_a_stored_game_is_noticed(service):
    stored = service.redis.get(f"skye:{{{service.create_game().id}}}:table")
    for corrupt in flipped(stored):
        with pytest.raises(StoredFormatError):
            decode_game(corrupt)


@pytest.mark.parametrize("finished", [False, True])
def test_flipped_bit_in_a_log_entry_is_noticed(service, finished):
    game = service.create_game(2)
    if finished:
        game.play_out(dice(3))
    for entry in RedisStore(service.redis).load_with_log(game.id)[1]:
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
    assert LogEntry(1, b"data").header is None
