"""The slots for requests to URLs, which accounts share and take turns with."""

import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack

import pytest

from skye_server.outgoing.account_slots import Account, AccountSlots
from tests.support.waiting import MAX_WAIT_S, waited_for

ANN, BOB = Account("ann", "here"), Account("bob", "there")


def held_slots(held, slots, account):
    """Hold as many slots as an account gets; return how many."""
    return sum(held.enter_context(slots.slot(account)) for _ in range(20))


def test_account_holds_its_share_and_leaves_the_others_theirs():
    slots = AccountSlots(8, 3, queues=False)
    with ExitStack() as held:
        assert held_slots(held, slots, ANN) == 3
        assert held_slots(held, slots, BOB) == 3
        assert held_slots(held, slots, Account("cy", "elsewhere")) == 2
    with ExitStack() as held:
        assert held_slots(held, slots, ANN) == 3


def test_accounts_of_an_address_share_three_shares():
    slots = AccountSlots(100, 3, queues=False)
    with ExitStack() as held:
        accounts = [Account(f"key{number}", "here") for number in range(5)]
        assert [held_slots(held, slots, account) for account in accounts] == [3, 3, 3, 0, 0]
        assert held_slots(held, slots, BOB) == 3


def test_freed_slots_go_to_waiting_accounts_in_turns():
    slots, served, threads = AccountSlots(1), [], []

    def use(account):
        with slots.slot(account):
            served.append(account.name)

    with slots.slot(ANN):
        for account in (ANN, ANN, ANN, BOB, BOB):
            threads.append(threading.Thread(target=use, args=(account,)))
            threads[-1].start()
            assert waited_for(lambda: sum(map(len, slots._waiting.values())) == len(threads))  # noqa: SLF001 - order
    for thread in threads:
        thread.join(MAX_WAIT_S)
    assert served == ["ann", "bob", "ann", "bob", "ann"]


def test_account_with_too_many_requests_is_refused_longer_and_longer():
    slots, waiting = AccountSlots(1, 2), []

    def use():
        with slots.slot(ANN):
            pass

    with slots.slot(ANN):
        for number in (1, 2):
            waiting.append(threading.Thread(target=use))
            waiting[-1].start()
            assert waited_for(lambda number=number: slots._queued["here"] == number)  # noqa: SLF001 - as above
        pauses_ms = []
        for _ in range(3):
            for _ in range(100):
                with slots.slot(ANN) as is_granted:
                    assert not is_granted
            pauses_ms.append(slots.pause_ms(ANN))
        assert 2_000 < pauses_ms[0] < pauses_ms[2] <= 20_000
    for thread in waiting:
        thread.join(MAX_WAIT_S)
    assert slots.pause_ms(ANN) <= 100


@pytest.fixture
def frequent_switches():
    """Let threads take turns as often as possible."""
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(interval)


@pytest.mark.usefixtures("frequent_switches")
def test_slots_that_threads_use_at_once_are_all_free_afterwards():
    slots = AccountSlots(4, 2)

    def use(thread):
        for number in range(300):
            with slots.slot(Account(f"key{number % 3}", f"address{thread % 2}")):
                pass

    with ThreadPoolExecutor(6) as threads:
        list(threads.map(use, range(6)))
    assert (slots._free, slots._held, slots._queued, slots._waiting) == (4, {}, {}, {})  # noqa: SLF001 - all
