"""Backup and restore with the commands of deploy/README.md: games continue after the restore."""

import os
import shutil
import subprocess
import sys
from contextlib import ExitStack
from itertools import islice

import pytest
import redis

from skye_server.server.embedded_redis import RedisServer
from skye_server.server.server_programs import describe, find_program, programs
from skye_server.setting_parsers import Address
from skye_server.settings import Settings
from skye_server.store.backup import _stored_values
from skye_server.store.redis_store import RedisStore
from tests.deploy.servers import Player
from tests.support.comparing import without_time
from tests.support.missing_programs import NO_REDIS
from tests.support.playing import Service
from tests.support.ports import free_port
from tests.support.sizes import sized
from tests.support.waiting import MAX_RUN_S
from tests.support.whole_game import played
from tests.system.redis_forms import NO_FAILOVER_MS, Cluster

HALF = 25
"""Actions, of the 60 or so that a game of two has."""


@pytest.fixture(
    params=sized([find_program()], [*programs()] or [None]), ids=lambda one: describe(one) if one else None
)
def program(request):
    return request.param or pytest.skip(NO_REDIS)


@pytest.fixture
def start(program, folder):
    """Start a Redis on the files in a folder."""
    with ExitStack() as stack:

        def starter(name):
            (folder / name).mkdir(exist_ok=True)
            address = Address("127.0.0.1", free_port())
            server = stack.enter_context(RedisServer(program, folder / name, address))
            server.wait_until_ready()
            return server

        yield starter


def seen(server, game):
    """Return all that a spectator can see of a game."""
    paths = ("", "/events?limit=1000", "/record", "/scores", "/rounds/1")
    answers = [server.call("GET", f"/v1/games/{game['id']}{path}").json for path in paths]
    return [without_time(answer) for answer in answers]


@pytest.fixture
def table(instance, start):
    """A game in play: the Redis, the instance, the player, the rest of the moves, and the game."""
    redis = start("first")
    served = instance(redis.url).start()
    player = Player(served)
    rest = played(player, 2, "backup")
    game, _ = list(islice(rest, HALF))[-1]
    return redis, served, player, rest, game


def goes_on(table, instance, redis):
    """Check that a restored game is unchanged, and play it to its end."""
    _, before, player, rest, game = table
    expected = seen(before, game)
    before.end()
    player.server = instance(redis.url).start()
    assert seen(player.server, game) == expected
    *_, (last, _) = rest
    assert last["status"] == "finished"


def skye_server(*arguments, url, stdin=None, **environment):
    """Run a command on the Redis at a URL; return its exit code, output and error output."""
    command = [sys.executable, "-m", "skye_server.cli", *map(str, arguments)]
    environ = os.environ | {"SKYE_REDIS_URL": url} | environment
    done = subprocess.run(
        command, input=stdin, capture_output=True, env=environ, check=False, timeout=MAX_RUN_S
    )
    return done.returncode, done.stdout, done.stderr.decode()


def values(path):
    """Return the stored values of a backup without their times of expiry, which differ by milliseconds."""
    return {stored.key: stored._replace(expires_ms=None) for stored in _stored_values(path)}


def test_game_continues_from_a_backup_in_an_empty_server(table, instance, start, folder):
    file, second = folder / "games.backup", start("second")
    assert skye_server("backup", file, url=table[0].url) == (0, b"", "Games in the backup: 1.\n")
    assert skye_server("restore", file, url=second.url) == (0, b"", "Games restored: 1.\n")
    assert skye_server("backup", folder / "again.backup", url=second.url)[0] == 0
    assert values(folder / "again.backup") == values(file)
    assert file.stat().st_mode & 0o777 == 0o600
    goes_on(table, instance, second)


def test_backup_goes_through_standard_streams(table, start):
    status, backup, _ = skye_server("backup", "-", url=table[0].url)
    assert status == 0
    assert skye_server("restore", "-", url=start("second").url, stdin=backup)[0] == 0


def test_restore_beside_a_running_dispatcher_is_accepted(table, start, folder):
    file, second = folder / "games.backup", start("second")
    skye_server("backup", file, url=table[0].url)
    RedisStore.from_settings(Settings(redis_url=second.url)).due.beat("alone", 1)
    assert skye_server("restore", file, url=second.url)[::2] == (0, "Games restored: 1.\n")


def test_backup_of_a_folder_without_games_is_refused(folder):
    absent = folder / "absent"
    status, _, error = skye_server("backup", folder / "games.backup", url="", SKYE_DATA_DIR=str(absent))
    assert (status, error) == (
        1,
        f"Error: No server has used {absent}: set SKYE_DATA_DIR or SKYE_REDIS_URL.\n",
    )
    assert not absent.exists()


def test_restore_into_a_server_with_games_is_refused(table, folder):
    file = folder / "games.backup"
    skye_server("backup", file, url=table[0].url)
    assert skye_server("restore", file, url=table[0].url)[::2] == (
        1,
        "Error: That server has games already. Restore into an empty one.\n",
    )


def test_existing_file_is_not_overwritten_by_a_backup(table, folder):
    file = folder / "games.backup"
    file.write_text("mine")
    assert skye_server("backup", file, url=table[0].url)[0] == 1
    assert file.read_text() == "mine"


def test_incomplete_backup_is_refused_before_anything_is_written(table, start, folder):
    file, second = folder / "games.backup", start("second")
    skye_server("backup", file, url=table[0].url)
    whole = file.read_bytes()
    for end in (0, 30, -9):
        file.write_bytes(whole[:end])
        status, _, error = skye_server("restore", file, url=second.url)
        assert (status, error.count("\n")) == (1, 1)
        assert "incomplete" in error
    with redis.Redis.from_url(second.url) as client:
        assert client.dbsize() == 0


def test_backup_of_a_cluster_is_restored_in_one_server(redis_program, start, tmp_path):
    with Cluster(redis_program, tmp_path, replicas=0, failover_ms=NO_FAILOVER_MS) as cluster:
        settings = Settings(redis_url=cluster.url, redis_timeout_ms=60_000, redis_wait_ms=60_000)
        store = RedisStore.from_settings(settings)
        store.claim_layout()  # as a program does at its start
        service = Service(redis=object(), store=store)
        games = [
            service.call("POST", "/v1/games", {}).json["game"]["id"] for _ in range(8)
        ]  # in several slots
        first, second = (tmp_path / name for name in ("first.backup", "second.backup"))
        assert skye_server("backup", first, url=cluster.url)[::2] == (0, "Games in the backup: 8.\n")
    single = start("second")
    assert skye_server("restore", first, url=single.url)[0] == 0
    assert skye_server("backup", second, url=single.url)[0] == 0
    assert values(second) == values(first)
    assert all(any(game.encode() in key for key in values(second)) for game in games)


def test_game_continues_from_copied_files_of_a_stopped_redis(table, instance, start, folder):
    table[0].stop()
    shutil.copytree(folder / "first", folder / "second")
    table[0].start()
    table[0].wait_until_ready()
    goes_on(table, instance, start("second"))
