"""Raw HTTP requests on sockets, for requests that HTTP libraries cannot send."""

import http.client
import json
import re
import socket
from contextlib import closing
from urllib.parse import urlsplit

from tests.support.waiting import MAX_WAIT_S


def connect(url):
    """Open a connection to a server."""
    where = urlsplit(url)
    return socket.create_connection((where.hostname, where.port), timeout=MAX_WAIT_S)


def get(path, *headers):
    """Return a request for a path, with headers given as lines."""
    return "\r\n".join([f"GET {path} HTTP/1.1", "Host: localhost", *headers, "", ""]).encode("latin-1")


def post(path, body, *headers):
    """Return a POST of JSON, with headers given as lines."""
    data = json.dumps(body).encode()
    head = [f"POST {path} HTTP/1.1", "Host: localhost", "Content-Type: application/json", *headers]
    return "\r\n".join([*head, f"Content-Length: {len(data)}", "", ""]).encode() + data


def read_response(connection):
    """Read a response; return its status, its headers and its JSON."""
    with closing(http.client.HTTPResponse(connection)) as response:
        response.begin()
        return response.status, response.headers, json.loads(response.read())


def send_and_read(connection, sent):
    """Send some bytes; return the status and the JSON of the response."""
    connection.sendall(sent)
    status, _, received = read_response(connection)
    return status, received


def is_closed(connection):
    """Wait for the server; return whether it closed the connection without sending anything."""
    try:
        return connection.recv(1) == b""
    except ConnectionResetError:
        return True


def metric_value(url, metric):
    """Return the value of a metric of the server at a URL."""
    with connect(url) as connection:
        connection.sendall(get("/metrics", "Connection: close"))
        received = connection.makefile().read()
    return int(re.search(rf"^skye_{re.escape(metric)} (\d+)\.0$", received, re.MULTILINE)[1])
