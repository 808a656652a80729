"""Malformed, ambiguous and too long requests are refused with a problem."""

import re

import pytest

from tests.system.raw import connect, get, is_closed, read_response, send_and_read

POST = "POST /v1/games HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"


def with_headers(*lines, after="{}"):
    """Return a POST with these headers."""
    return (POST + "".join(f"{line}\r\n" for line in lines) + "\r\n" + after).encode("latin-1")


CHUNKED = "Transfer-Encoding: chunked"
NO_CHUNK = "0\r\n\r\n"

UNREADABLE = {
    "no request": b"hello\r\n\r\n",
    "another version": b"GET / HTTP/9.9\r\n\r\n",
    "HTTP/0.9": b"GET /nowhere\r\n\r\n",
    "HTTP/2": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "TLS": bytes.fromhex("16030102000100") + b"\xfc" * 500,
    "a proxy's greeting": b"PROXY TCP4 192.0.2.1 192.0.2.2 1 2\r\n" + get("/v1/tiles"),
    "lines that end without CR": b"GET /nowhere HTTP/1.1\nHost: localhost\n\n",
    "a method in small letters": b"get / HTTP/1.1\r\n\r\n",
    "a long method": b"A" * 21 + b" / HTTP/1.1\r\n\r\n",
    "a host for a target": b"GET here:80 HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "no path": b"GET  HTTP/1.1\r\n\r\n",
    "NUL in the path": get("/v1/\x00"),
    "a control character in the query": get("/v1/tiles?a=\x07"),
    "a letter beyond ASCII in the path": get("/v1/é"),
    "no header": b"GET / HTTP/1.1\r\nnot a header\r\n\r\n",
    "a header's name with a space": get("/nowhere", "A B: c"),
    "a header's name with a space behind": get("/nowhere", "Accept : c"),
    "NUL in a header": get("/nowhere", "A: b\x00c"),
    "CR in a header": get("/nowhere", "A: b\rc"),
    "a header over two lines": get("/nowhere", "A: b", " c"),
    "two hosts": get("/nowhere", "Host: there"),
    "two schemes": get("/nowhere", "X-Forwarded-Proto: https", "X-Forwarded-Ssl: off"),
    "an expectation of its own": get("/nowhere", "Expect: more"),
    "a length and chunks": with_headers("Content-Length: 5", CHUNKED, after=NO_CHUNK),
    "chunks and a length": with_headers(CHUNKED, "Content-Length: 5", after=NO_CHUNK),
    "chunks of chunks": with_headers("Transfer-Encoding: chunked, chunked", after=NO_CHUNK),
    "chunks twice": with_headers(CHUNKED, CHUNKED, after=NO_CHUNK),
    "chunks not last": with_headers("Transfer-Encoding: chunked, gzip", after=NO_CHUNK),
    "chunks of a code": with_headers("Transfer-Encoding: gzip, chunked", after=NO_CHUNK),
    "chunks of another code": with_headers("Transfer-Encoding: Deflate , Chunked", after=NO_CHUNK),
    "chunks of a code in two headers": with_headers("Transfer-Encoding: compress", CHUNKED, after=NO_CHUNK),
    "chunks of no code": with_headers("Transfer-Encoding: identity, chunked", after=NO_CHUNK),
    "chunks spelled otherwise": with_headers("Transfer-Encoding: xchunked", after=NO_CHUNK),
    "chunks after a control character": with_headers("Transfer-Encoding: \x0bchunked", after=NO_CHUNK),
    "no chunks at all": with_headers("Transfer-Encoding: identity"),
    "chunks in HTTP/1.0": with_headers(CHUNKED, after=NO_CHUNK).replace(b"HTTP/1.1", b"HTTP/1.0"),
    "two lengths": with_headers("Content-Length: 2", "Content-Length: 3"),
    "two lengths alike": with_headers("Content-Length: 2", "Content-Length: 2"),
    "two lengths in one": with_headers("Content-Length: 2, 2"),
    "a length below nothing": with_headers("Content-Length: -2"),
    "a length with a sign": with_headers("Content-Length: +2"),
    "a length in other digits": with_headers("Content-Length: ²"),
    "a length of many digits": with_headers("Content-Length: " + "9" * 5000),
    "a length in words": with_headers("Content-Length: two"),
}
TOO_LONG = {
    "a long path": (get("/" + "a" * 9000), 414, "uri_too_long"),
    "a request line without end": (b"GET /" + b"a" * 3_000_000, 414, "uri_too_long"),
    "a long header": (get("/nowhere", "A: " + "b" * 8200), 431, "headers_too_large"),
    "too many headers": (get("/nowhere", *["A: b"] * 101), 431, "headers_too_large"),
    "headers too large together": (get("/nowhere", *["A: " + "b" * 8000] * 6), 431, "headers_too_large"),
    "headers without end": (b"GET / HTTP/1.1\r\n" + b"A: b\r\n" * 500_000, 431, "headers_too_large"),
}


@pytest.fixture
def connection(live):
    with connect(live.url) as connection:
        yield connection


@pytest.mark.parametrize("what", UNREADABLE)
def test_malformed_request_is_refused_and_the_connection_is_closed(connection, what):
    connection.sendall(UNREADABLE[what])
    status, headers, problem = read_response(connection)
    assert (status, problem["code"]) == (400, "bad_request")
    assert (headers["Content-Type"], headers["Connection"]) == ("application/problem+json", "close")
    assert is_closed(connection)


@pytest.mark.parametrize("host", ["", "Host:\r\n", "Host: \t \r\n", "Host: :80\r\n", "Host: a/b\r\n"])
def test_request_without_a_host_is_refused_on_the_wire(connection, host):
    sent = get("/v1/tiles").replace(b"Host: localhost\r\n", host.encode())
    status, problem = send_and_read(connection, sent)
    assert (status, problem["code"]) == (400, "bad_request")


@pytest.mark.parametrize("host", ["", "Host:\r\n", "Host: localhost\r\n"])
def test_request_of_http_1_0_needs_no_host(connection, host):
    sent = f"GET /v1/tiles/L01 HTTP/1.0\r\n{host}\r\n".encode()
    assert send_and_read(connection, sent)[0] == 200


@pytest.mark.parametrize("what", TOO_LONG)
def test_too_long_request_head_is_refused(connection, what):
    sent, *expected = TOO_LONG[what]
    connection.sendall(sent)
    status, _, problem = read_response(connection)
    assert [status, problem["code"]] == expected
    assert is_closed(connection)


def test_malformed_request_is_neither_logged_nor_echoed(launch):
    launched = launch(SKYE_LOG_LEVEL="debug", SKYE_REDIS_URL="memory://")
    with connect(launched.url) as connection:
        status, problem = send_and_read(connection, get("/nowhere", "Authorization Bearer skye_secret"))
    assert status == 400
    launched.end()
    assert "secret" not in launched.printed + str(problem)


@pytest.mark.parametrize(
    "sent",
    [
        get("/v1/tiles/L01").replace(b"1.1", b"1.0"),
        get("http://elsewhere/v1/tiles/L01"),
        get("/v1/tiles/L01", "SCRIPT_NAME: /v1", "PATH_INFO: /nothing", "X_Forwarded_For: 192.0.2.1"),
        get("/v1/tiles/L01", "Upgrade: h2c", "Connection: Upgrade, HTTP2-Settings", "HTTP2-Settings: AAAA"),
        get("/v1/tiles/L01", *["A: " + "b" * 3000] * 9),
        get("/v1/tiles/L01", *["A: é"] * 98),
    ],
)
def test_unusual_but_valid_request_is_answered(connection, sent):
    status, tile = send_and_read(connection, sent)
    assert (status, tile["id"]) == (200, "L01")


def statuses_of(connection, sent):
    """Send requests at once, the last of which ends the connection; return the ids and codes answered."""
    connection.sendall(sent)
    return re.findall(r'"(?:id|code)":"(\w+)"', connection.makefile(encoding="utf-8").read())


def test_pipelined_requests_are_answered_in_order(connection):
    tiles = [f"L{number:02}" for number in range(1, 41)]
    sent = [get(f"/v1/tiles/{tile}") for tile in tiles]
    sent.append(get("/nowhere", "Connection: close"))
    assert statuses_of(connection, b"".join(sent)) == [*tiles, "not_found"]


def test_request_smuggled_in_a_body_is_not_processed(connection):
    inner = get("/v1/tiles/L01").decode()
    sent = with_headers(f"Content-Length: {len(inner)}", after=inner)
    sent += with_headers(CHUNKED, after=f"{len(inner):x}\r\n{inner}\r\n{NO_CHUNK}")
    received = statuses_of(connection, sent + get("/v1/tiles/L02", "Connection: close"))
    assert received == ["malformed_json", "malformed_json", "L02"]


def test_bytes_after_the_end_of_a_body_are_the_next_request(connection):
    status, _ = send_and_read(connection, with_headers("Content-Length: 2", after="{}GET"))
    assert status == 201
    assert send_and_read(connection, get("/v1/tiles/L02")[3:])[1]["id"] == "L02"


def test_expect_continue_is_answered_with_100(connection):
    connection.sendall(with_headers("Content-Length: 2", "Expect: 100-continue", after=""))
    assert connection.recv(100) == b"HTTP/1.1 100 Continue\r\n\r\n"
    assert send_and_read(connection, b"{}")[0] == 201
