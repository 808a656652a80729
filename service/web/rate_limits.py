"""Limits for an API that is open to strangers: how many requests one may send, and how many games create.

Requests are counted by token, or else by address. A token has a budget of its own once it has opened a game
in this process; until then it spends its address's, or else invented tokens would bring as many budgets.
Games are counted by address alone, because each brings tokens. Of IPv6, an address is its network of 64 bits:
that is what one customer is given.

A budget is a bucket that each request fills a little and that runs out at a steady rate; a request that
would make it spill over is refused. So a minute's requests may come at once, and nothing is gained by waiting
for the minute to turn.
"""

from __future__ import annotations

import math
import time
from ipaddress import IPv6Address, ip_address
from typing import Final, NamedTuple

from flask import Flask, Response, g, request

from service.matches.errors import Problem
from service.matches.tokens import hash_token
from service.settings import Settings
from service.storage.store import Store
from service.web.exchange import token

_CREATION: Final = "Lobby.create_game"
_UNLIMITED: Final = "Operations"
"""The blueprint of those who look after the service."""

_WINDOW_S: Final = 60
_OUTAGE_S: Final = 1.0
_MOST_KNOWN: Final = 100_000


class Budget(NamedTuple):
    """How many requests of a kind one may make in `window_s` seconds."""

    kind: str
    most: int
    window_s: float = _WINDOW_S


class Allowance(NamedTuple):
    """What is left of a budget; the seconds until one more is allowed, and until all are again."""

    budget: Budget
    allowed: bool
    left: int
    wait_s: int
    reset_s: int


class Limiter:
    """Spends budgets, which the store keeps. While the store is away, nobody is limited."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._away_until = 0.0

    def spend(self, budget: Budget, whose: str) -> Allowance | None:
        """Spend one request of somebody's budget; None when nobody can tell what is left of it."""
        if time.monotonic() < self._away_until:
            return None
        capacity_us = round(budget.window_s * 1e6)
        amount_us = capacity_us // budget.most
        try:
            allowed, filled_us = self._store.fill_bucket(f"{budget.kind}:{whose}", amount_us, capacity_us)
        except Problem:
            # A request that must wait for the store in vain shall do so once, not twice.
            self._away_until = time.monotonic() + _OUTAGE_S
            return None
        left_us = capacity_us - filled_us
        wait_s = 0 if allowed else math.ceil((amount_us - left_us) / 1e6)
        return Allowance(budget, allowed, left_us // amount_us, wait_s, math.ceil(filled_us / 1e6))


class _Gate:
    """What each request passes on its way in, and its answer on the way out."""

    def __init__(self, limiter: Limiter, settings: Settings) -> None:
        self._limiter = limiter
        self._requests = Budget("requests", settings.limit_requests_per_minute)
        self._games = Budget("games", settings.limit_games_per_minute)
        self._known: dict[str, None] = {}

    def enter(self) -> None:
        """Spend a request of the caller's budget.

        :raises Problem: too_many_requests.
        """
        if request.method == "OPTIONS" or request.blueprint == _UNLIMITED:
            return
        creates = request.endpoint == _CREATION
        budget = self._games if creates else self._requests
        g.token_hash = None if creates else _token_hash()
        known = g.token_hash in self._known
        whose = f"token:{g.token_hash}" if known else f"address:{network(request.remote_addr)}"
        allowance = self._limiter.spend(budget, whose) if budget.most else None
        if allowance is None:
            return
        g.allowance = allowance
        if not allowance.allowed:
            who = "This token" if known else "This address"
            raise Problem(
                "too_many_requests",
                f"{who} has made all of its {budget.most} {budget.kind} for a minute.",
                headers={"Retry-After": str(allowance.wait_s)},
            )

    def leave(self, response: Response) -> Response:
        """Say what is left of the budget, and remember a token that has opened a game."""
        allowance: Allowance | None = g.get("allowance")
        if allowance is None:
            return response
        response.headers["RateLimit-Limit"] = str(allowance.budget.most)
        response.headers["RateLimit-Remaining"] = str(allowance.left)
        response.headers["RateLimit-Reset"] = str(allowance.reset_s)
        if g.token_hash is not None and response.status_code < 400 and "game" in (request.view_args or ()):
            self._know(g.token_hash)
        return response

    def _know(self, token_hash: str) -> None:
        self._known[token_hash] = None
        if len(self._known) > _MOST_KNOWN:
            del self._known[next(iter(self._known))]  # the first one known


def network(address: str | None) -> str:
    """Return what of an address tells one caller from another.

    >>> network("192.0.2.7"), network("2001:db8:1:2:3:4:5:6"), network("::ffff:192.0.2.7")
    ('192.0.2.7', '20010db800010002', '192.0.2.7')
    """
    try:
        ip = ip_address(address or "")
    except ValueError:  # a Unix socket, or what an untrusted proxy has made up
        return "unknown"
    if isinstance(ip, IPv6Address):
        return str(ip.ipv4_mapped) if ip.ipv4_mapped else ip.packed[:8].hex()
    return str(ip)


def _token_hash() -> str | None:
    try:
        sent = token()
    except Problem:  # which the route will tell
        return None
    return None if sent is None else hash_token(sent)


def register(app: Flask, settings: Settings, store: Store) -> None:
    """Limit the requests to an app, if its settings want that."""
    if not settings.limits:
        return
    gate = _Gate(Limiter(store), settings)
    app.before_request(gate.enter)
    app.after_request(gate.leave)
