"""Look-ups of names of URLs: in the event loop, within a deadline, and not again soon after a failure."""

import socket
import time
from functools import partial

import gevent
import pytest
from gevent.resolver.ares import Resolver

from skye_server.outgoing import targets
from skye_server.outgoing.targets import NameResolver
from tests.support.name_server import NameServer


@pytest.fixture
def names(monkeypatch):
    """A name server that the resolver of the event loop asks."""
    with NameServer() as server:
        resolver = partial(Resolver, servers="127.0.0.1", udp_port=server.port)
        monkeypatch.setattr(targets, "Resolver", resolver)
        monkeypatch.setattr(targets, "is_module_patched", lambda _name: True)
        targets._resolver.cache_clear()  # noqa: SLF001 - it has the servers of other tests
        yield server
        targets._resolver().close()  # noqa: SLF001 - as above
        targets._resolver.cache_clear()  # noqa: SLF001 - as above


@pytest.mark.usefixtures("names")
def test_silent_name_is_given_up_and_delays_no_other(monkeypatch):
    monkeypatch.setattr(targets, "RESOLVE_SECONDS", 0.3)
    resolve = NameResolver()
    errors = []

    def look_up(number):
        try:
            resolve(f"s{number}.wild.example", 443)
        except OSError as error:
            errors.append(error.errno)

    silent = [gevent.spawn(look_up, number) for number in range(20)]
    gevent.sleep(0)
    assert resolve("ok.example", 443) == ["127.0.0.1"]
    gevent.joinall(silent)
    assert errors == 20 * [socket.EAI_AGAIN]


@pytest.mark.parametrize("host", ["127.1", "2130706433", "0x7f.1", "127.0.0.1", "localhost"])
def test_spelled_address_is_not_asked_for(names, host):
    assert "127.0.0.1" in NameResolver()(host, 443)
    assert not names.asked


@pytest.mark.usefixtures("names")
@pytest.mark.parametrize("host", ["a..example", f"{'x' * 64}.example"])
def test_text_that_is_no_name_is_an_error_of_the_name(host):
    with pytest.raises(UnicodeError):
        NameResolver()(host, 443)


def test_failing_name_is_looked_up_again_after_longer_and_longer_pauses(monkeypatch):
    now, asked = 1000.0, []
    monkeypatch.setattr(time, "monotonic", lambda: now)

    def fail(_host, _port):
        asked.append(now)
        raise socket.gaierror(socket.EAI_NONAME, "no such name")

    resolve = NameResolver(fail)
    for _ in range(100):
        with pytest.raises(socket.gaierror) as failed:
            resolve("gone.example", 443)
        assert failed.value.errno == socket.EAI_NONAME
        now += 1
    assert [at - 1000 for at in asked] == [0, 4, 12, 28, 60]


def test_name_that_has_an_address_again_is_looked_up_each_time(monkeypatch):
    now, answers = 1000.0, [None, ["192.0.2.1"], ["192.0.2.2"], None, ["192.0.2.3"]]
    monkeypatch.setattr(time, "monotonic", lambda: now)

    def look_up(_host, _port):
        if (answer := answers.pop(0)) is None:
            raise socket.gaierror(socket.EAI_AGAIN, "late")
        return answer

    resolve, found = NameResolver(look_up), []
    for advance_s in (0, 4, 0, 0, 4):
        now += advance_s
        try:
            found += resolve("back.example", 443)
        except socket.gaierror:
            found.append("")
    assert found == ["", "192.0.2.1", "192.0.2.2", "", "192.0.2.3"]
