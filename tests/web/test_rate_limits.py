"""The limits on requests and on new games."""

import time

import fakeredis
import pytest

from service.matches.errors import Problem
from service.settings import Settings
from service.storage.redis_store import RedisStore
from service.web.rate_limits import Budget, Limiter, network
from tests.deploy.servers import waited_for
from tests.support.playing import Service, code_of, limited


@pytest.fixture
def limiter(any_redis):
    return Limiter(RedisStore(any_redis))


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
    budget = Budget("tests", 3, window_s=60)
    first = limiter.spend(budget, "ann")
    assert (first.wait_s, first.reset_s) == (0, 20)
    for _ in range(2):
        limiter.spend(budget, "ann")
    refused = limiter.spend(budget, "ann")
    assert (refused.wait_s, refused.reset_s) == (20, 60)


def let_pass(redis, seconds):
    """Let Ann's bucket be from so many seconds ago: the clock is Redis's, and what is kept is a time."""
    redis.decrby("skye:bucket:tests:ann", seconds * 1_000_000)


def test_a_budget_comes_back_bit_by_bit(any_redis, limiter):
    budget = Budget("tests", 2, window_s=60)
    assert limiter.spend(budget, "ann").allowed
    assert limiter.spend(budget, "ann").allowed
    let_pass(any_redis, 10)
    assert not limiter.spend(budget, "ann").allowed
    let_pass(any_redis, 25)
    assert limiter.spend(budget, "ann").allowed
    assert not limiter.spend(budget, "ann").allowed


def test_a_budget_comes_back_by_itself(limiter):
    budget = Budget("tests", 1, window_s=0.4)
    begun = time.monotonic()
    limiter.spend(budget, "ann")
    assert waited_for(lambda: limiter.spend(budget, "ann").allowed)
    assert time.monotonic() - begun > 0.39


def test_a_refused_request_costs_nothing(any_redis, limiter):
    budget = Budget("tests", 1, window_s=60)
    limiter.spend(budget, "ann")
    assert not any(limiter.spend(budget, "ann").allowed for _ in range(10))
    let_pass(any_redis, 61)
    assert limiter.spend(budget, "ann").allowed


def test_everybody_has_a_budget_of_each_kind(limiter):
    assert limiter.spend(Budget("tests", 1), "ann").allowed
    assert limiter.spend(Budget("tests", 1), "bob").allowed
    assert limiter.spend(Budget("games", 1), "ann").allowed
    assert not limiter.spend(Budget("tests", 1), "ann").allowed


def test_two_instances_spend_the_same_budget(any_redis):
    one, other = Limiter(RedisStore(any_redis)), Limiter(RedisStore(any_redis))
    assert one.spend(Budget("tests", 1), "ann").allowed
    assert not other.spend(Budget("tests", 1), "ann").allowed


def test_a_bucket_is_gone_when_it_is_empty(any_redis, limiter):
    limiter.spend(Budget("tests", 4, window_s=60), "ann")
    assert any_redis.keys() == [b"skye:bucket:tests:ann"]
    assert 14_000 < any_redis.pttl("skye:bucket:tests:ann") <= 15_000


def test_a_clock_that_is_set_back_locks_nobody_out(any_redis, limiter):
    an_hour_ahead = (int(time.time()) + 3600) * 1_000_000
    any_redis.set("skye:bucket:tests:ann", an_hour_ahead)
    assert limiter.spend(Budget("tests", 1), "ann").allowed


def test_nobody_is_limited_while_the_store_is_away_nor_waits_for_it_twice():
    store = Away(fakeredis.FakeRedis())
    limiter = Limiter(store)
    assert [limiter.spend(Budget("tests", 1), "ann") for _ in range(5)] == [None] * 5
    assert store.asked == 1


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
    assert "RateLimit-Limit" not in answer.headers


def test_an_answer_tells_what_is_left():
    service = limited(limit_requests_per_minute=3)
    answer = service.call("GET", "/v1/tiles")
    told = {name: answer.headers[f"RateLimit-{name}"] for name in ("Limit", "Remaining", "Reset")}
    assert told == {"Limit": "3", "Remaining": "2", "Reset": "20"}


def test_one_request_too_many_is_refused():
    service = limited(limit_requests_per_minute=2)
    service.call("GET", "/v1/tiles")
    assert service.call("GET", "/v1/nowhere").status_code == 404
    refused = service.call("GET", "/v1/tiles")
    assert (refused.status_code, code_of(refused)) == (429, "too_many_requests")
    assert refused.headers["Retry-After"] == "30"
    assert refused.headers["RateLimit-Remaining"] == "0"


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
    assert [answer.headers["RateLimit-Limit"] for answer in created] == ["2", "2", "2"]


def test_a_token_brings_no_games_beyond_those_of_its_address():
    service = limited(limit_games_per_minute=1)
    game = service.table()
    game.view(0)
    assert service.call("POST", "/v1/games", {}, game.tokens[0]).status_code == 429


def test_a_token_that_has_opened_a_game_has_a_budget_of_its_own():
    service = limited(limit_requests_per_minute=2)
    game = service.table(2)
    game.view(0)  # spends one of the address, by which the token becomes known
    answers = [game.call("GET", token=game.tokens[0]) for _ in range(3)]
    assert [answer.status_code for answer in answers] == [200, 200, 429]
    assert "This token" in answers[2].json["detail"]
    assert service.call("GET", "/v1/tiles").status_code == 200
    assert service.call("GET", "/v1/tiles").status_code == 429


def test_invented_tokens_spend_the_budget_of_their_address():
    service = limited(limit_requests_per_minute=3)
    game = service.table(2)
    answers = [game.call("GET", token=f"skye_{number}") for number in range(4)]
    assert [answer.status_code for answer in answers] == [401, 401, 401, 429]
    for path in ("/v1/tiles", "/v1/games", "/v1/nowhere"):
        assert service.call("GET", path, token="skye_another").status_code == 429


def test_a_preflight_makes_no_token_known():
    service = limited(limit_requests_per_minute=1)
    game = service.table(2)
    assert service.http.options(game.path(), headers={"Authorization": "Bearer x"}).status_code < 300
    game.view()
    assert game.call("GET", token="x").status_code == 429


def test_a_token_spelled_otherwise_is_the_same_token():
    service = limited(limit_requests_per_minute=1)
    game = service.table(2)
    game.view(0)
    spellings = [f"{scheme} {game.tokens[0]}" for scheme in ("Bearer", "bearer", "BEARER ")]
    answers = [service.call("GET", game.path(), headers={"Authorization": text}) for text in spellings]
    assert [answer.status_code for answer in answers] == [200, 429, 429]


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
        assert (answer.status_code, "RateLimit-Limit" in answer.headers) == (200, False)
    preflight = service.http.options("/v1/tiles", headers={"Access-Control-Request-Method": "GET"})
    assert preflight.status_code < 300


def test_requests_pass_while_the_store_is_away():
    service = Service(store=Away(fakeredis.FakeRedis()), limits=True, limit_requests_per_minute=1)
    answers = [service.call("GET", "/v1/tiles") for _ in range(3)]
    assert [answer.status_code for answer in answers] == [200, 200, 200]
    assert "RateLimit-Limit" not in answers[0].headers
