"""The codec of stored games: size, round trip, and errors for corrupt data."""

import pytest

from skye import BOTS
from skye_server.games.transitions import make_move
from skye_server.store.codec import (
    FORMAT,
    StoredFormatError,
    decode_entry,
    decode_game,
    encode_game,
    entry_header,
)
from skye_server.store.commit import LogEntry
from skye_server.store.shards import key_of
from tests.support.playing import Service, dice, problem_code


def tables_of_a_game(players, seed):
    """Yield the tables of a random game, action by action."""
    service = Service()
    game = service.create_game(1, start=False, seed=f"{seed}".rjust(64, "s"), name="Skye " * 12)
    for number in range(players - 1):
        name = f"{number}".rjust(40, "n")  # as long as a name can be
        assert game.call("POST", "players", {"name": name}).status_code == 201
    assert game.call("POST", "start", token=game.host).status_code == 200
    table = decode_game(service.redis.get(key_of(game.id, "game")))
    throw = dice(seed)
    while table.waiting_for:
        seat = throw.choice(table.waiting_for)
        table = make_move(table, seat, BOTS["random"](table.state, seat, throw), 1).game
        yield table


@pytest.mark.parametrize("players", [4, 5])
def test_stored_game_in_play_is_smaller_than_4_kib(players):
    sizes = [len(encode_game(table)) for seed in range(10) for table in tables_of_a_game(players, seed)]
    assert max(sizes) < 4096, max(sizes)


def test_encoded_game_decodes_to_an_equal_game():
    for table in tables_of_a_game(5, 1):
        assert decode_game(encode_game(table)) == table
    assert encode_game(decode_game(encode_game(table))) == encode_game(table)


# Corruption.

DAMAGE = (b"", b"\x00", b"nonsense", b"1:2:", b"1:x:y:z", b"z", b"[]", b"\xff" * 99, b"[" * 9999)
OF_THE_LOG = ("events", "rounds/1", "record")
OF_THE_GAME = ("", "scores", "players/0/territory", "players/0/territory/picture.svg", *OF_THE_LOG)


def corruptions(stored):
    """Yield corrupted forms of stored bytes."""
    yield from DAMAGE
    yield b"1:1:00000000:{}"
    yield stored[:-1]
    yield stored + b" "
    yield stored[: len(stored) // 2]
    yield stored.replace(b'"Ann"', b'"Eva"')
    yield b"0" + stored[1:]
    yield b"x" + stored[1:]
    yield b"\x00" * len(stored)


def test_corrupt_stored_game_is_refused(service):
    game = service.create_game()
    key = key_of(game.id, "game")
    right = service.redis.get(key)
    for wrong in corruptions(right):
        with pytest.raises(StoredFormatError):
            decode_game(wrong)
        service.redis.set(key, wrong)
        for rest in OF_THE_GAME:
            assert problem_code(game.call("GET", rest)) == "data_corrupt"
        assert problem_code(game.call("DELETE", token=game.host)) == "data_corrupt"
        assert service.redis.get(key) == wrong
        assert service.get("/v1/games")["games"] == []
    service.redis.set(key, right)
    assert [listed["id"] for listed in service.get("/v1/games")["games"]] == [game.id]


def test_newer_stored_format_is_named_in_the_error(service):
    game = service.create_game()
    key = key_of(game.id, "game")
    service.redis.set(key, b"%d" % (FORMAT + 1) + service.redis.get(key)[1:])
    expected = f"The game is stored in format {FORMAT + 1}, this program reads up to format {FORMAT}."
    answer = game.call("GET")
    assert (problem_code(answer), answer.status_code, answer.json["detail"]) == ("data_newer", 503, expected)


CORRUPT_ENTRIES = (
    *({"c": damage} for damage in DAMAGE),
    {"c": b"[[1,1,99,[]]"},
    {"c": b'[[1,1,99,[["unheard_of"]]]]'},
    {"c": b'[[1,1,99,[["timed_out"]]]]'},
    {"c": b"[[1,1,99,[[]]]]"},
    {"c": b"z123"},
    {"d": b"1"},
)


@pytest.mark.parametrize("entry", CORRUPT_ENTRIES)
def test_corrupt_log_entry_is_refused(service, entry):
    game = service.create_game()
    data = entry.get("c", b"")
    header = entry_header(99, data)
    service.redis.xadd(key_of(game.id, "log"), {"h": header, **entry}, "99-0")
    for rest in OF_THE_LOG:
        assert problem_code(game.call("GET", rest)) == "data_corrupt"
    with pytest.raises(StoredFormatError):
        list(decode_entry(LogEntry(99, data, header)))
