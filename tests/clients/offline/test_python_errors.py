"""Errors of the Python client, and what it refuses before it sends anything."""

import copy
import pickle
import time

import anyio
import httpx
import pytest

from skye_client import (
    ApiError,
    AsyncSkye,
    ConnectionFailedError,
    HistoryLostError,
    InvalidAddressError,
    RetryPolicy,
    Skye,
    UnexpectedResponseError,
    is_known,
)

PROBLEM = {
    "code": "invalid_body",
    "detail": "The body is invalid; `errors` lists the causes.",
    "errors": [
        {"pointer": "/players/0/name", "detail": "Too long."},
        {"name": "limit", "detail": "Not a number."},
    ],
}


def answering(status=200, **response):
    """Return a client whose server sends one response, and the requests that it got."""
    requests = []

    def answer(request):
        requests.append(request)
        return httpx.Response(status, **response)

    return Skye("http://test", http=httpx.Client(transport=httpx.MockTransport(answer))), requests


def test_text_of_an_api_error_has_every_cause():
    assert str(ApiError(422, PROBLEM)) == (
        "422 invalid_body: The body is invalid; `errors` lists the causes."
        "\n  /players/0/name: Too long.\n  limit: Not a number."
    )


@pytest.mark.parametrize(
    "copied", [copy.copy, copy.deepcopy, lambda error: pickle.loads(pickle.dumps(error))]
)
@pytest.mark.parametrize(
    "error",
    [
        ApiError(422, PROBLEM, 1.5, "r1"),
        ConnectionFailedError("GET /v1: cut"),
        HistoryLostError(),
        UnexpectedResponseError("not JSON"),
    ],
)
def test_error_is_copied_and_pickled_with_all_it_has(error, copied):
    same = copied(error)
    assert (type(same), str(same), vars(same)) == (type(error), str(error), vars(error))


@pytest.mark.parametrize(
    ("url", "text"),
    [
        (
            "http://127.0.0.1:8000/x",
            "http://127.0.0.1:8000 (refused): start one with `skye-server",
        ),
        ("https://skye.example", "https://skye.example (refused)"),
    ],
)
def test_error_without_a_server_names_the_address_and_what_to_start(url, text):
    def refuse(_request):
        raise httpx.ConnectError("refused")

    client = Skye(url, http=httpx.Client(transport=httpx.MockTransport(refuse)))
    with pytest.raises(ConnectionFailedError) as raised:
        client.games.list(retry=RetryPolicy(attempts=1))
    assert str(raised.value).startswith(f"no server responds at {text}")
    assert ("start" in str(raised.value)) == ("start" in text)


def test_response_of_a_proxy_is_an_error_with_its_status():
    client, requests = answering(502, text="<h1>Bad Gateway</h1>")
    with pytest.raises(ApiError, match="502 http_502: <h1>Bad Gateway</h1>"):
        client.games.list(retry=RetryPolicy(attempts=1))
    assert len(requests) == 1


@pytest.mark.parametrize(
    ("value", "expected"), [("3", 3), ("Sun, 06 Nov 1994 08:49:37 GMT", 0), ("-1", None), ("soon", None)]
)
def test_retry_after_is_a_number_or_a_date(value, expected):
    client, _ = answering(503, headers={"Retry-After": value})
    with pytest.raises(ApiError) as raised:
        client.games.list(retry=RetryPolicy(attempts=1))
    assert raised.value.retry_after_s == expected


def test_retry_after_without_a_zone_is_in_utc(monkeypatch):
    now = 784111777  # 1994-11-06 08:49:37 UTC
    monkeypatch.setenv("TZ", "America/New_York")
    time.tzset()
    try:
        client, _ = answering(503, headers={"Retry-After": time.asctime(time.gmtime(now + 60))})
        monkeypatch.setattr(time, "time", lambda: now)
        with pytest.raises(ApiError) as raised:
            client.games.list(retry=RetryPolicy(attempts=1))
    finally:
        monkeypatch.undo()
        time.tzset()
    assert raised.value.retry_after_s == 60


def test_retry_after_is_in_the_future():
    client, _ = answering(503, headers={"Retry-After": "Fri, 31 Dec 2999 23:59:59 GMT"})
    with pytest.raises(ApiError) as raised:
        client.games.list(retry=RetryPolicy(attempts=1))
    assert raised.value.retry_after_s > 0


@pytest.mark.parametrize(
    "url",
    [
        *("127.0.0.1:8000", "localhost", "ftp://test", "http://", "", "http://h?x=1", "http://h/#a"),
        *("http://a b", "http://h:99999", "http://h:74737", "http://h:0", "http://h:-1", "http://h:abc"),
        *("http://[::1", "http://:80", "http://a..b", "HTTP://h:99999"),
    ],
)
def test_address_that_cannot_be_one_is_refused(url):
    with pytest.raises(InvalidAddressError, match="is not the address of a server"):
        Skye(url)


def test_scheme_of_an_address_has_no_case():
    assert Skye(" HTTP://127.0.0.1:9201/Api/ ").transport.url == "http://127.0.0.1:9201/Api"


@pytest.mark.parametrize("path", ["undefined", "", "@example.org/", "https://example.org/"])
def test_path_that_would_change_the_host_is_not_sent(path):
    client, requests = answering()
    with pytest.raises(InvalidAddressError, match="is not the path of a request"):
        client.game("g", "skye_seat_secret").seat(0).act({"method": "PUT", "href": path})
    assert requests == []


@pytest.mark.parametrize(
    ("body", "error"), [({"name": {1}}, TypeError), ({"seats": float("nan")}, ValueError)]
)
def test_body_that_json_has_not_is_not_sent(body, error):
    client, requests = answering()
    with pytest.raises(error):
        client.games.create(body)
    assert requests == []


def test_success_that_is_not_json_is_not_repeated():
    client, requests = answering(text="<h1>Welcome</h1>")
    with pytest.raises(UnexpectedResponseError, match=r"GET /v1/games.*not JSON.*Welcome"):
        client.games.list()
    assert len(requests) == 1


def test_request_names_the_client_and_its_version():
    client, requests = answering(json={"games": []})
    client.games.list(timeout_s=2)
    assert requests[0].headers["User-Agent"].startswith("skye-client-python/1.")
    assert requests[0].extensions["timeout"]["read"] == 2


def test_text_of_games_seats_and_players_shows_no_token():
    client = Skye("http://test")
    seat = client.game("g", "skye_seat_secret").seat(1)
    shown = f"{seat!r} {seat.game!r} {client.player('skye_key_secret')!r} {client.leagues!r}"
    assert "Seat(Game('g'), 1)" in shown
    assert "secret" not in shown


@pytest.mark.parametrize(
    ("item", "expected"),
    [
        ({"type": "pass", "href": "/", "method": "POST"}, True),
        ({"type": "dance", "href": "/", "method": "POST"}, False),
        ({"type": "game_created", "at": "", "id": 1}, True),
        ({"type": "your_turn", "at": "", "id": 1}, False),
        ({"type": "your_turn", "at": "", "id": "1-7"}, True),
        ({"type": "buy", "seat": 1}, True),
        ({"type": "dance", "seat": 1}, False),
    ],
)
def test_types_of_this_version_are_known(item, expected):
    assert is_known(item) is expected


def test_requests_beyond_the_concurrency_wait_but_long_polls_do_not():
    open_requests, most = [], []

    async def answer(request):
        open_requests.append(request)
        most.append(sum("wait_ms" not in str(each.url) for each in open_requests))
        await anyio.sleep(0.01)
        open_requests.remove(request)
        return httpx.Response(200, json={"events": []})

    async def main():
        async with httpx.AsyncClient(transport=httpx.MockTransport(answer)) as http:
            game = AsyncSkye("http://test", concurrency=3, http=http).game("g")
            async with anyio.create_task_group() as tasks:
                for _ in range(10):
                    tasks.start_soon(game.get)
                    tasks.start_soon(lambda: game.event_page(wait_ms=10))

    anyio.run(main)
    assert max(most) == 3
    assert len(most) == 20
