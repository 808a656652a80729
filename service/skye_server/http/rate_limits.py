"""Rate limits for public servers: requests, created games and what is stored, per client address.

All tokens of an address share its budget: tokens are free, since one creation issues up to six. An IPv6
address counts as its /64 network, the smallest that providers assign. Expensive requests cost more.

A budget is a leaky bucket: a request fills it by its cost, it drains at a constant rate, and a request that
would overflow it is refused. So all requests of a minute may arrive at once. The store keeps the buckets;
while it cannot count (it is unreachable, read-only or out of memory), each worker counts in its own memory.
"""

from __future__ import annotations

import math
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, NoReturn, TypeAlias

from flask import Flask, Response, current_app, g, request

from skye_server.client_address import is_within, network, site
from skye_server.cooperative_yield import computing_client
from skye_server.error_codes import Problem
from skye_server.games.creation import check_batch, recorded_actions
from skye_server.http.request_slots import CROWD, SLOT, RequestSlot, RequestSlots
from skye_server.settings import DAY_S, Settings
from skye_server.store.redis_store import RedisStore

_OUTAGE_S: Final = 1.0
_MAX_LOCAL_BUCKETS: Final = 100_000


class Budget(NamedTuple):
    """The maximum cost of a kind of requests in `window_s` seconds."""

    kind: str
    limit: int
    window_s: float = 60


class Allowance(NamedTuple):
    """The rest of a budget, and the seconds until the rejected request, and the whole budget, are allowed."""

    budget: Budget
    allowed: bool
    left: int
    wait_s: int
    reset_s: int


_Fill: TypeAlias = Callable[[str, int, int], tuple[bool, int]]


class _LocalBuckets:
    """Buckets in the memory of this worker; see `RedisStore.fill_bucket`."""

    def __init__(self) -> None:
        self._empty_at_us: OrderedDict[str, int] = OrderedDict()

    def fill_bucket(self, bucket: str, amount_us: int, capacity_us: int) -> tuple[bool, int]:
        now_us = time.monotonic_ns() // 1000
        filled_us = max(self._empty_at_us.pop(bucket, now_us) - now_us, 0)
        allowed = filled_us + amount_us <= capacity_us
        filled_us += amount_us if allowed else 0
        self._empty_at_us[bucket] = now_us + filled_us
        if len(self._empty_at_us) > _MAX_LOCAL_BUCKETS:
            self._empty_at_us.popitem(last=False)
        return allowed, filled_us


class RateLimiter:
    """Spends budgets, counted by the store, or by this worker while the store cannot count."""

    def __init__(self, store: RedisStore) -> None:
        self._store = store
        self._local = _LocalBuckets()
        self._store_skipped_until = 0.0

    def spend(self, budget: Budget, address: str, cost: int = 1) -> Allowance:
        """Spend the cost of one request from an address's budget, unless too little is left."""
        return self._spend(self._fill, budget, address, cost)

    def spend_locally(self, budget: Budget, address: str) -> Allowance:
        """Spend one request from an address's budget in this worker."""
        return self._spend(self._local.fill_bucket, budget, address, 1)

    @staticmethod
    def _spend(fill: _Fill, budget: Budget, address: str, cost: int) -> Allowance:
        capacity_us = round(budget.window_s * 1e6)
        unit_us = capacity_us // budget.limit
        amount_us = unit_us * min(cost, budget.limit)
        allowed, filled_us = fill(f"{budget.kind}:{address}", amount_us, capacity_us)
        left_us = capacity_us - filled_us
        wait_s = 0 if allowed else math.ceil((amount_us - left_us) / 1e6)
        return Allowance(budget, allowed, max(left_us // unit_us, 0), wait_s, math.ceil(filled_us / 1e6))

    def overdraw(self, budget: Budget, address: str, cost: int) -> None:
        """Spend the cost of work that is done, up to twice the budget; further requests wait."""
        double = Budget(budget.kind, 2 * budget.limit, 2 * budget.window_s)
        allowance = self.spend(double, address, cost)
        if not allowance.allowed:
            self.spend(double, address, allowance.left)

    def _fill(self, bucket: str, amount_us: int, capacity_us: int) -> tuple[bool, int]:
        if time.monotonic() >= self._store_skipped_until:
            try:
                return self._store.fill_bucket(bucket, amount_us, capacity_us)
            except Problem:
                # The request itself may also wait for the store, and should not wait twice.
                self._store_skipped_until = time.monotonic() + _OUTAGE_S
        return self._local.fill_bucket(bucket, amount_us, capacity_us)


_CREATION: Final = "Lobby.games.create_game"
_METRICS: Final = "Operations.get_metrics"
_EXEMPT_BLUEPRINTS: Final = frozenset({"Operations", "WebClient"})
"""The blueprints whose requests are never refused: health checks, and the files of the web client."""

_MAX_EXEMPT: Final = 1000
_EXEMPT_WINDOW_S: Final = 20.0
_EXEMPT_DELAY_S: Final = 0.25
"""Each worker delays exempt requests of an address beyond so many in this time."""

_REFUSAL_DELAY_S: Final = 1.0
"""An address with a crowd of concurrent requests gets 429 after this time. Clients that repeat refused
requests at once would use most of the CPU time."""

_METRICS_COST: Final = 10
"""What a scrape of the metrics costs beside its request: it reads the files of all workers."""

_EXTENSION: Final = "skye-limits"
"""The name of the limits among the extensions of an app."""

_BYTES_PER_REQUEST: Final = 65_536
"""The body size that costs as much as one more request."""

_RECORDS_PER_REQUEST: Final = 5
"""The number of exported records that costs as much as one more request."""

_GAMES_PER_REQUEST: Final = 50
"""The number of a player's games that costs as much as one more request."""

_COMPUTED_S_PER_REQUEST: Final = 0.003
"""The CPU seconds of long computations that cost as much as one more request."""

KEY_REPLACEMENTS: Final = 100
"""The maximum number of player keys that an address replaces in a day: their records are stored for years."""

PROFILES: Final = 3
"""The maximum number of names of profiles that an address claims in a day."""

RECEIVER_REQUESTS: Final = 200
"""The maximum number of webhooks that an address creates, moves, tests or retries in a day, and of bots at
URLs that it seats: the server sends a request for each, to a URL that the client chooses."""

GAME_KB: Final = 12
SEAT_KB: Final = 5
BOT_KB: Final = 1
TICKET_KB: Final = SEAT_KB + GAME_KB // 2
REMATCH_KB: Final = GAME_KB + SEAT_KB
WEBHOOK_KB: Final = 20
PROFILE_KB: Final = 3
RATED_KB: Final = 2
"""How many kilobytes an address is charged for having something stored: about what Redis holds of it.

A game has its log; the seat of a person what is stored of the player key, with its history for years; a
ticket its seat, and half a game of two; a rated one its part of the result that the ladder keeps, and of the
player's rating.
"""

ACTIONS_PER_KB: Final = 10
"""The number of recorded actions of a new game that cost a kilobyte."""

SITE_SHARE: Final = 8
"""How many times the budget of an address the /48 network of an IPv6 address may have stored."""

_EXEMPT: Final = Budget("exempt", _MAX_EXEMPT, _EXEMPT_WINDOW_S)


@dataclass(slots=True)
class _Meter:
    """Charges an address for the computations of a request: an export computes after its view."""

    limiter: RateLimiter
    budget: Budget
    address: str
    unpaid_s: float = 0.0
    cost: int = 0

    def __call__(self, seconds: float) -> None:
        """Charge the CPU time of a computation; the rest of a unit is added to the next computation."""
        self.unpaid_s += seconds
        cost = int(self.unpaid_s / _COMPUTED_S_PER_REQUEST)
        if cost:
            self.unpaid_s -= cost * _COMPUTED_S_PER_REQUEST
            self.cost += cost
            self.limiter.overdraw(self.budget, self.address, cost)


class _RequestLimits:
    """Charges every request before its view, and reports the budget in the response's headers."""

    def __init__(self, limiter: RateLimiter, settings: Settings) -> None:
        self._limiter = limiter
        self.requests = Budget("requests", settings.limit_requests_per_minute)
        self.games = Budget("games", settings.limit_games_per_minute)
        self.key_replacements = Budget("key_replacements", KEY_REPLACEMENTS, DAY_S)
        self.profiles = Budget("profiles", PROFILES, DAY_S)
        self.receiver_requests = Budget("webhook_requests", RECEIVER_REQUESTS, DAY_S)
        self.stored = Budget("stored_kilobytes", settings.limit_stored_kb_per_day, DAY_S)
        self._stored_by_site = Budget("site_kilobytes", SITE_SHARE * settings.limit_stored_kb_per_day, DAY_S)
        self._stores_freely = settings.limit_stored_exempt

    def charge_request(self) -> None:
        """Charge the client's address for the current request.

        :raises Problem: too_many_requests.
        """
        is_scrape = request.endpoint == _METRICS
        if request.method == "OPTIONS" or (request.blueprint in _EXEMPT_BLUEPRINTS and not is_scrape):
            if self.requests.limit > 0:
                self._pace_exempt()
            return
        client = computing_client.get()
        client.store = self.charge_stored
        if self.requests.limit > 0:
            g.meter = client.spend = _Meter(self._limiter, self.requests, client.address)
        if self._costs_a_game():
            self.charge(self.games, 1)
        else:
            cost = 1 + (request.content_length or 0) // _BYTES_PER_REQUEST
            self.charge(self.requests, cost + _METRICS_COST if is_scrape else cost)

    def charge_chunked_body(self, length: int) -> None:
        """Charge the client's address for a body whose length the request did not have.

        :raises Problem: too_many_requests.
        """
        if not self._costs_a_game():
            self.charge(self.requests, length // _BYTES_PER_REQUEST)

    def _costs_a_game(self) -> bool:
        """Return whether the current request is charged as a game instead of a request."""
        return request.endpoint == _CREATION and self.games.limit > 0

    def _pace_exempt(self) -> None:
        address = network(request.remote_addr)
        if not self._limiter.spend_locally(_EXEMPT, address).allowed:
            _wait_without_slot(_EXEMPT_DELAY_S)

    def charge(self, budget: Budget, cost: int) -> None:
        """Charge the client's address.

        :raises Problem: too_many_requests.
        """
        if budget.limit <= 0 or cost <= 0:
            return
        g.allowance = self._limiter.spend(budget, network(request.remote_addr), cost)
        if not g.allowance.allowed:
            self._refuse(budget, cost, "This address")

    def charge_stored(self, kilobytes: int) -> None:
        """Charge the client's address, and the /48 network of an IPv6 address, for what is to be stored.

        The `RateLimit` headers go on to report the budget of requests or games.

        :raises Problem: too_many_requests.
        """
        address = request.remote_addr
        if self.stored.limit <= 0 or is_within(address, self._stores_freely):
            return
        budgets = [(self.stored, network(address), "This address")]
        if whole := site(address):
            budgets.append((self._stored_by_site, whole, "The /48 network of this address"))
        for budget, owner, subject in budgets:
            allowance = self._limiter.spend(budget, owner, kilobytes)
            if not allowance.allowed:
                g.allowance = allowance
                self._refuse(budget, kilobytes, subject)

    @staticmethod
    def _refuse(budget: Budget, cost: int, subject: str) -> NoReturn:
        slot: RequestSlot = request.environ[SLOT]
        if slot.concurrent_requests > CROWD:
            _wait_without_slot(_REFUSAL_DELAY_S)
        unit, span = budget.kind.replace("_", " "), "day" if budget.window_s == DAY_S else "minute"
        raise Problem(
            "too_many_requests",
            f"{subject} may use {budget.limit} {unit} a {span}; this costs {cost}.",
            headers={"Retry-After": str(g.allowance.wait_s)},
        )

    def add_headers(self, response: Response) -> Response:
        """Add the `RateLimit` headers to the response of a limited request.

        They are lists of RFC 9651 in the format of draft-ietf-httpapi-ratelimit-headers-11.
        """
        allowance: Allowance | None = g.get("allowance")
        if allowance is not None:
            kind, limit, window_s = allowance.budget
            computed = g.meter.cost if "meter" in g and kind == g.meter.budget.kind else 0
            left, reset_s = max(allowance.left - computed, 0), allowance.reset_s + computed * window_s / limit
            response.headers["RateLimit-Policy"] = f'"{kind}";q={limit};w={round(window_s)}'
            response.headers["RateLimit"] = f'"{kind}";r={left};t={math.ceil(reset_s)}'
        return response


def _wait_without_slot(seconds: float) -> None:
    slot: RequestSlot = request.environ[SLOT]
    slot.release()
    time.sleep(seconds)


def _limits() -> _RequestLimits | None:
    """Return the limits of the current app, None without limits."""
    limits: _RequestLimits | None = current_app.extensions.get(_EXTENSION)
    return limits


def charge_creation(cost: int) -> None:
    """Charge the client's address for what costs games beside a creation, if the app has limits.

    The bots and recorded actions of a new game, a seat in a lobby, a ticket, an advance of a manual clock.

    :param cost: see `computing_cost`; the creation itself costs 1.
    :raises Problem: too_many_requests.
    """
    if limits := _limits():
        limits.charge(limits.games, min(cost, limits.games.limit - 1))


def charge_stored(kilobytes: int) -> None:
    """Charge the client's address for what it has stored, if the app has limits.

    :raises Problem: too_many_requests.
    """
    if limits := _limits():
        limits.charge_stored(kilobytes)


def charge_new_games(bodies: Sequence[dict[str, Any]]) -> None:
    """Charge the client's address for new games that it has stored, if the app has limits.

    :raises Problem: too_many_requests.
    """
    charge_stored(sum(map(_kilobytes_of, bodies)))


def _kilobytes_of(body: dict[str, Any]) -> int:
    """Return what a new game costs, with its seats and recorded actions."""
    seats = body.get("players") or body.get("record", body.get("position", {})).get("players", ())
    bots = sum("bot" in seat or "bot_url" in seat for seat in seats)
    return GAME_KB + SEAT_KB * (len(seats) - bots) + BOT_KB * bots + recorded_actions(body) // ACTIONS_PER_KB


def charge_chunked_body(length: int) -> None:
    """Charge the client's address for a received body without a `Content-Length`, if the app has limits.

    :raises Problem: too_many_requests.
    """
    if limits := _limits():
        limits.charge_chunked_body(length)


def charge_records(number: int) -> None:
    """Charge the client's address for an export of records, if the app has limits.

    :raises Problem: too_many_requests.
    """
    if limits := _limits():
        limits.charge(limits.requests, number // _RECORDS_PER_REQUEST)


def charge_own_games(count: Callable[[], int]) -> None:
    """Charge the client's address for a request about all games of a player, if the app has limits.

    :param count: returns how many there are.
    :raises Problem: too_many_requests, and what `count` raises.
    """
    if limits := _limits():
        limits.charge(limits.requests, count() // _GAMES_PER_REQUEST)


def charge_key_replacement() -> None:
    """Charge the client's address for the replacement of a player key, if the app has limits.

    :raises Problem: too_many_requests.
    """
    if limits := _limits():
        limits.charge(limits.key_replacements, 1)


def charge_profile() -> None:
    """Charge the client's address for a new profile, or a new name of one, if the app has limits.

    :raises Problem: too_many_requests.
    """
    if limits := _limits():
        limits.charge(limits.profiles, 1)
        limits.charge_stored(PROFILE_KB)


def charge_receiver_request() -> None:
    """Charge the client's address for a request to a URL that the client chooses, if the app has limits.

    :raises Problem: too_many_requests.
    """
    if limits := _limits():
        limits.charge(limits.receiver_requests, 1)


def charge_batch(bodies: Sequence[dict[str, Any]]) -> None:
    """Check the cost of the games of one request, and charge the client's address if the app has limits.

    :raises Problem: invalid_body, too_many_requests.
    """
    limits = _limits()
    cost = check_batch(bodies, limits.games.limit if limits else 0)
    if limits:
        limits.charge(limits.games, cost)


def register(app: Flask, settings: Settings, store: RedisStore) -> None:
    """Limit the requests to an app if its settings enable limits."""
    if not settings.is_limited:
        return
    limits = app.extensions[_EXTENSION] = _RequestLimits(RateLimiter(store), settings)
    app.wsgi_app = RequestSlots(app.wsgi_app)  # type: ignore[method-assign]  # Flask's own way
    app.before_request(limits.charge_request)
    app.after_request(limits.add_headers)
