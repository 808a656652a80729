"""The dispatcher of a lab server goes by the clock of the lab."""

import threading

from skye_server import dispatch
from tests.dispatch.test_dispatcher import TURN_S, stored, timed
from tests.support.dispatching import dispatch as handle_due
from tests.support.dispatching import dispatcher_of
from tests.support.playing import Service
from tests.support.waiting import waited_for


def test_clock_of_a_lab_drives_deadlines():
    service = Service(lab=True)
    game = timed(service)
    version = stored(game).version
    service.call("POST", "/v1/lab/clock", {"advance_ms": TURN_S * 1000})
    handle_due(service)
    assert stored(game).version > version


def test_clock_of_a_lab_wakes_a_waiting_dispatcher(monkeypatch):
    monkeypatch.setattr(dispatch.dispatcher, "MAX_WAIT_MS", 10**9)
    service = Service(lab=True)
    game = timed(service)
    version, dispatcher = stored(game).version, dispatcher_of(service)
    thread = threading.Thread(target=dispatcher.run)
    thread.start()
    assert waited_for(lambda: service.get("/readyz")["dispatchers"] == 1)
    service.call("POST", "/v1/lab/clock", {"advance_ms": TURN_S * 1000})
    assert waited_for(lambda: stored(game).version > version)
    dispatcher.stop()
    thread.join(30)
