"""Long computations: one at a time, in time slices, in turn for each address, cancelled at a disconnect."""

import contextlib
import contextvars
import threading

import pytest

from skye_server import cooperative_yield
from skye_server.cooperative_yield import Computation, ComputingClient, computing_client, slot
from skye_server.error_codes import Problem
from tests.support.waiting import MAX_WAIT_S, waited_for


@contextlib.contextmanager
def client(*facts, **more):
    """Compute for a client."""
    reset = computing_client.set(ComputingClient(*facts, **more))
    try:
        yield
    finally:
        computing_client.reset(reset)


def computing(entered):
    with Computation():
        entered.set()


def of_another_request(entered):
    """Compute with the context of another request, in this thread."""
    contextvars.Context().run(computing, entered)


def test_computation_within_another_is_a_part_of_it():
    with Computation() as outer, Computation() as inner:
        assert inner is outer
        assert slot.queued == 0


def test_computation_while_another_runs_waits_for_its_end():
    entered = threading.Event()
    second = threading.Thread(target=computing, args=[entered])
    with Computation():
        second.start()
        assert waited_for(lambda: slot.queued == 1)
        assert not entered.is_set()
    assert entered.wait(MAX_WAIT_S)
    second.join()


def test_computation_after_its_time_slice_lets_another_run(monkeypatch):
    monkeypatch.setattr(cooperative_yield, "_SLICE_S", 0)
    entered = threading.Event()
    second = threading.Thread(target=computing, args=[entered])
    with Computation() as first:
        second.start()
        assert waited_for(lambda: first.checkpoint() or entered.is_set())
    second.join()


def test_computation_with_a_full_queue_of_its_address_is_refused(monkeypatch):
    monkeypatch.setattr(cooperative_yield, "MAX_QUEUED", 0)
    with Computation(), pytest.raises(Problem, match="server_busy"):
        of_another_request(threading.Event())


def test_computation_without_a_slice_in_time_is_refused(monkeypatch):
    monkeypatch.setattr(cooperative_yield, "MAX_WAIT_S", 0.01)
    with Computation(), pytest.raises(Problem, match="server_busy"):
        of_another_request(threading.Event())


def test_computation_of_a_disconnected_client_is_cancelled(monkeypatch):
    monkeypatch.setattr(cooperative_yield, "_SLICE_S", 0)
    disconnected = threading.Event()
    with client(has_disconnected=disconnected.is_set), Computation() as computation:
        computation.checkpoint()
        disconnected.set()
        with pytest.raises(Problem, match="bad_request"):
            computation.checkpoint()
    with Computation():  # the slot was released, once
        waiting = threading.Thread(target=computing, args=[threading.Event()])
        waiting.start()
        assert waited_for(lambda: slot.queued == 1)
    waiting.join()


def wait_behind(running, order, addresses):
    """Start a computation for each address while another runs; each adds its address to `order`."""

    def compute(address):
        with client(address), Computation():
            order.append(address)

    threads = [threading.Thread(target=compute, args=[address]) for address in addresses]
    for number, thread in enumerate(threads, 1):
        thread.start()
        assert waited_for(lambda number=number: slot.queued == number)
    running.__exit__()
    for thread in threads:
        thread.join()


def test_addresses_take_turns_whatever_the_length_of_their_queues():
    order = []
    wait_behind(Computation().__enter__(), order, ["many"] * 5 + ["one", "two", "one"])
    assert order == ["many", "one", "two", "many", "one", "many", "many", "many"]


def test_full_queue_of_one_address_refuses_no_other(monkeypatch):
    order, running = [], Computation().__enter__()
    monkeypatch.setattr(cooperative_yield, "MAX_QUEUED", 1)
    wait_behind(running, order, ["busy", "other"])
    assert order == ["busy", "other"]


def test_cpu_time_of_a_computation_is_reported_once(monkeypatch):
    now, spent = [0.0], []
    monkeypatch.setattr(cooperative_yield, "_SLICE_S", 0)
    monkeypatch.setattr(cooperative_yield, "cpu_time", lambda: now[0])
    with client(spend=spent.append), Computation() as computation:
        for _ in range(3):
            now[0] += 1
            computation.checkpoint()
            now[0] += 1
    assert spent == [6]
