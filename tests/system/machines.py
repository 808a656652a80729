"""Servers for storms: a store, two gunicorns, a dispatcher, and nginx in front; each can be killed."""

import contextlib
import os
import signal
from collections import Counter

from skye_server.server.embedded_redis import RedisServer
from skye_server.setting_parsers import Address
from skye_server.store.shards import key_of
from tests.deploy.servers import Dispatcher, Instance, Nginx, nginx_program
from tests.support.launcher import children
from tests.support.ports import free_port
from tests.support.waiting import MAX_WAIT_S, waited_for


class Machines:
    """A store, and two gunicorns and a dispatcher on it; each can be killed and is restarted.

    Where there is nginx, it stands before the two, and clients come in by it as well as directly. `ports`
    are where. `kills` are counts by victim.
    """

    VICTIMS = ("worker", "gunicorn", "dispatcher", "store", "store and worker")

    def __init__(self, store, folder, **settings):
        self.store = store
        self._folder = folder
        self._nginx = None
        settings = {"SKYE_TRUSTED_PROXIES": "1", "SKYE_LIMITS": "off"} | settings
        self.instances = [Instance(folder / f"api-{name}.sock", store.url, **settings) for name in "ab"]
        self._dispatcher = Dispatcher(folder / "dispatcher.log", store.url, **settings)
        self.ports = [instance.port for instance in self.instances]
        self.kills = Counter()

    def __enter__(self):
        with contextlib.ExitStack() as unless_started:
            unless_started.callback(self.__exit__)
            self.store.start()
            for instance in self.instances:
                instance.start()
            self._dispatcher.start()
            if program := nginx_program():
                self._nginx = Nginx(program, self._folder)
                self.ports.append(self._nginx.port)
            unless_started.pop_all()
        return self

    def __exit__(self, *_):
        if self._nginx is not None:
            self._nginx.process.terminate()
            self._nginx.process.wait(MAX_WAIT_S)
        for instance in self.instances:
            instance.kill()
        self._dispatcher.kill()
        self.store.stop()

    def kill(self, victim, dice):
        """Kill a victim, one of several at random, and restart it."""
        instance = dice.choice(self.instances)
        self.kills[victim] += 1
        if "worker" in victim:
            kill_a_worker(instance.process, dice)
        if victim == "gunicorn":
            instance.kill()
            instance.start()
        if victim == "dispatcher":
            self._dispatcher.kill()
            self._dispatcher.start()
        if "store" in victim:
            self.store.kill(dice)


class FailingOver:
    """Servers of which a replica takes over when a master is killed, or suspended; see `redis_forms`.

    What is read of a master may be lost with it, if it was not acknowledged yet.
    """

    may_go_back = True

    def __init__(self, form):
        self._form = form
        self._running = contextlib.ExitStack()

    @property
    def url(self):
        return self._form.url

    def start(self):
        self._running.enter_context(self._form)

    def stop(self):
        self._running.close()

    def kill(self, dice):
        """Kill or suspend a master, wait for the failover, and restart it as a replica."""
        key = key_of(str(dice.random()), "game")
        lost = self._form.master(key)
        fail, come_back = dice.choice([(lost.kill, lost.start), (lost.suspend, lost.resume)])
        fail()
        assert waited_for(lambda: self._form.master(key) is not lost), "nobody has taken over"
        come_back()
        self._form.wait_until_whole()


class OneRedis:
    """One server, which restarts on its files."""

    may_go_back = False

    def __init__(self, program, folder, appendfsync="everysec"):
        self.server = RedisServer(program, folder, Address("127.0.0.1", free_port()), appendfsync)

    @property
    def url(self):
        return self.server.url

    def start(self):
        self.server.start()
        self.server.wait_until_ready()

    def stop(self):
        self.server.stop()

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.stop()

    def kill(self, _dice=None):
        self.break_off()
        self.start()

    def break_off(self):
        """Kill it for now."""
        self.server.process.kill()
        self.server.process.wait()


def kill_a_worker(process, dice):
    """Kill one of a gunicorn's workers, which then starts another."""
    assert waited_for(lambda: children(process.pid)), "gunicorn has no worker"
    with contextlib.suppress(ProcessLookupError):
        os.kill(dice.choice(children(process.pid)), signal.SIGKILL)
