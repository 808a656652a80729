"""What the Python client does on its own between a program and a server: the table of its README."""

import gzip
import os
import subprocess
import sys
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import httpx
import pytest

from skye_client import (
    ApiError,
    ConnectionFailedError,
    InvalidAddressError,
    InvalidEnvironmentError,
    RetryPolicy,
    Skye,
    SkyeError,
    UnexpectedResponseError,
)
from skye_client.proxies import is_of_this_machine, proxy_for

SECRET = "l6yOVLPmm-CEdpKcTgB-IA"
MAX_BODY = 16 * 1024 * 1024
TOO_LARGE = gzip.compress(b"data: " + b"x" * MAX_BODY, 1)
VARIABLES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY")

USES = {
    "request": lambda skye: skye.player().games.create({"players": []}),
    "text": lambda skye: skye.game("g").seat(0).territory_svg(),
    "stream": lambda skye: next(iter(skye.game("g").events())),
    "stream of a player": lambda skye: next(iter(skye.player().events())),
    "export": lambda skye: next(iter(skye.leagues.records())),
}
"""The ways in which the client reads a response."""

in_every_way = pytest.mark.parametrize("use", USES.values(), ids=USES)


@contextmanager
def serving(answer):
    """Yield the address of an HTTP server, and the requests that it gets."""
    requests = []

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def respond(self):
            self.rfile.read(int(self.headers.get("Content-Length", 0)))
            requests.append(self)
            status, headers, body = answer(self)
            self.send_response(status)
            for name, value in {"Content-Length": str(len(body)), **headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)

        do_GET = do_POST = do_CONNECT = respond  # noqa: N815 - names of http.server

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", requests
    finally:
        server.shutdown()
        server.server_close()


def json_answer(_request):
    return 200, {"Content-Type": "application/json"}, b'{"games": []}'


@pytest.fixture
def environment(monkeypatch):
    """A function that sets the variables of proxies; all others are unset."""
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)

    def environment(**variables):
        for name, value in variables.items():
            monkeypatch.setenv(name, value)

    return environment


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
@in_every_way
def test_redirect_is_an_error_and_is_never_followed(use, status):
    location = f"https://ann:{SECRET}@elsewhere.example/v1/games?token={SECRET}#{SECRET}"
    with serving(lambda _: (status, {"Location": location}, b"")) as (url, requests), Skye(url) as skye:
        with pytest.raises(
            UnexpectedResponseError, match=r"redirects to 'https://.*elsewhere\.example"
        ) as raised:
            use(skye)
        assert SECRET not in str(raised.value)
        assert len(requests) == 1


@in_every_way
def test_redirect_is_not_followed_by_a_client_of_the_caller(use):
    asked = []

    def answer(request):
        asked.append(request)
        return httpx.Response(302, headers={"Location": "/elsewhere"})

    http = httpx.Client(transport=httpx.MockTransport(answer), follow_redirects=True)
    with pytest.raises(UnexpectedResponseError, match="redirects to '/elsewhere'"):
        use(Skye("http://test", http=http))
    assert len(asked) == 1


@pytest.mark.parametrize("status", [200, 503])
@in_every_way
def test_body_over_16_mib_decompressed_is_an_error(use, status):
    answer = {"Content-Type": "text/event-stream", "Content-Encoding": "gzip"}
    with serving(lambda _: (status, answer, TOO_LARGE)) as (url, requests), Skye(url) as skye:
        with pytest.raises(UnexpectedResponseError, match="more than 16777216 bytes"):
            use(skye)
        assert len(requests) == 1


def test_body_of_16_mib_is_read():
    text = b'"' + b"x" * (MAX_BODY - 2) + b'"'
    packed = gzip.compress(text)
    with serving(lambda _: (200, {"Content-Encoding": "gzip"}, packed)) as (url, _), Skye(url) as skye:
        assert len(skye.transport.json("GET", "/v1/games")) == MAX_BODY - 2


def test_cookie_of_a_server_is_not_sent_to_it():
    answer = {"Set-Cookie": "balancer=2; Path=/", "Content-Type": "application/json"}
    with serving(lambda _: (200, answer, b'{"games": []}')) as (url, requests), Skye(url) as skye:
        skye.games.list()
        skye.games.list()
        assert [request.headers["Cookie"] for request in requests] == [None, None]


def test_method_has_no_case():
    with serving(json_answer) as (url, requests), Skye(url) as skye:
        skye.transport.json("get", "/v1/games")
        assert (requests[0].command, requests[0].headers["Idempotency-Key"]) == ("GET", None)


@pytest.mark.parametrize(
    "host", ["localhost", "api.localhost", "127.0.0.1", "127.8.9.1", "::1", "LocalHost."]
)
def test_server_of_this_machine_is_reached_without_a_proxy(host, environment):
    environment(HTTP_PROXY="http://proxy.example:3128", ALL_PROXY="socks5://proxy.example", NO_PROXY="[::1")
    assert is_of_this_machine(host)
    assert proxy_for(f"http://{f'[{host}]' if ':' in host else host}:8000") is None


@pytest.mark.parametrize("host", ["10.0.0.1", "skye.example", "localhost.example", "notlocalhost", "::2"])
def test_server_elsewhere_is_reached_through_the_proxy(host, environment):
    environment(HTTP_PROXY="proxy.example:3128")
    chosen = proxy_for(f"http://{f'[{host}]' if ':' in host else host}:8000")
    assert str(chosen) == "the proxy http://proxy.example:3128 of HTTP_PROXY"


def test_proxy_of_the_caller_wins_on_this_machine(environment):
    environment(NO_PROXY="*")
    with serving(json_answer) as (proxy, requests), Skye("http://127.0.0.1:9", proxy=proxy) as skye:
        assert skye.games.list() == {"games": []}
        assert requests[0].path == "http://127.0.0.1:9/v1/games"


def test_requests_go_through_the_proxy_of_the_environment(environment):
    with serving(json_answer) as (proxy, requests):
        environment(http_proxy=proxy, HTTP_PROXY="http://other.example")
        with Skye("http://skye.example") as skye:
            skye.games.list()
        assert requests[0].path == "http://skye.example/v1/games"


EXCEPTED = {
    "http://skye.example": (
        "skye.example",
        ".example",
        "*.example",
        "a, skye.example",
        "skye.example:80",
        "*",
    ),
    "http://10.1.2.3:8000": ("10.1.2.3", "10.0.0.0/8", "10.1.2.3:8000", "http://10.1.2.3"),
    "http://[fd00::5]": ("fd00::5", "[fd00::5]", "fd00::/8", "[fd00::5]:80", "localhost,::1/128,fd00::/8"),
}
NOT_EXCEPTED = {
    "http://skye.example": ("kye.example", "skye.example:81", "https://skye.example", "10.0.0.0/8", "[::1]"),
    "http://10.1.2.3:8000": ("10.1.2", "11.0.0.0/8", "10.1.2.3:80"),
    "http://[fd00::5]": ("[::1]", "::1", "fe80::/10"),
}


@pytest.mark.parametrize(
    ("url", "entry", "is_direct"),
    [
        *((url, entry, True) for url, entries in EXCEPTED.items() for entry in entries),
        *((url, entry, False) for url, entries in NOT_EXCEPTED.items() for entry in entries),
    ],
)
def test_no_proxy_excepts_names_addresses_and_networks(url, entry, is_direct, environment):
    environment(HTTP_PROXY="http://proxy.example", NO_PROXY=entry)
    assert (proxy_for(url) is None) == is_direct


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        *(("NO_PROXY", entry) for entry in ("[::1", "fd00::/999", "10.0.0.0/33", "a:b:c", "host:port")),
        *(("ALL_PROXY", value) for value in ("socks5://proxy.example", "ftp://proxy.example", "http://")),
        *(("HTTP_PROXY", value) for value in ("gopher://proxy.example", "http://proxy.example:port")),
        ("http_proxy", f"ftp://ann:{SECRET}@proxy.example"),
    ],
)
def test_variable_that_cannot_be_used_is_an_error_with_its_name(variable, value, environment, monkeypatch):
    monkeypatch.setattr("skye_client.proxies.find_spec", lambda _package: None)
    environment(
        **({"HTTP_PROXY": "http://proxy.example"} if variable == "NO_PROXY" else {}), **{variable: value}
    )
    with pytest.raises(InvalidEnvironmentError, match=f"^{variable} ") as raised:
        Skye("http://skye.example")
    assert SECRET not in str(raised.value)


def test_missing_certificates_are_an_error_with_the_name_of_the_variable(tmp_path):
    program = [sys.executable, "-c", "import skye_client; skye_client.Skye('https://skye.example')"]
    variables = {**os.environ, "SSL_CERT_FILE": str(tmp_path / "none.pem")}
    done = subprocess.run(program, env=variables, capture_output=True, text=True, check=False)
    assert "InvalidEnvironmentError: SSL_CERT_FILE names no readable certificates" in done.stderr


def test_failure_names_the_proxy_without_its_password(environment):
    environment(HTTPS_PROXY=f"http://ann:{SECRET}@127.0.0.1:9", HTTP_PROXY=f"http://ann:{SECRET}@127.0.0.1:9")
    for scheme in ("http", "https"):
        with pytest.raises(ConnectionFailedError) as raised, Skye(f"{scheme}://skye.example") as skye:
            skye.games.list(retry=RetryPolicy(attempts=1))
        assert f"through the proxy http://127.0.0.1:9 of {scheme.upper()}_PROXY" in str(raised.value)
        assert SECRET not in str(raised.value)


def test_refusal_of_a_proxy_names_the_proxy(environment):
    with serving(lambda _: (403, {}, b"<h1>Forbidden</h1>")) as (proxy, _):
        environment(ALL_PROXY=proxy)
        through = f"through the proxy {proxy} of ALL_PROXY"
        with Skye("http://skye.example") as skye, pytest.raises(ApiError, match=f"Forbidden.*{through}"):
            skye.games.list()
        once = RetryPolicy(attempts=1)
        with (
            Skye("https://skye.example", retry=once) as skye,
            pytest.raises(SkyeError, match=f"{through}.*403"),
        ):
            skye.games.list()


@pytest.mark.parametrize("proxy", ["", "ftp://p", f"ftp://ann:{SECRET}@p", "http://"])
def test_proxy_of_the_caller_that_cannot_be_one_is_refused(proxy):
    with pytest.raises(InvalidAddressError, match="the argument `proxy`") as raised:
        Skye("http://127.0.0.1:8000", proxy=proxy)
    assert SECRET not in str(raised.value)


@pytest.mark.parametrize("where", ["ann:{0}@h", "{0}@h", "ann:a/{0}@h", "ann:a@{0}@h", "ann:{0}@h/v1"])
def test_address_with_a_user_is_refused_without_showing_it(where):
    with pytest.raises(InvalidAddressError, match="user name") as raised:
        Skye(f"http://{where.format(SECRET)}")
    assert SECRET not in str(raised.value)


@pytest.mark.parametrize("end", ["/v1", "/v1/", "/v1// "])
def test_address_that_ends_in_the_version_is_refused_with_the_right_one(end):
    with pytest.raises(InvalidAddressError, match=r"use 'https://skye\.example/api'"):
        Skye(f"https://skye.example/api{end}")
