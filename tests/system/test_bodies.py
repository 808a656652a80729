"""Request bodies on the wire: too large, in malformed chunks, or refused."""

import socket

import pytest

from tests.system.raw import connect, read_response, send_and_read

HEAD = b"POST /v1/games HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
CHUNKED = HEAD + b"Transfer-Encoding: chunked\r\n\r\n"
CLOSING = b"Connection: close\r\n"


def chunks(size, number):
    """Return white space in chunks of a size."""
    return b"%x\r\n%s\r\n" % (size, b" " * size) * number + b"0\r\n\r\n"


@pytest.fixture
def connection(live):
    """A connection to the service."""
    with connect(live.url) as connection:
        yield connection


@pytest.mark.parametrize("head", [HEAD + CLOSING, HEAD])
@pytest.mark.parametrize("size", [300_000, 3_000_000])
def test_far_too_large_body_is_refused(connection, head, size):
    status, problem = send_and_read(connection, head + b"Content-Length: %d\r\n\r\n" % size + b" " * size)
    assert (status, problem["code"]) == (413, "body_too_large")


def test_large_body_to_an_unknown_path_is_refused(connection):
    head = HEAD.replace(b"/v1/games", b"/v1/nothing") + CLOSING
    status, problem = send_and_read(connection, head + b"Content-Length: 3000000\r\n\r\n" + b" " * 3_000_000)
    assert (status, problem["code"]) == (404, "not_found")


def test_body_in_chunks_is_read(connection):
    status, game = send_and_read(
        connection, CHUNKED + b"e\r\n" + b'{"name": "one"' + b"\r\n1\r\n}\r\n0\r\n\r\n"
    )
    assert (status, game["game"]["name"]) == (201, "one")


@pytest.mark.parametrize(("size", "number"), [(65_536, 5), (262_145, 1), (262_144, 1), (100, 30_000)])
def test_chunked_body_that_is_too_large_is_refused(connection, size, number):
    status, problem = send_and_read(connection, CHUNKED + chunks(size, number))
    assert (status, problem["code"]) == (413, "body_too_large")


@pytest.mark.parametrize("body", [b"zz\r\n{}\r\n0\r\n\r\n", b"2\r\n{}0\r\n\r\n", b"-2\r\n{}\r\n0\r\n\r\n"])
def test_malformed_chunks_are_refused_and_end_the_connection(connection, body):
    connection.sendall(CHUNKED + body)
    status, headers, problem = read_response(connection)
    assert (status, problem["code"], headers["Connection"]) == (400, "bad_request", "close")
    assert connection.recv(100) == b""


def test_response_has_the_version_of_the_server(connection):
    connection.sendall(b"GET /healthz HTTP/1.9\r\nHost: localhost\r\n\r\n")
    assert connection.recv(100).startswith(b"HTTP/1.1 200 OK\r\n")


def test_compressed_body_is_refused_with_the_codings_that_are_not(connection):
    connection.sendall(HEAD + b"Content-Encoding: gzip\r\nContent-Length: 2\r\n\r\n{}")
    status, headers, problem = read_response(connection)
    assert (status, problem["code"]) == (415, "unsupported_media_type")
    assert headers["Accept-Encoding"] == "identity"


@pytest.mark.parametrize("body", [b"", b"{}", b'{"name": "o'])
def test_incomplete_body_creates_no_game_and_uses_no_key(live, body):
    key = HEAD + b"Idempotency-Key: breaks-off-after-%d-bytes\r\n" % len(body)
    whole = b'{"name": "one", "visibility": "private"}'
    with connect(live.url) as broken:
        broken.sendall(key + b"Content-Length: %d\r\n\r\n" % len(whole) + body)
        broken.shutdown(socket.SHUT_WR)
        status, problem = read_response(broken)[::2]
        assert (status, problem["code"]) == (400, "bad_request")
    with connect(live.url) as again:
        status, game = send_and_read(again, key + b"Content-Length: %d\r\n\r\n" % len(whole) + whole)
    assert (status, game["game"]["name"]) == (201, "one")
