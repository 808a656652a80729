"""An HTTP client with retries: over a persistent connection, to any of several addresses."""

import contextlib
import http.client
import json
import socket
import time
from collections import Counter
from typing import NamedTuple

from tests.support.waiting import MAX_WAIT_S

NOT_FOUND_STATUSES = (401, 404)
TEMPORARY_CODES = ("store_unavailable", "server_busy", "too_much_contention")
"""The codes of 503: a busy machine may also delay computations, and changes that conflict with others."""

IDLE_S = 30
"""How long a connection is used again after its last request: servers close it a while later."""

RECONNECT = 0.05
"""How often a client of several ports connects again, perhaps to another one."""

JSON = {"Content-Type": "application/json"}
ADDRESS = {"X-Forwarded-For": "127.0.0.1"}
"""The address of a client, which must not change: idempotency keys without a token are scoped to it."""
BROKEN = (OSError, http.client.HTTPException)


class InvariantViolated(AssertionError):
    """The service violated an invariant."""


class NoResponse(Exception):
    """A request got no response; `sent` is whether a server may have received it."""

    def __init__(self, sent):
        super().__init__(f"sent: {sent}")
        self.sent = sent


class Reply(NamedTuple):
    """A response that was read, and its duration in seconds."""

    status: int
    headers: http.client.HTTPMessage
    body: bytes
    seconds: float

    @property
    def json(self):
        return json.loads(self.body)


def anonymous_key(name):
    """Return an idempotency key that is long enough for a request without a token."""
    return f"{name}-0123456789abcdefghijk"


def bearer(token):
    """Return the header with a bearer token; none without a token."""
    return {"Authorization": f"Bearer {token}"} if token else {}


def _encoded(body):
    return None if body is None else json.dumps(body)


class Wire:
    """A client of the service at any of several ports of this machine.

    `counts` are requests by outcome, `responses` the number of responses of each port, and `check` is called
    with every request and its response. With `may_go_back` a game or its token may be unknown for a while: a
    replaced master may still respond. It connects from the loopback address `source`.
    """

    def __init__(self, ports, dice, check=None, *, may_go_back=False, source="127.0.0.1"):
        self._ports, self._dice, self._check, self._may_go_back = ports, dice, check, may_go_back
        self._source = (source, 0)
        self._connection = None
        self._used = 0.0
        self.counts, self.responses = Counter(), Counter()

    def close(self):
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def break_off(self):
        """Cancel a request of another thread."""
        connection = self._connection
        with contextlib.suppress(OSError, AttributeError):  # it may have ended by itself
            connection.sock.shutdown(socket.SHUT_RDWR)

    def request(self, method, path, body=None, headers=()):
        """Send a request; return the unread response, or raise `NoResponse` when the connection breaks."""
        sent = False
        sending = JSON | ADDRESS | dict(headers)
        try:
            changes_port = len(self._ports) > 1 and self._dice.random() < RECONNECT
            if changes_port or time.monotonic() > self._used + IDLE_S:
                self.close()
            self._used = time.monotonic()
            if self._connection is None:
                port = self._dice.choice(self._ports)
                self._connection = self._connection_to(port, MAX_WAIT_S)
                self._connection.connect()
            sent = True
            self._connection.request(method, path, _encoded(body), sending)
            return self._connection.getresponse()
        except BROKEN as error:
            self.close()
            self.counts["cut" if sent else "not reached"] += 1
            raise NoResponse(sent) from error

    def _connection_to(self, port, timeout_s):
        return http.client.HTTPConnection("127.0.0.1", port, timeout_s, source_address=self._source)

    def ask(self, method, path, body=None, headers=()):
        """Send a request once; return the response, or raise `NoResponse` when there is none."""
        begun = time.monotonic()
        answer = self.request(method, path, body, headers)
        try:
            reply = Reply(answer.status, answer.headers, answer.read(), time.monotonic() - begun)
        except BROKEN as error:
            self.close()
            self.counts["cut"] += 1
            raise NoResponse(sent=True) from error
        self.responses[self._connection.port] += 1
        if answer.will_close:
            self.close()
        self.counts[reply.status] += 1
        self._check_reply(method, path, reply)
        return reply

    def ask_until_answered(self, method, path, body=None, headers=()):
        """Send a request, which must be safe to repeat, until its response is not a temporary error."""
        until = time.monotonic() + MAX_WAIT_S
        while True:
            with contextlib.suppress(NoResponse):
                reply = self.ask(method, path, body, headers)
                missed = self._may_go_back and reply.status in NOT_FOUND_STATUSES
                if reply.status != 503 and not missed:
                    return reply
                self.counts["missed"] += missed
            if time.monotonic() > until:
                raise InvariantViolated(f"{method} {path} was not answered for {MAX_WAIT_S} s")
            time.sleep(self._dice.uniform(0.02, 0.2))

    def send_and_disconnect(self, method, path, body, headers):
        """Send a request and disconnect without waiting for its response."""
        connection = self._connection_to(self._dice.choice(self._ports), 5)
        with contextlib.suppress(*BROKEN), contextlib.closing(connection):
            connection.request(method, path, _encoded(body), JSON | ADDRESS | headers)

    def read(self, path, token=None, **headers):
        """Return the JSON of a resource, which must be there."""
        reply = self.ask_until_answered("GET", path, headers=bearer(token) | headers)
        if reply.status != 200:
            raise InvariantViolated(f"GET {path}: {reply.status} {reply.body[:500]}")
        return reply.json

    def _check_reply(self, method, path, reply):
        """Check that a response is allowed during any fault of the servers."""
        if reply.status == 503:
            fine = reply.headers["Retry-After"].isdigit() and reply.json["code"] in TEMPORARY_CODES
        else:
            fine = reply.status < 500
        if not fine:
            raise InvariantViolated(f"{method} {path}: {reply.status} {reply.body[:500]}")
        if self._check is not None:
            self._check(method, path, reply)
