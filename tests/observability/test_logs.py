"""The logs: one JSON object a line, and no secret in any."""

import json
import logging
import subprocess
import sys
from datetime import UTC, datetime, timedelta

import fakeredis
import pytest

from skye_server.observability.logs import RedactingFormatter, facts
from skye_server.store.redis_games import RedisGames
from tests.support.playing import Service
from tests.support.stores import store_of


@pytest.fixture
def lines(caplog):
    """A function that returns the formatted log lines of the service from level info."""
    caplog.set_level(logging.INFO, "skye_server")

    def written():
        return [json.loads(RedactingFormatter().format(record)) for record in caplog.records]

    return written


def line(message="something", *values, **more):
    record = logging.LogRecord("skye_server.tests", logging.WARNING, __file__, 1, message, values, None)
    vars(record).update(more)
    return RedactingFormatter().format(record)


def failure(error):
    try:
        raise error
    except type(error):
        return sys.exc_info()


def test_line_has_time_level_and_message():
    received = json.loads(line("%s is away", "redis"))
    at = datetime.fromisoformat(received.pop("time"))
    assert received == {"level": "warning", "logger": "skye_server.tests", "message": "redis is away"}
    assert timedelta(0) <= datetime.now(UTC) - at < timedelta(hours=1)


def test_facts_become_fields_and_those_that_are_none_are_left_out():
    received = json.loads(line(**facts(game="abc", seat=0, code=None)))
    assert (received["game"], received["seat"], "code" in received) == ("abc", 0, False)


@pytest.mark.parametrize("text", ["two\nlines", "\x1b[31mred", "\u2028", '"quoted"', "\udc80"])
def test_log_line_with_line_breaks_in_its_values_is_one_line(text):
    written = line(text, **facts(game=text))
    assert written.isascii()
    assert written.isprintable()
    assert json.loads(written)["game"] == text


def test_error_is_logged_with_its_traceback():
    received = json.loads(line(exc_info=failure(ValueError("what was wrong"))))
    assert received["exception"].startswith("Traceback")
    assert "what was wrong" in received["exception"]


def test_token_in_an_error_is_redacted(service):
    token = service.create_game().tokens[0]
    written = line("about %s", token, exc_info=failure(ValueError(f"no {token} here")), **facts(game=token))
    assert token not in written
    assert token[6:] not in written
    assert written.count("skye_(hidden)") == 3


def test_request_at_level_warning_is_not_logged(service, caplog):
    caplog.set_level(logging.WARNING, "skye_server")
    service.create_game()
    assert caplog.records == []


def test_each_response_at_level_info_has_a_log_line(service, lines):
    game = service.create_game()
    game.call("PUT", "offer", {}, seat=1, headers={"X-Request-Id": "mine"})
    created, refused = lines()
    assert created["route"] == "/v1/games"
    assert (created["method"], created["status"]) == ("POST", 201)
    assert 0 < refused.pop("duration_ms") < 10_000
    del refused["time"]
    assert refused == {
        "level": "info",
        "logger": "skye_server.http.middleware",
        "message": "answered",
        "request_id": "mine",
        "method": "PUT",
        "route": "/v1/games/{game}/players/{seat}/offer",
        "status": 422,
        "code": "invalid_body",
        "game": game.id,
        "seat": 1,
    }


def test_request_without_a_route_is_logged_without_its_path(service, lines):
    service.call("GET", "/v1/nowhere/secret")
    (received,) = lines()
    assert (received["status"], received["code"], "route" in received) == (404, "not_found", False)
    assert "secret" not in json.dumps(received)


def test_invalid_game_id_is_not_logged(service, lines):
    service.call("GET", "/v1/games/skye_secret")
    (received,) = lines()
    assert (received["route"], "game" in received) == ("/v1/games/{game}", False)


def test_log_lines_contain_no_token_query_or_key(service, lines):
    game = service.create_game(3, headers={"Idempotency-Key": "secret-key-0123456789abcdefghijk"})
    game.play_to("buying")
    service.call("GET", f"{game.path()}?secret-query=1", game.tokens[0])
    service.call("GET", game.path(), headers={"Authorization": "Basic secret-word"})
    service.call("GET", game.path(), headers={"X-Request-Id": game.tokens[1]})
    written = json.dumps(lines())
    for secret in (*game.tokens, game.host, "secret-key", "secret-query", "secret-word"):
        assert secret not in written


def test_unexpected_error_is_logged_with_the_id_that_its_answer_has(lines):
    class Broken(RedisGames):
        def load(self, *_asked):
            raise ZeroDivisionError("broken")

    service = Service(store=store_of(fakeredis.FakeRedis(), Broken))
    answer = service.call("GET", "/v1/games/abcdefghijkm")
    assert (answer.status_code, answer.json["code"]) == (500, "internal_error")
    error, received = lines()
    assert error["level"] == "error"
    assert "ZeroDivisionError: broken" in error["exception"]
    assert error["request_id"] == received["request_id"] == answer.headers["X-Request-Id"]


def test_gunicorn_writes_its_log_in_the_same_form():
    code = """
import logging
from gunicorn.config import Config
from skye_server.observability.gunicorn_logs import JsonLogger
config = Config()
config.set("loglevel", "warning")
for _ in range(2):  # as when the settings are loaded again
    logger = JsonLogger(config)
logger.warning("a worker is gone")
logger.info("of no interest")
logging.getLogger("skye_server.http.middleware").info("of no interest")
logging.getLogger("skye_server").error("an error")
assert not logger.access_log_enabled
"""
    written = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stderr
    received = [json.loads(line) for line in written.splitlines()]
    assert [(one["logger"], one["message"]) for one in received] == [
        ("gunicorn.error", "a worker is gone"),
        ("skye_server", "an error"),
    ]
