"""Slots for work on URLs: each account has a few, and accounts take turns (bulkhead, round robin).

A receiver can hold a request for ten seconds and a name for three, and one account can name many of both. So
an account has a bounded share of the slots, and of the requests that wait for one, whatever its hosts are
called.
"""

from __future__ import annotations

import hashlib
import random
import threading
from collections import Counter, OrderedDict, deque
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final, NamedTuple

from skye_server.client_address import network
from skye_server.commands.attempts import Command
from skye_server.players.identities import PlayerIdentities

REQUESTS_OF_ACCOUNT: Final = 16
"""How many requests of one account are sent at once."""

ACCOUNTS_OF_ADDRESS: Final = 3
"""How many times the share of one account all accounts of an address have: player keys cost nothing."""

_PAUSE_MS: Final = 100
_PAUSE_MORE_MS: Final = 50
_MAX_PAUSE_MS: Final = 20_000


class AccountSlots:
    """The slots of a process for work of one kind.

    :param total: how many there are.
    :param each: how many of them an account may hold, and how many of its requests wait for one.
    :param queues: whether requests wait for a slot.
    """

    def __init__(self, total: int, each: int = REQUESTS_OF_ACCOUNT, *, queues: bool = True) -> None:
        self._free = total
        self._each = each
        self._queues = queues
        self._lock = threading.Lock()
        self._held: Counter[str] = Counter()
        self._queued: Counter[str] = Counter()
        self._waiting: OrderedDict[Account, deque[threading.Event]] = OrderedDict()
        self._refused: Counter[str] = Counter()
        """How many requests of an address were refused since it had none waiting."""

    @contextmanager
    def slot(self, account: Account) -> Iterator[bool]:
        """Wait for a slot, and hold it; yield False at once, without one, if too many of the account wait."""
        turn = self._enter(account)
        if turn is None:
            yield False
            return
        try:
            turn.wait()
            yield True
        finally:
            self._leave(account, turn)

    def pause_ms(self, account: Account) -> int:
        """Return after which time a refused request asks again: the longer, the more were refused."""
        pause_ms = min(_PAUSE_MS + _PAUSE_MORE_MS * self._refused[account.address], _MAX_PAUSE_MS)
        return round(random.uniform(0.5, 1.0) * pause_ms)  # noqa: S311 - jitter

    def _enter(self, account: Account) -> threading.Event | None:
        """Return the event that is set once the request has a slot, None if it may not wait for one."""
        turn = threading.Event()
        with self._lock:
            if account not in self._waiting and self._may_hold(account):
                self._grant(account, turn)
            elif self._queues and self._has_room(self._queued, account):
                _count(self._queued, account, 1)
                self._waiting.setdefault(account, deque()).append(turn)
            else:
                self._refused[account.address] += self._queues
                return None
        return turn

    def _leave(self, account: Account, turn: threading.Event) -> None:
        """Free a slot, for the account whose turn it is; or stop waiting for one."""
        with self._lock:
            if not turn.is_set():
                self._waiting[account].remove(turn)
                self._dequeued(account)
                return
            self._free += 1
            _count(self._held, account, -1)
            following = next((each for each in self._waiting if self._may_hold(each)), None)
            if following is not None:
                self._grant(following, self._waiting[following].popleft())
                self._waiting.move_to_end(following)
                self._dequeued(following)

    def _may_hold(self, account: Account) -> bool:
        return self._free > 0 and self._has_room(self._held, account)

    def _has_room(self, counts: Counter[str], account: Account) -> bool:
        is_free = counts[f"account {account.name}"] < self._each
        return is_free and counts[account.address] < ACCOUNTS_OF_ADDRESS * self._each

    def _grant(self, account: Account, turn: threading.Event) -> None:
        self._free -= 1
        _count(self._held, account, 1)
        turn.set()

    def _dequeued(self, account: Account) -> None:
        """Count a request that waits no longer."""
        _count(self._queued, account, -1)
        if not self._waiting[account]:
            del self._waiting[account]
        if account.address not in self._queued:
            self._refused.pop(account.address, None)


def _count(counts: Counter[str], account: Account, change: int) -> None:
    """Count a request under its account and its address; forget those that have none."""
    for name in (f"account {account.name}", account.address):
        counts[name] += change
        if not counts[name]:
            del counts[name]


_ADDRESS_DIGITS: Final = 6
"""Hexadecimal digits of the hash of an address. 256 IPv4 addresses share each, so a record names none."""


class Account(NamedTuple):
    """What the requests to a receiver count for.

    :param name: the id of the player, or `address`.
    :param address: a short hash of the client's address. All its players share it: player keys cost nothing.
    """

    name: str = ""
    address: str = ""


def account_of(identities: PlayerIdentities, command: Command) -> Account:
    """Return the account of a command that names a URL.

    :raises Problem: token_unknown.
    """
    digest = hashlib.sha256(network(command.address).encode()).hexdigest()
    address = digest[:_ADDRESS_DIGITS]
    return Account(identities.player_of_key(command.token) or address, address)
