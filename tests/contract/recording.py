"""A live server with the same ids and tokens in each run, and a clock that only tests advance."""

import hashlib
import http.client
import itertools
import json
import random
import socket
import threading
from contextlib import ExitStack, closing
from unittest import mock

from werkzeug.serving import WSGIRequestHandler, make_server
from werkzeug.wrappers import Response

from tests.support.playing import Service
from tests.support.waiting import MAX_WAIT_S


class Answer(Response):
    """A response over HTTP, in the format of a test client's response."""

    @property
    def text(self):
        return self.get_data(as_text=True)


class Wire:
    """Sends requests to a server over a connection of their own; a test client's `open` does it in memory."""

    def __init__(self, port):
        self._port = port

    def open(
        self,
        path,
        method,
        headers,
        *,
        json=None,
        data=b"",
        content_type=None,
        environ_overrides=(),
        environ_base=(),
    ):
        """Send a request; a CONTENT_LENGTH beyond its body breaks it off there.

        :param environ_base: the `REMOTE_ADDR` from which it is sent, one of 127.0.0.0/8.
        """
        body = data.encode() if isinstance(data, str) else data
        if json is not None:
            body, content_type = _json(json), "application/json"
        sent = {"Content-Length": str(len(body)), **headers}
        if content_type is not None:
            sent["Content-Type"] = content_type
        if environ_overrides:
            sent["Content-Length"] = environ_overrides["CONTENT_LENGTH"]
        source = (dict(environ_base).get("REMOTE_ADDR", "127.0.0.1"), 0)
        opened = http.client.HTTPConnection("127.0.0.1", self._port, MAX_WAIT_S, source_address=source)
        with closing(opened) as connection:
            connection.putrequest(method, path, skip_accept_encoding=True)
            for name, value in sent.items():
                connection.putheader(name, value)
            connection.endheaders(body)
            if environ_overrides:
                connection.sock.shutdown(socket.SHUT_WR)
            answer = connection.getresponse()
            return Answer(answer.read(), answer.status, answer.getheaders())


_MAX_SHOWN = 500
"""How many characters of a response the failure of a recording shows."""


class _Silent(WSGIRequestHandler):
    def log(self, *_):
        """Log nothing."""


class LiveService(Service):
    """A service behind a socket. Hashes of a label and a counter replace random numbers."""

    def __enter__(self):
        super().__enter__()
        self._stack, self._last = ExitStack(), "none"
        self.label_randomness("")

        def token_bytes(number):
            return hashlib.sha256(f"{self._label}/{next(self._numbers)}".encode()).digest()[:number]

        chance = {
            "token_bytes": token_bytes,
            "token_hex": lambda number: token_bytes(number).hex(),
            "randbits": lambda bits: int.from_bytes(token_bytes(bits // 8), "big"),
            "SystemRandom": lambda: random.Random(token_bytes(8)),
            "choice": lambda things: things[int.from_bytes(token_bytes(4), "big") % len(things)],
        }
        self._stack.enter_context(mock.patch.multiple("secrets", **chance))
        server = make_server("127.0.0.1", 0, self.app, threaded=True, request_handler=_Silent)
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        self._stack.callback(server.server_close)
        self._stack.callback(server.shutdown)
        self.http = Wire(server.port)
        return self

    def label_randomness(self, label):
        """Let the following random numbers depend on a label, and on no number drawn before."""
        self._label, self._numbers = label, itertools.count()

    def call(self, method, path, body=None, *arguments, **more):
        """Send a request, which a failure of the recording names."""
        self._last = f"{method} {path}{'' if body is None else f' {json.dumps(body)}'}"
        response = super().call(method, path, body, *arguments, **more)
        self._last += f" -> {response.status_code} {response.text[:_MAX_SHOWN]}"
        return response

    def __exit__(self, kind, error, trace):
        if error is not None:
            error.add_note(f"The last request: {self._last}")
        self._stack.close()
        super().__exit__()


def _json(value):
    return json.dumps(value).encode()
