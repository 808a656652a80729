"""Rate limits on requests and on created games."""

import re
import time

import fakeredis
import pytest

from service.matches.errors import Problem
from service.settings import Settings
from service.storage.redis_store import RedisStore
from service.web.rate_limits import Budget, RateLimiter, network
from tests.support.endpoints import PLAYER_KEY
from tests.support.playing import Service, code_of, limited
from tests.support.waiting import MAX_WAIT_S, waited_for

pytestmark = pytest.mark.usefixtures("stopped_clock")

WINDOW_S = 6000
"""A window in which the time that a test takes refills next to nothing."""


@pytest.fixture
def limiter(any_redis):
    return RateLimiter(RedisStore(any_redis))


class Away(RedisStore):
    """A store that does not answer the limiter, and counts how often it was asked."""

    asked = 0

    def fill_bucket(self, *_asked):
        self.asked += 1
        raise Problem("store_unavailable")


def from_address(service, address, path="/v1/tiles", **headers):
    return service.call("GET", path, headers=headers, environ_base={"REMOTE_ADDR": address})


# The budgets


def test_all_of_a_budget_may_be_spent_at_once(limiter):
    allowances = [limiter.spend(Budget("tests", 3), "ann") for _ in range(4)]
    assert [allowance.allowed for allowance in allowances] == [True, True, True, False]
    assert [allowance.left for allowance in allowances] == [2, 1, 0, 0]


def test_a_spent_budget_says_when_one_more_is_allowed_and_when_all_is_back(limiter):
    budget = Budget("tests", 3, window_s=WINDOW_S)
    first = limiter.spend(budget, "ann")
    assert (first.wait_s, first.reset_s) == (0, WINDOW_S / 3)
    for _ in range(2):
        limiter.spend(budget, "ann")
    refused = limiter.spend(budget, "ann")
    assert WINDOW_S / 3 - MAX_WAIT_S < refused.wait_s <= WINDOW_S / 3
    assert WINDOW_S - MAX_WAIT_S < refused.reset_s <= WINDOW_S


def let_pass(redis, seconds):
    """Let Ann's bucket be from so many seconds ago: the clock is Redis's, and what is kept is a time."""
    redis.decrby("skye:bucket:tests:ann", seconds * 1_000_000)


def test_a_budget_comes_back_bit_by_bit(any_redis, limiter):
    budget = Budget("tests", 2, window_s=WINDOW_S)
    assert limiter.spend(budget, "ann").allowed
    assert limiter.spend(budget, "ann").allowed
    let_pass(any_redis, WINDOW_S // 6)
    assert not limiter.spend(budget, "ann").allowed
    let_pass(any_redis, WINDOW_S * 5 // 12)
    assert limiter.spend(budget, "ann").allowed
    assert not limiter.spend(budget, "ann").allowed


def test_a_budget_comes_back_by_itself(limiter, monkeypatch):
    monkeypatch.undo()
    budget = Budget("tests", 1, window_s=0.4)
    begun = time.monotonic()
    limiter.spend(budget, "ann")
    assert waited_for(lambda: limiter.spend(budget, "ann").allowed)
    assert time.monotonic() - begun > 0.39


def test_a_refused_request_costs_nothing(any_redis, limiter):
    budget = Budget("tests", 1, window_s=WINDOW_S)
    limiter.spend(budget, "ann")
    assert not any(limiter.spend(budget, "ann").allowed for _ in range(10))
    let_pass(any_redis, WINDOW_S + 1)
    assert limiter.spend(budget, "ann").allowed


def test_everybody_has_a_budget_of_each_kind(limiter):
    assert limiter.spend(Budget("tests", 1), "ann").allowed
    assert limiter.spend(Budget("tests", 1), "bob").allowed
    assert limiter.spend(Budget("games", 1), "ann").allowed
    assert not limiter.spend(Budget("tests", 1), "ann").allowed


def test_two_instances_spend_the_same_budget(any_redis):
    one, other = RateLimiter(RedisStore(any_redis)), RateLimiter(RedisStore(any_redis))
    assert one.spend(Budget("tests", 1), "ann").allowed
    assert not other.spend(Budget("tests", 1), "ann").allowed


def test_a_bucket_is_gone_when_it_is_empty(any_redis, limiter):
    limiter.spend(Budget("tests", 4, window_s=WINDOW_S), "ann")
    assert any_redis.keys() == [b"skye:bucket:tests:ann"]
    quarter_ms = WINDOW_S * 1000 / 4
    assert quarter_ms - MAX_WAIT_S * 1000 < any_redis.pttl("skye:bucket:tests:ann") <= quarter_ms


def test_a_clock_that_is_set_back_locks_nobody_out(any_redis, limiter):
    an_hour_ahead = (int(time.time()) + 3600) * 1_000_000
    any_redis.set("skye:bucket:tests:ann", an_hour_ahead)
    assert limiter.spend(Budget("tests", 1), "ann").allowed


def test_limiter_without_its_store_counts_by_itself_and_asks_it_once():
    store = Away(fakeredis.FakeRedis())
    limiter = RateLimiter(store)
    allowances = [limiter.spend(Budget("tests", 3), "ann").allowed for _ in range(5)]
    assert allowances == [True, True, True, False, False]
    assert limiter.spend(Budget("tests", 3), "bob").allowed
    assert store.asked == 1


@pytest.mark.parametrize(
    ("setting", "value"), [("maxmemory", 1), ("min-replicas-to-write", 1)], ids=["full", "no replicas"]
)
def test_limiter_while_redis_refuses_writes_still_limits(redis_client, setting, value):
    service = Service(redis_client, limits=True, limit_requests_per_minute=2)
    redis_client.config_set(setting, value)
    try:
        answers = [service.call("GET", "/v1/tiles").status_code for _ in range(4)]
    finally:
        redis_client.config_set(setting, 0)
    assert answers == [200, 200, 429, 429]


def test_request_costs_more_than_one_of_the_budget(limiter):
    budget = Budget("tests", 6, window_s=WINDOW_S)
    allowances = [limiter.spend(budget, "ann", cost=4) for _ in range(2)]
    assert [(allowance.allowed, allowance.left) for allowance in allowances] == [(True, 2), (False, 2)]
    assert WINDOW_S / 3 - MAX_WAIT_S < allowances[1].wait_s <= WINDOW_S / 3


def test_request_that_costs_more_than_the_limit_needs_a_full_budget(limiter):
    assert limiter.spend(Budget("tests", 2), "ann", cost=9).allowed
    assert not limiter.spend(Budget("tests", 2), "ann", cost=9).allowed


# Whose budget a request spends


@pytest.mark.parametrize(
    ("address", "whose"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2::1", "20010db800010002"),
        ("2001:db8:1:2:ffff::", "20010db800010002"),
        ("2001:db8:1:3::1", "20010db800010003"),
        ("fe80::1%eth0", "fe80000000000000"),
        ("", "unknown"),
        (None, "unknown"),
        ("nonsense:{}\r\n", "unknown"),
    ],
)
def test_an_address_stands_for_one_customer(address, whose):
    assert network(address) == whose


def left(answer):
    """Return how much of a budget is left."""
    return int(re.search(r";r=(\d+);", answer.headers["RateLimit"])[1])


def test_nothing_is_limited_unless_the_settings_say_so(service):
    assert not Settings().limits
    answer = service.call("GET", "/v1/tiles")
    assert not [name for name, _ in answer.headers if name.startswith("RateLimit")]
    assert service.redis.keys() == []
    hooks = [hook for hooks in service.app.before_request_funcs.values() for hook in hooks]
    assert "service.web.rate_limits" not in {hook.__module__ for hook in hooks}


def test_each_limit_can_be_left_out():
    service = limited()
    answer = service.call("GET", "/v1/tiles")
    assert answer.status_code == 200
    assert "RateLimit" not in answer.headers


def test_an_answer_tells_what_is_left():
    service = limited(limit_requests_per_minute=3)
    answer = service.call("GET", "/v1/tiles")
    assert answer.headers["RateLimit-Policy"] == '"requests";q=3;w=60'
    assert answer.headers["RateLimit"] == '"requests";r=2;t=20'


def test_one_request_too_many_is_refused():
    service = limited(limit_requests_per_minute=2)
    service.call("GET", "/v1/tiles")
    assert service.call("GET", "/v1/nowhere").status_code == 404
    refused = service.call("GET", "/v1/tiles")
    assert (refused.status_code, code_of(refused)) == (429, "too_many_requests")
    assert refused.headers["Retry-After"] == "30"
    assert left(refused) == 0


def test_a_refused_request_changes_nothing():
    service = limited(limit_requests_per_minute=1)
    game = service.table(2, start=False)
    service.call("GET", "/v1/tiles")
    before = service.stored()
    assert code_of(game.call("POST", "start", token=game.host)) == "too_many_requests"
    assert service.stored() == before


def test_creating_games_has_a_budget_of_its_own():
    service = limited(limit_requests_per_minute=1, limit_games_per_minute=2)
    assert service.call("GET", "/v1/games").status_code == 200
    created = [service.call("POST", "/v1/games", {}) for _ in range(3)]
    assert [answer.status_code for answer in created] == [201, 201, 429]
    assert [answer.headers["RateLimit-Policy"] for answer in created] == ['"games";q=2;w=60'] * 3


def test_a_token_brings_no_games_beyond_those_of_its_address():
    service = limited(limit_games_per_minute=1)
    game = service.table()
    game.view(0)
    assert service.call("POST", "/v1/games", {}, game.tokens[0]).status_code == 429


def test_all_tokens_of_an_address_share_its_budget():
    service = limited(limit_requests_per_minute=3)
    game = service.table(2)
    tokens = [*game.tokens, game.host, "skye_invented"]
    answers = [game.call("GET", token=token).status_code for token in tokens]
    assert answers == [200, 200, 200, 429]


def test_guessed_player_keys_use_up_the_limit_of_their_address():
    service = limited(limit_requests_per_minute=3)
    keys = [f"skye_key_{letter * 22}" for letter in "abcd"]
    answers = [service.call("GET", "/v1/me/games", token=key) for key in keys]
    assert [answer.status_code for answer in answers] == [200, 200, 200, 429]


def test_game_of_bots_costs_one_more_for_each_bot():
    service = limited(limit_games_per_minute=10)
    bots = {"players": [{"bot": "random"}] * 3, "start": True}
    answers = [service.call("POST", "/v1/games", bots) for _ in range(3)]
    assert [answer.status_code for answer in answers] == [201, 201, 429]
    assert [left(answer) for answer in answers] == [6, 2, 1]


def test_game_of_bots_within_a_small_limit_is_created():
    service = limited(limit_games_per_minute=2)
    assert (
        service.call("POST", "/v1/games", {"players": [{"bot": "random"}] * 3, "start": True}).status_code
        == 201
    )


def test_matches_sought_count_as_games_created():
    service = limited(limit_games_per_minute=2)
    wishes = [{"name": "Ann", "seats": seats} for seats in (2, 3, 4)]
    answers = [service.call("POST", "/v1/matches", wish, PLAYER_KEY) for wish in wishes]
    assert [answer.status_code for answer in answers] == [201, 201, 429]


def test_bot_that_joins_later_costs_one_game_too():
    service = limited(limit_games_per_minute=3)
    game = service.table(1, start=False)
    answers = [game.call("POST", "players", {"bot": "random"}, token=game.host) for _ in range(3)]
    assert [answer.status_code for answer in answers] == [201, 201, 429]


def test_record_costs_one_game_more_for_every_250_actions(service):
    record = service.table(2).call("GET", "record").json
    action = {"seat": 0, "type": "finish_building"}
    limited_service = limited(limit_games_per_minute=10)
    body = {"record": record | {"actions": [action] * 500, "options": record["options"] | {"seed": "x"}}}
    assert left(limited_service.call("POST", "/v1/games", body)) == 7


def test_large_body_costs_as_much_as_several_requests():
    service = limited(limit_requests_per_minute=10)
    answer = service.call("POST", "/v1/score", {"x": "x" * 140_000})
    assert left(answer) == 7


def test_request_about_many_games_of_a_player_costs_more():
    service = limited(limit_requests_per_minute=50)
    body, key = {"games": [{"players": [{"name": "Ann"}]}] * 100}, {"Idempotency-Key": "once"}
    assert left(service.call("POST", "/v1/batches", body, PLAYER_KEY, key)) == 49
    paths = ("/v1/me/games?limit=1", "/v1/me/events?limit=1", "/v1/me/records?limit=1")
    assert [left(service.call("GET", path, token=PLAYER_KEY)) for path in paths] == [46, 43, 40]
    with service.call("GET", "/v1/me/events/stream", token=PLAYER_KEY) as stream:
        assert left(stream) == 37


def test_an_address_has_its_own_budget():
    service = limited(limit_requests_per_minute=1)
    assert from_address(service, "192.0.2.1").status_code == 200
    assert from_address(service, "192.0.2.2").status_code == 200
    assert from_address(service, "192.0.2.1").status_code == 429


def test_nobody_chooses_an_address_by_a_header():
    service = limited(limit_requests_per_minute=1)
    answers = [from_address(service, "192.0.2.1", **{"X-Forwarded-For": f"198.51.100.{n}"}) for n in range(2)]
    assert [answer.status_code for answer in answers] == [200, 429]


def test_a_trusted_proxy_tells_the_address_and_the_client_cannot():
    service = limited(limit_requests_per_minute=1, trusted_proxies=1)
    forwarded = ["198.51.100.1", "203.0.113.9, 198.51.100.1", "198.51.100.2"]
    answers = [from_address(service, "10.0.0.1", **{"X-Forwarded-For": chain}) for chain in forwarded]
    assert [answer.status_code for answer in answers] == [200, 429, 200]


def test_those_who_look_after_the_service_are_not_limited():
    service = limited(limit_requests_per_minute=1)
    service.call("GET", "/v1/tiles")
    for path in ("/healthz", "/readyz", "/metrics"):
        answer = service.call("GET", path)
        assert (answer.status_code, "RateLimit" in answer.headers) == (200, False)
    preflight = service.http.options("/v1/tiles", headers={"Access-Control-Request-Method": "GET"})
    assert preflight.status_code < 300


def test_requests_without_the_store_are_limited_by_each_worker():
    service = Service(store=Away(fakeredis.FakeRedis()), limits=True, limit_requests_per_minute=2)
    answers = [service.call("GET", "/v1/tiles") for _ in range(3)]
    assert [answer.status_code for answer in answers] == [200, 200, 429]
    assert left(answers[0]) == 1
