"""Long computations: one at a time, in time slices, and cancelled when the client disconnects."""

import threading

import pytest

from service.matches import cooperative_yield
from service.matches.cooperative_yield import Computation, client_disconnected
from service.matches.error_codes import Problem
from tests.support.waiting import MAX_WAIT_S, waited_for


def computing(entered):
    with Computation():
        entered.set()


def test_computation_while_another_runs_waits_for_its_end():
    entered = threading.Event()
    second = threading.Thread(target=computing, args=[entered])
    with Computation():
        second.start()
        assert waited_for(lambda: len(cooperative_yield.queued) == 1)
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


def test_computation_with_a_full_queue_is_refused(monkeypatch):
    monkeypatch.setattr(cooperative_yield, "MAX_QUEUED", 0)
    with Computation(), pytest.raises(Problem, match="server_busy"), Computation():
        pass


def test_computation_without_a_slice_in_time_is_refused(monkeypatch):
    monkeypatch.setattr(cooperative_yield, "MAX_WAIT_S", 0.01)
    with Computation(), pytest.raises(Problem, match="server_busy"), Computation():
        pass


def test_computation_of_a_disconnected_client_is_cancelled(monkeypatch):
    monkeypatch.setattr(cooperative_yield, "_SLICE_S", 0)
    disconnected = threading.Event()
    reset = client_disconnected.set(disconnected.is_set)
    try:
        with Computation() as computation:
            computation.checkpoint()
            disconnected.set()
            with pytest.raises(Problem, match="bad_request"):
                computation.checkpoint()
    finally:
        client_disconnected.reset(reset)
    with Computation():  # the permit was released, once
        assert not cooperative_yield.permit.acquire(blocking=False)
