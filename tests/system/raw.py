"""Requests as bytes on a connection, for clients that no library would be."""

import http.client
import json
import re
import socket
from contextlib import closing
from urllib.parse import urlsplit

PATIENCE_S = 15


def connected(url):
    """Open a connection to a server."""
    where = urlsplit(url)
    return socket.create_connection((where.hostname, where.port), timeout=PATIENCE_S)


def get(path, *headers):
    """Return a request for a path, with headers given as lines."""
    return "\r\n".join([f"GET {path} HTTP/1.1", "Host: here", *headers, "", ""]).encode("latin-1")


def answer_on(connection):
    """Read an answer: its status, its headers, and the JSON that it has."""
    with closing(http.client.HTTPResponse(connection)) as answer:
        answer.begin()
        return answer.status, answer.headers, json.loads(answer.read())


def answered(connection, sent):
    """Send some bytes; return the status and the JSON of the answer."""
    connection.sendall(sent)
    status, _, told = answer_on(connection)
    return status, told


def is_closed(connection):
    """Wait until the server has closed the connection; say whether that was without a word."""
    try:
        return connection.recv(1) == b""
    except ConnectionResetError:
        return True


def counted(launched, metric):
    """Return a number that a service has counted."""
    with connected(launched.url) as connection:
        connection.sendall(get("/metrics", "Connection: close"))
        told = connection.makefile().read()
    return int(re.search(rf"^skye_{re.escape(metric)} (\d+)\.0$", told, re.MULTILINE)[1])
