"""The metrics, and their Prometheus text format."""

import re
import time

import fakeredis
import pytest

from skye_server.error_codes import ERROR_CODES, Problem
from skye_server.http.framework import collaborators
from skye_server.observability.metrics import BUCKETS_S, pattern
from skye_server.store.connection.calls import RetryPolicy
from skye_server.store.redis_games import RedisGames
from skye_server.store.redis_store import RedisStore
from tests.support.endpoints import PLAYER_KEY
from tests.support.playing import Service
from tests.support.stores import store_of

SAMPLE = re.compile(r'(skye_\w+)(?:\{((?:\w+="[^"\\\n]*",?)*)\})? (-?[0-9.e+-]+)')


def scrape(service):
    """Return each sample of /metrics: {("skye_x_total", {("label", "value"), ...}): number}."""
    answer = service.call("GET", "/metrics")
    assert answer.status_code == 200, answer.text
    assert answer.content_type == "text/plain; version=0.0.4; charset=utf-8"
    assert answer.text.endswith("\n")
    samples, family = {}, ""
    for line in answer.text.splitlines():
        if line.startswith("#"):
            family = line.split()[2]
            continue
        name, labels, value = SAMPLE.fullmatch(line).groups()
        assert name.startswith(family), line
        key = name, frozenset(re.findall(r'(\w+)="([^"]*)"', labels or ""))
        assert key not in samples, line
        samples[key] = float(value)
    return samples


def value(samples, name, **labels):
    return samples.get((f"skye_{name}", frozenset(labels.items())), 0)


def test_every_metric_has_a_type_and_a_meaning(service):
    service.call("GET", "/v1/tiles")
    text = service.call("GET", "/metrics").text
    names = set(re.findall(r"^(skye_\w+?)(?:_bucket|_sum|_count)?[{ ]", text, re.MULTILINE))
    assert names == set(re.findall(r"^# TYPE (\w+) (?:counter|gauge|histogram)$", text, re.MULTILINE))
    assert "_created" not in text
    assert names == set(re.findall(r"^# HELP (\w+) \w.*\.$", text, re.MULTILINE))


def test_metrics_have_the_only_format_that_the_server_offers(service):
    openmetrics, plain = (
        "application/openmetrics-text;version=1.0.0",
        "text/plain;version=0.0.4;charset=utf-8",
    )
    accept = f"{openmetrics};q=0.5,{plain};q=0.3,*/*;q=0.1"
    answer = service.call("GET", "/metrics", headers={"Accept": accept})
    assert (answer.status_code, answer.content_type) == (200, "text/plain; version=0.0.4; charset=utf-8")


def test_answers_are_counted_by_route_method_and_status(service):
    game = service.create_game()
    for _ in range(2):
        game.view(0)
    game.call("GET", token="x")
    service.call("HEAD", game.path())
    samples = scrape(service)
    route = {"route": "/v1/games/{game}", "method": "GET"}
    assert value(samples, "requests_total", **route, status="200") == 2
    assert value(samples, "requests_total", **route, status="401") == 1
    assert value(samples, "requests_total", **route | {"method": "HEAD"}, status="200") == 1
    assert value(samples, "requests_total", route="/v1/games", method="POST", status="201") == 1


def test_requests_without_a_route_share_one_metric_label(service):
    service.call("GET", "/v1/nowhere")
    service.call("BREW", "/v1/tiles")
    samples = scrape(service)
    assert value(samples, "requests_total", route="", method="", status="404") == 1
    assert value(samples, "requests_total", route="", method="", status="405") == 1


def test_histogram_counts_response_times(service):
    started = time.perf_counter()
    for _ in range(3):
        service.call("GET", "/v1/tiles")
    taken_s = time.perf_counter() - started
    samples = scrape(service)
    route = {"route": "/v1/tiles", "method": "GET"}
    bounds = [*map(str, BUCKETS_S), "+Inf"]
    counts = [value(samples, "request_duration_seconds_bucket", **route, le=bound) for bound in bounds]
    assert counts == sorted(counts)
    assert counts[-1] == value(samples, "request_duration_seconds_count", **route) == 3
    assert 0 < value(samples, "request_duration_seconds_sum", **route) <= taken_s


def test_errors_are_counted_by_code(service):
    game = service.create_game(2)
    game.call("GET", token="x")
    service.call("GET", "/v1/nowhere")
    service.call("POST", "/v1/games", data="{", content_type="application/json")
    game.call("POST", "building/finish", seat=0)
    samples = scrape(service)
    received = {
        labels["code"]: n for (name, pairs), n in samples.items() if (labels := dict(pairs)).get("code")
    }
    assert received.keys() == ERROR_CODES.keys()
    assert {code for code, number in received.items() if number} == {
        "token_unknown",
        "not_found",
        "malformed_json",
        "wrong_phase",
    }


def test_milestones_of_games_are_counted(service):
    service.create_game(2, start=False)
    aborted = service.create_game(2)
    aborted.abort()
    service.create_game(2, bots={0: "random", 1: "random"})
    game = service.create_game(2)
    game.call("POST", "resign", seat=0)
    game.call("POST", "resign", seat=1)
    samples = scrape(service)
    events = {
        event: value(samples, "games_total", event=event)
        for event in ("created", "started", "finished", "aborted")
    }
    assert events == {"created": 4, "started": 3, "finished": 2, "aborted": 1}


def test_listed_games_are_counted_by_status(service):
    service.create_game(2, start=False)
    service.create_game(2, start=False)
    service.create_game(2)
    service.create_game(2, visibility="private")
    service.create_game(2, bots={0: "random", 1: "random"})
    samples = scrape(service)
    listed = {
        status: value(samples, "listed_games", status=status) for status in ("lobby", "playing", "finished")
    }
    assert listed == {"lobby": 2, "playing": 1, "finished": 1}
    assert value(samples, "store_up") == 1


def test_metrics_are_served_while_the_store_is_unavailable():
    def away(*_asked):
        raise Problem("store_unavailable")

    store = RedisStore(fakeredis.FakeRedis())
    store.index.sizes = away
    samples = scrape(Service(store=store))
    assert samples["skye_store_up", frozenset()] == 0
    assert not [name for name, _ in samples if name == "skye_listed_games"]


@pytest.mark.parametrize("path", ["/metrics", "/readyz"])
def test_operators_endpoint_makes_no_call_with_retries(service, monkeypatch, path):
    retried, run = [], RetryPolicy.run

    def recorded(self, attempt, *, retries=True, **options):
        retried.append(retries)
        return run(self, attempt, retries=retries, **options)

    monkeypatch.setattr(RetryPolicy, "run", recorded)
    service.call("GET", path)
    assert retried
    assert not any(retried)


def test_commits_that_come_too_late_are_counted():
    class Beaten(RedisGames):
        beaten = 2

        def commit(self, commit):
            if commit.expected_prefix is not None and self.beaten:
                self.beaten -= 1
                return False
            return super().commit(commit)

    service = Service(store=store_of(fakeredis.FakeRedis(server=fakeredis.FakeServer()), Beaten))
    game = service.create_game(2, start=False)
    assert game.call("POST", "start", token=game.host).status_code == 200
    assert value(scrape(service), "commit_conflicts_total") == 2


def test_open_streams_are_counted_and_those_of_players_apart(service):
    game = service.create_game(2)
    opened = [service.call("GET", "/v1/me/events/stream", token=PLAYER_KEY)]
    opened += [game.call("GET", "events/stream") for _ in range(2)]
    for streams, of_players in ((3, 1), (0, 0)):
        samples = scrape(service)
        assert value(samples, "open_streams") == streams
        assert value(samples, "open_player_streams") == of_players
        for stream in opened:
            stream.close()


def test_due_work_and_dispatchers_are_counted(service):
    service.create_game(2, options={"turn_ms": 1000})
    samples = scrape(service)
    assert (value(samples, "dispatchers"), value(samples, "due_entries", kind="game")) == (0, 1)
    service.clock.now += 3
    assert value(scrape(service), "due_delay_seconds", kind="game") == 2
    collaborators(service.app).games.store.due.beat("one", int(service.clock.now * 1000))
    assert value(scrape(service), "dispatchers") == 1


def test_no_label_has_the_id_of_a_game_or_a_token(service):
    game = service.create_game(2)
    for seat in range(2):
        game.actions(seat)
    text = service.call("GET", "/metrics").text
    for secret in (game.id, game.host, *game.tokens):
        assert secret not in text


@pytest.mark.parametrize(
    ("rule", "written"),
    [
        ("/v1/games/<game>/players/<seat:seat>", "/v1/games/{game}/players/{seat}"),
        ("/v1/tiles/<tile>/picture.svg", "/v1/tiles/{tile}/picture.svg"),
        ("", ""),
    ],
)
def test_route_is_written_as_in_the_contract(rule, written):
    assert pattern(rule) == written
