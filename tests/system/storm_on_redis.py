"""Serve games from a Redis under test, play many at once, and check them afterwards."""

import contextlib
import random
import secrets
import time

from tests.deploy.servers import Dispatcher, Instance
from tests.support.sizes import sized
from tests.support.waiting import waited_for
from tests.system.proof import prove
from tests.system.rebuilt import prove_rebuilt
from tests.system.redis_forms import PASSWORD
from tests.system.storm import Storm
from tests.system.wire import Wire

GAMES = sized(2, 6)


@contextlib.contextmanager
def serving(folder, url, **settings):
    """The port of an instance on a Redis, with a dispatcher; their logs have only outages and warnings."""
    instance = Instance(folder / "api.sock", url, **settings)
    dispatcher = Dispatcher(folder / "dispatcher.log", url, **settings)
    try:
        dispatcher.start()
        yield instance.start().port
    finally:
        instance.kill()
        dispatcher.kill()
    expected = ('"Redis fails: ', '"SKYE_REDIS_REPLICAS is ', '"no worker could act: ')
    for line in (instance.log.read_text() + dispatcher.log.read_text()).splitlines():
        assert any(message in line for message in expected), line
        assert PASSWORD not in line


@contextlib.contextmanager
def played_on(port, url=None, *, may_go_back=False):
    """A crowd that plays; at the end all its games are compared with the journals of the players.

    :param url: that of the Redis, if what was derived of the games is to be compared as well.
    """
    seed = secrets.token_hex(4)
    with Storm([port], seed, GAMES, may_go_back=may_go_back) as crowd:
        play_goes_on(crowd, time.time())
        yield crowd
    assert not crowd.wrong, f"with the seed {seed!r}:\n{crowd.wrong[0]}"
    with contextlib.closing(Wire([port], random.Random(seed))) as wire:
        for number, (match, spectator) in enumerate(crowd.matches):
            prove(match, wire, spectator, again=number == 0)
        if url is not None:
            prove_rebuilt(url, wire)


def play_goes_on(crowd, since):
    """Wait until an action is acknowledged after a moment."""
    assert waited_for(lambda: crowd.wrong or crowd.has_acted_since(since)), "nobody plays any more"


def play_goes_on_at_every_game(crowd, since):
    """Wait until an action in each game that is played is acknowledged, or the next game has begun."""
    for match, _ in crowd.matches[-GAMES:]:
        journals = [seat.journal for seat in match.seats]

        def goes_on(match=match, journals=journals):
            return match.is_over or any(entry.answered > since for own in journals for entry in own[-2:])

        assert waited_for(lambda goes_on=goes_on: crowd.wrong or goes_on()), f"{match.path} stands still"
