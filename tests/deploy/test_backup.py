"""Backup and restore with the steps of deploy/README.md: games continue after the restore."""

import shutil
import subprocess
from contextlib import ExitStack
from itertools import islice

import pytest

from skye_server.server.embedded_redis import RedisServer
from skye_server.server.server_programs import describe, programs
from skye_server.settings import Address
from tests.deploy.facts import DEPLOY
from tests.deploy.servers import Player
from tests.support.comparing import without_time
from tests.support.missing_programs import NO_REDIS
from tests.support.ports import free_port
from tests.support.waiting import MAX_RUN_S
from tests.support.whole_game import played

pytestmark = pytest.mark.slow

HALF = 25
"""Actions, of the 60 or so that a game of two has."""


@pytest.fixture(params=[*programs()] or [None], ids=lambda one: describe(one) if one else None)
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


def test_game_continues_from_a_backup(table, instance, start, folder):
    redis = table[0]
    cli = shutil.which("redis-cli") or shutil.which("valkey-cli") or pytest.skip("no redis-cli or valkey-cli")
    # Not to the standard output (`--rdb -`): there the file ends in a mark of the transfer, and is damaged.
    command = [cli, "-p", str(redis.address.port), "--rdb", folder / "backup.rdb"]
    subprocess.run(command, capture_output=True, check=True, timeout=MAX_RUN_S)

    (folder / "second").mkdir()
    shutil.copy(folder / "backup.rdb", folder / "second" / "appendonly.aof")
    goes_on(table, instance, start("second"))


def test_game_continues_from_copied_files_of_a_stopped_redis(table, instance, start, folder):
    table[0].stop()
    shutil.copytree(folder / "first", folder / "second")
    table[0].start()
    table[0].wait_until_ready()
    goes_on(table, instance, start("second"))


def test_page_for_operators_contains_the_backup_steps():
    page = (DEPLOY / "README.md").read_text()
    assert "redis-cli --rdb /data/backup.rdb" in page
    assert "cat > /data/appendonly.aof" in page
