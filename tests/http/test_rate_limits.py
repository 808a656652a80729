"""Rate limits on requests and on created games."""

import io
import itertools
import json
import re

import fakeredis
import pytest

from skye_server import cooperative_yield
from skye_server import setting_parsers as parsers
from skye_server.client_address import network
from skye_server.games.scenarios import SCENARIOS
from skye_server.games.transitions import FREE_REVISIONS, REVISIONS_PER_KB
from skye_server.http import rate_limits
from skye_server.settings import DAY_S, Settings
from tests.http.rate_limited import Away
from tests.support.endpoints import PLAYER_KEY
from tests.support.playing import Service, limited, problem_code

pytestmark = pytest.mark.usefixtures("stopped_clock")


def from_address(service, address, path="/v1/tiles", **headers):
    return service.call("GET", path, headers=headers, environ_base={"REMOTE_ADDR": address})


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
def test_addresses_of_one_ipv6_network_share_a_budget(address, whose):
    assert network(address) == whose


def left(answer):
    """Return how much of a budget is left."""
    return int(re.search(r";r=(\d+);", answer.headers["RateLimit"])[1])


def test_requests_are_not_limited_by_default(service):
    assert not Settings().is_limited
    answer = service.call("GET", "/v1/tiles")
    assert not [name for name, _ in answer.headers if name.startswith("RateLimit")]
    assert service.redis.keys() == []
    hooks = [hook for hooks in service.app.before_request_funcs.values() for hook in hooks]
    assert "skye_server.http.rate_limits" not in {hook.__module__ for hook in hooks}


def test_each_limit_can_be_left_out():
    service = limited()
    answer = service.call("GET", "/v1/tiles")
    assert answer.status_code == 200
    assert "RateLimit" not in answer.headers


def test_response_has_the_rest_of_the_budget():
    service = limited(limit_requests_per_minute=3)
    answer = service.call("GET", "/v1/tiles")
    assert answer.headers["RateLimit-Policy"] == '"requests";q=3;w=60'
    assert answer.headers["RateLimit"] == '"requests";r=2;t=20'


def test_one_request_too_many_is_refused():
    service = limited(limit_requests_per_minute=2)
    service.call("GET", "/v1/tiles")
    assert service.call("GET", "/v1/nowhere").status_code == 404
    refused = service.call("GET", "/v1/tiles")
    assert (refused.status_code, problem_code(refused)) == (429, "too_many_requests")
    assert refused.headers["Retry-After"] == "30"
    assert left(refused) == 0


def test_refused_request_changes_nothing():
    service = limited(limit_requests_per_minute=2)
    game = service.create_game(2, start=False)
    service.call("GET", "/v1/tiles")
    before = service.stored()
    assert problem_code(game.call("POST", "start", token=game.host)) == "too_many_requests"
    assert service.stored() == before


def test_creating_games_has_a_budget_of_its_own():
    service = limited(limit_requests_per_minute=1, limit_games_per_minute=2)
    assert service.call("GET", "/v1/games").status_code == 200
    created = [service.call("POST", "/v1/games", {}) for _ in range(3)]
    assert [answer.status_code for answer in created] == [201, 201, 429]
    assert [answer.headers["RateLimit-Policy"] for answer in created] == ['"games";q=2;w=60'] * 3


def test_creation_without_a_limit_of_games_counts_as_a_request():
    service = limited(limit_requests_per_minute=1)
    created = [service.call("POST", "/v1/games", {}) for _ in range(2)]
    assert [answer.status_code for answer in created] == [201, 429]


def test_token_brings_no_games_beyond_those_of_its_address():
    service = limited(limit_games_per_minute=1)
    game = service.create_game()
    game.view(0)
    assert service.call("POST", "/v1/games", {}, game.tokens[0]).status_code == 429


def test_all_tokens_of_an_address_share_its_budget():
    service = limited(limit_requests_per_minute=4)
    game = service.create_game(2)
    tokens = [*game.tokens, game.host, "skye_invented"]
    answers = [game.call("GET", token=token).status_code for token in tokens]
    assert answers == [200, 200, 200, 429]


def test_guessed_player_keys_use_up_the_limit_of_their_address():
    service = limited(limit_requests_per_minute=3)
    keys = [f"skye_key_{letter * 22}" for letter in "abcd"]
    answers = [service.call("GET", "/v1/me/games", token=key) for key in keys]
    assert [answer.status_code for answer in answers] == [200, 200, 200, 429]


def stored_by(service, address, method="POST", path="/v1/games", body=None, token=None):
    return service.call(method, path, body, token, environ_base={"REMOTE_ADDR": address})


def test_what_an_address_has_stored_is_limited_by_the_day():
    service = limited(limit_stored_kb_per_day=2 * rate_limits.GAME_KB)
    codes = [stored_by(service, "192.0.2.1", body={}).status_code for _ in range(3)]
    refused = stored_by(service, "192.0.2.1", body={})
    assert (codes, problem_code(refused)) == ([201, 201, 429], "too_many_requests")
    assert refused.headers["RateLimit-Policy"] == f'"stored_kilobytes";q={2 * rate_limits.GAME_KB};w=86400'
    assert refused.headers["Retry-After"] == str(86_400 // 2)
    assert stored_by(service, "192.0.2.2", body={}).status_code == 201


def test_ipv6_site_may_have_eight_times_as_much_stored():
    service = limited(limit_stored_kb_per_day=rate_limits.GAME_KB)
    sites = [[f"2001:db8:{site}:{number:x}::1" for number in range(10)] for site in (1, 2)]
    codes = [[stored_by(service, address, body={}).status_code for address in each] for each in sites]
    assert codes == [[201] * 8 + [429] * 2] * 2
    assert "/48" in stored_by(service, "2001:db8:1:a::1", body={}).json["detail"]


def test_exempt_network_may_have_any_number_stored():
    exempt = parsers.networks("192.0.2.0/24, 2001:db8::/32")
    service = limited(limit_stored_kb_per_day=1, limit_stored_exempt=exempt)
    for address, status in (("192.0.2.9", 201), ("::ffff:192.0.2.9", 201), ("2001:db8::1", 201)):
        assert [stored_by(service, address, body={}).status_code for _ in range(3)] == [status] * 3
    assert [stored_by(service, "198.51.100.1", body={}).status_code for _ in range(2)] == [201, 429]


def test_each_kind_of_creation_has_its_weight():
    budget, address = 20_000, "192.0.2.1"
    service = limited(limit_stored_kb_per_day=budget)
    pair = {"players": [{"name": "Ann"}, {"name": "Bob"}], "auto_start": True}
    two = rate_limits.GAME_KB + 2 * rate_limits.SEAT_KB

    def cost(path, body, token=None, code=201):
        before = level(service, address)
        answer = stored_by(service, address, path=path, body=body, token=token)
        assert answer.status_code == code, answer.text
        return answer.json, round((level(service, address) - before) * budget / 86_400e6)

    with_bot = {"players": [{"name": "Ann"}, {"bot": "random"}]}
    lobby, lobby_kb = cost("/v1/games", with_bot)
    assert lobby_kb == rate_limits.GAME_KB + rate_limits.SEAT_KB + rate_limits.BOT_KB
    assert cost(f"/v1/games/{lobby['game']['id']}/players", {"name": "Cy"})[1] == rate_limits.SEAT_KB
    assert cost("/v1/games", pair)[1] == two
    game, _ = cost("/v1/games", with_bot | {"auto_start": True})
    path, token = f"/v1/games/{game['game']['id']}", game["players"][0]["token"]
    assert cost(f"{path}/abort", None, game["host_token"], 200)[1] == 0
    assert cost(f"{path}/rematch", None, token)[1] == rate_limits.REMATCH_KB
    ticket = {"name": "Ann", "seat_count": 2}
    assert cost("/v1/matchmaking/tickets", ticket, PLAYER_KEY)[1] == rate_limits.TICKET_KB
    replay = {"scenario": "undo_limit"}
    actions = len(SCENARIOS["undo_limit"].actions)
    assert cost("/v1/games", replay)[1] == rate_limits.GAME_KB + actions // rate_limits.ACTIONS_PER_KB


def test_revisions_beyond_those_of_a_game_cost_what_they_store():
    budget = rate_limits.GAME_KB + 2 * rate_limits.SEAT_KB + 1
    service, address = limited(limit_stored_kb_per_day=budget), "192.0.2.1"
    pair = {"players": [{"name": "Ann"}, {"name": "Bob"}], "auto_start": True}
    created = stored_by(service, address, body=pair).json
    tokens = [player["token"] for player in created["players"]]

    def act(seat, address):
        path = f"/v1/games/{created['game']['id']}/players/{seat}/actions"
        action = service.get(path, tokens[seat])["actions"][0]
        return stored_by(service, address, action["method"], action["href"], action["body"], tokens[seat])

    codes = [act(0, address).status_code for _ in range(FREE_REVISIONS + 2 * REVISIONS_PER_KB)]
    assert codes == [200] * len(codes)  # the first offer revises nothing
    assert [act(0, each).status_code for each in (address, "192.0.2.2")] == [429, 200]
    assert act(1, address).json["phase"] == "buying"  # the game goes on


def level(service, address):
    """Return the level of the bucket of what an address has stored, in microseconds."""
    empty_at = int(service.redis.get(f"skye:bucket:stored_kilobytes:{address}") or 0)
    seconds, microseconds = service.redis.time()
    return max(empty_at - (1_000_000 * seconds + microseconds), 0)


def test_class_of_thirty_and_a_batch_of_an_arena_are_within_the_defaults():
    settings, players = Settings(), 4
    game = rate_limits.GAME_KB + players * rate_limits.SEAT_KB
    assert 30 * 20 * game <= settings.limit_stored_kb_per_day
    assert 100 * game <= settings.limit_stored_kb_per_day
    kept = settings.game_ttl_playing_s // DAY_S * settings.limit_stored_kb_per_day * 1000
    assert kept <= (100 - settings.redis_reserve_percent) / 100 * 2**30


def test_key_replacements_of_an_address_are_limited_by_the_day(monkeypatch):
    monkeypatch.setattr("skye_server.http.rate_limits.KEY_REPLACEMENTS", 2)
    service = limited()
    keys = [f"skye_key_{letter * 22}" for letter in "abcd"]
    answers = [service.call("PUT", "/v1/me/key", {"key": new}, key) for key, new in itertools.pairwise(keys)]
    assert [answer.status_code for answer in answers] == [200, 200, 429]
    assert answers[0].headers["RateLimit-Policy"] == '"key_replacements";q=2;w=86400'
    assert answers[2].json["detail"] == "This address may use 2 key replacements a day; this costs 1."


def test_game_of_bots_costs_one_more_for_each_bot():
    service = limited(limit_games_per_minute=10)
    bots = {"players": [{"bot": "random"}] * 3, "auto_start": True}
    answers = [service.call("POST", "/v1/games", bots) for _ in range(3)]
    assert [answer.status_code for answer in answers] == [201, 201, 429]
    assert [left(answer) for answer in answers] == [6, 2, 1]


def test_game_of_bots_within_a_small_limit_is_created():
    service = limited(limit_games_per_minute=2)
    assert (
        service.call(
            "POST", "/v1/games", {"players": [{"bot": "random"}] * 3, "auto_start": True}
        ).status_code
        == 201
    )


@pytest.mark.parametrize("player", [{"bot": "random"}, {"name": "Bea"}])
def test_seat_taken_in_a_lobby_costs_one_game(player):
    service = limited(limit_games_per_minute=3)
    game = service.create_game(1, start=False)
    statuses = []
    for _ in range(3):
        answer = game.call("POST", "players", player, token=game.host)
        statuses.append(answer.status_code)
        game.call("DELETE", seat=1, token=game.host)
    assert statuses == [201, 201, 429]


def test_export_of_a_player_costs_more_for_games_that_are_over():
    service = limited(limit_requests_per_minute=500)
    body, key = (
        {"games": [{"players": [{"name": "Ann"}]}] * 60},
        {"Idempotency-Key": "once-0123456789abcdefghijk"},
    )
    for game in service.call("POST", "/v1/batches", body, PLAYER_KEY, key).json["games"]:
        service.call("POST", f"/v1/games/{game['game_id']}/abort", token=PLAYER_KEY)
    before = left(service.call("GET", "/v1/me/games?limit=1", token=PLAYER_KEY))
    assert before - left(service.call("GET", "/v1/me/games/records?limit=1", token=PLAYER_KEY)) == 2


def test_rematch_costs_one_game_and_one_more_for_each_bot():
    service = limited(limit_games_per_minute=20)
    old = service.create_game(4, bots={1: "random", 2: "random", 3: "random"})
    old.abort()
    answer = old.call("POST", "rematch", token=old.tokens[0])
    assert (answer.status_code, left(answer)) == (201, 20 - 4 - 4)


def test_record_costs_one_game_more_for_every_250_actions(service):
    record = service.create_game(2).call("GET", "record").json
    action = {"round": 1, "phase": "building", "seat": 0, "type": "finish_building"}
    limited_service = limited(limit_games_per_minute=10)
    body = {"record": record | {"actions": [action] * 500, "options": record["options"] | {"seed": "x"}}}
    assert left(limited_service.call("POST", "/v1/games", body)) == 7


def test_large_body_costs_as_much_as_several_requests():
    service = limited(limit_requests_per_minute=10)
    answer = service.call("POST", "/v1/score", {"x": "x" * 140_000})
    assert left(answer) == 7


def test_large_chunked_body_costs_as_much_as_several_requests():
    service = limited(limit_requests_per_minute=10)
    body = io.BytesIO(json.dumps({"x": "x" * 140_000}).encode())
    chunked = {"wsgi.input_terminated": True, "CONTENT_LENGTH": None}
    answer = service.http.post(
        "/v1/scoring", input_stream=body, content_type="application/json", environ_overrides=chunked
    )
    assert (problem_code(answer), left(answer)) == ("invalid_body", 7)


def test_request_about_many_games_of_a_player_costs_more():
    service = limited(limit_requests_per_minute=50)
    body, key = (
        {"games": [{"players": [{"name": "Ann"}]}] * 100},
        {"Idempotency-Key": "once-0123456789abcdefghijk"},
    )
    assert left(service.call("POST", "/v1/batches", body, PLAYER_KEY, key)) == 49
    paths = ("/v1/me/games?limit=1", "/v1/me/events?limit=1", "/v1/me/games/records?limit=1")
    assert [left(service.call("GET", path, token=PLAYER_KEY)) for path in paths] == [46, 43, 40]
    with service.call("GET", "/v1/me/events/stream", token=PLAYER_KEY) as stream:
        assert left(stream) == 37


def test_address_has_its_own_budget():
    service = limited(limit_requests_per_minute=1)
    assert from_address(service, "192.0.2.1").status_code == 200
    assert from_address(service, "192.0.2.2").status_code == 200
    assert from_address(service, "192.0.2.1").status_code == 429


def test_address_in_a_header_of_the_client_is_ignored():
    service = limited(limit_requests_per_minute=1)
    answers = [from_address(service, "192.0.2.1", **{"X-Forwarded-For": f"198.51.100.{n}"}) for n in range(2)]
    assert [answer.status_code for answer in answers] == [200, 429]


def test_client_address_is_taken_from_a_trusted_proxy_only():
    service = limited(limit_requests_per_minute=1, trusted_proxies=1)
    forwarded = ["198.51.100.1", "203.0.113.9, 198.51.100.1", "198.51.100.2"]
    answers = [from_address(service, "10.0.0.1", **{"X-Forwarded-For": chain}) for chain in forwarded]
    assert [answer.status_code for answer in answers] == [200, 429, 200]


@pytest.mark.parametrize(
    ("with_port", "without"),
    [
        ("203.0.113.1:1234", "203.0.113.1"),
        ("[2001:db8::1]:1234", "2001:db8::1"),
        ("[2001:db8::1]", "2001:db8::1"),
    ],
)
def test_port_of_a_forwarded_address_is_ignored(with_port, without):
    service = limited(limit_requests_per_minute=1, trusted_proxies=1)
    forwarded = [with_port, without, "198.51.100.1:1234"]
    answers = [from_address(service, "10.0.0.1", **{"X-Forwarded-For": address}) for address in forwarded]
    assert [answer.status_code for answer in answers] == [200, 429, 200]


def test_health_checks_are_not_limited():
    service = limited(limit_requests_per_minute=1)
    service.call("GET", "/v1/tiles")
    for path in ("/healthz", "/readyz"):
        answer = service.call("GET", path)
        assert (answer.status_code, "RateLimit" in answer.headers) == (200, False)
    preflight = service.http.options("/v1/tiles", headers={"Access-Control-Request-Method": "GET"})
    assert preflight.status_code < 300


def test_requests_without_the_store_are_limited_by_each_worker():
    service = Service(store=Away(fakeredis.FakeRedis()), limits=True, limit_requests_per_minute=2)
    answers = [service.call("GET", "/v1/tiles") for _ in range(3)]
    assert [answer.status_code for answer in answers] == [200, 200, 429]
    assert left(answers[0]) == 1


def test_computation_is_charged_by_its_cpu_time_afterwards(monkeypatch):
    monkeypatch.setattr(cooperative_yield, "cpu_time", itertools.count().__next__)  # a second in each slice
    service = limited(limit_requests_per_minute=100)
    place = f"{service.create_game(2).path()}?at_event=1"
    first = service.call("GET", place)
    assert (first.status_code, left(first)) == (200, 0)
    refused = service.call("GET", place)
    assert problem_code(refused) == "too_many_requests"
    assert (
        int(refused.headers["Retry-After"]) > 60
    )  # a second costs more than the 200 requests that can be overdrawn
    assert service.call("GET", place, environ_base={"REMOTE_ADDR": "192.0.2.9"}).status_code == 200


def test_computations_wait_in_the_queue_of_their_address(service, monkeypatch):
    addresses, acquire = [], cooperative_yield.slot.acquire
    monkeypatch.setattr(
        cooperative_yield.slot, "acquire", lambda *facts: addresses.append(facts[0]) or acquire(*facts)
    )
    game = service.create_game(2)
    service.call("GET", f"{game.path()}?at_event=1", environ_base={"REMOTE_ADDR": "2001:db8:1:2:3::9"})
    assert set(addresses) == {"20010db800010002"}
