"""Request slots: one address cannot delay the requests of others."""

import threading
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import pytest
from werkzeug import Request

from skye_server.http import rate_limits, request_slots
from skye_server.http.request_parsing import body_of
from skye_server.http.request_slots import MAX_HANDLED, RequestSlots
from tests.support.playing import limited, problem_code
from tests.support.waiting import MAX_WAIT_S, waited_for


class Application:
    """A WSGI application whose requests last until `end` is set."""

    def __init__(self):
        self.begun, self.end = [], threading.Event()

    def __call__(self, environ, _start_response):
        self.begun.append(environ["REMOTE_ADDR"])
        if environ["PATH_INFO"] == "/poll":
            environ[request_slots.SLOT].release()
        assert self.end.wait(MAX_WAIT_S)
        return []


@pytest.fixture
def sent():
    """A function that sends a request in a thread, and the application; at the end all are answered."""
    application = Application()
    slots, threads = RequestSlots(application), []

    def send(address, path="/"):
        environ = {"REMOTE_ADDR": address, "PATH_INFO": path}
        threads.append(threading.Thread(target=slots, args=(environ, None)))
        threads[-1].start()

    yield send, application
    application.end.set()
    for thread in threads:
        thread.join(MAX_WAIT_S)
    assert len(application.begun) == len(threads)


def test_requests_beyond_the_slots_of_an_address_wait(sent, monkeypatch):
    monkeypatch.setattr(request_slots, "MAX_HELD_S", MAX_WAIT_S)
    send, application = sent
    for _ in range(MAX_HANDLED + 2):
        send("192.0.2.1")
    send("192.0.2.2")
    assert waited_for(lambda: "192.0.2.2" in application.begun)
    assert application.begun.count("192.0.2.1") <= MAX_HANDLED


def test_request_that_waits_for_events_holds_no_slot(sent, monkeypatch):
    monkeypatch.setattr(request_slots, "MAX_HELD_S", MAX_WAIT_S)
    send, application = sent
    for _ in range(3 * MAX_HANDLED):
        send("192.0.2.1", "/poll")
    assert waited_for(lambda: len(application.begun) == 3 * MAX_HANDLED)


def test_request_whose_body_is_being_received_holds_no_slot(monkeypatch):
    monkeypatch.setattr(request_slots, "MAX_HELD_S", 10 * MAX_WAIT_S)
    receiving, arrived = [], threading.Event()

    def read(length):
        receiving.append(length)
        assert arrived.wait(MAX_WAIT_S)
        return length * b"x"

    def application(environ, _start_response):
        request = Request(environ)
        request.max_content_length = 2
        return [body_of(request)]

    slots = RequestSlots(application)
    environ = {"REMOTE_ADDR": "192.0.2.1", "CONTENT_LENGTH": "2", "wsgi.input": SimpleNamespace(read=read)}
    with ThreadPoolExecutor(3 * MAX_HANDLED) as threads:
        bodies = [threads.submit(slots, dict(environ), None) for _ in range(3 * MAX_HANDLED)]
        assert waited_for(lambda: len(receiving) == 3 * MAX_HANDLED)
        arrived.set()
    assert [body.result() for body in bodies] == [[b"xx"]] * 3 * MAX_HANDLED


def test_stuck_requests_are_replaced_by_as_many_others(sent, monkeypatch):
    now, readings = [0], []
    clock = SimpleNamespace(monotonic=lambda: readings.append(0) or now[0])
    monkeypatch.setattr(request_slots, "time", clock)
    monkeypatch.setattr(request_slots, "MAX_HELD_S", 0.01)
    send, application = sent
    for _ in range(3 * MAX_HANDLED):
        send("192.0.2.1")
    for begun in (MAX_HANDLED, 2 * MAX_HANDLED, 3 * MAX_HANDLED):
        assert waited_for(lambda expected=begun: len(application.begun) == expected)
        seen = len(readings)
        assert begun == 3 * MAX_HANDLED or waited_for(lambda before=seen: len(readings) > before + 20)
        assert len(application.begun) == begun
        now[0] += 1


@pytest.fixture
def delays(monkeypatch):
    """The delays of responses, in seconds."""
    found = []
    monkeypatch.setattr(rate_limits.time, "sleep", found.append)
    return found


@pytest.mark.usefixtures("stopped_clock")
def test_refusal_of_an_address_with_many_requests_is_delayed(monkeypatch, delays):
    monkeypatch.setattr(rate_limits, "CROWD", 0)
    service = limited(limit_requests_per_minute=1)
    assert service.call("GET", "/v1/tiles").status_code == 200
    assert delays == []
    assert problem_code(service.call("GET", "/v1/tiles")) == "too_many_requests"
    assert delays == [1.0]


@pytest.mark.usefixtures("stopped_clock")
def test_exempt_requests_are_delayed_but_never_refused(monkeypatch, delays):
    monkeypatch.setattr(rate_limits, "_EXEMPT", rate_limits.Budget("exempt", 2, 600))
    service = limited(limit_requests_per_minute=1)
    answers = [service.call("GET", path).status_code for path in ("/healthz", "/play/", "/healthz")]
    assert answers == [200, 200, 200]
    assert delays == [0.25]


@pytest.mark.usefixtures("stopped_clock")
def test_scrape_of_the_metrics_costs_more_than_other_requests():
    service = limited(limit_requests_per_minute=100)
    assert '"requests";r=89;' in service.call("GET", "/metrics").headers["RateLimit"]
