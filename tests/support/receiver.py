"""A receiver of webhooks: an HTTP server in threads that records each request and sends a chosen response."""

import json
import threading
import time
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import NamedTuple

from skye_server.outgoing.sender import Reply, Sender
from skye_server.outgoing.targets import TargetPolicy
from skye_server.settings import Settings


class Received(NamedTuple):
    """A request as it arrived."""

    headers: dict[str, str]
    body: bytes

    @property
    def message(self):
        return json.loads(self.body)

    @property
    def id(self):
        return self.headers["webhook-id"]


class Receiver:
    """Answers challenges, and every other request by `answer`.

    :param answer: takes a `Received`, and returns a status, or writes the response to the handler itself.
    """

    def __init__(self, answer: Callable[..., int | None] = lambda _received, _handler: 204, tls=None):
        self.received: list[Received] = []
        self.answers_challenges = True
        self.answer = answer
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                receiver._handle(
                    Received({name.lower(): self.headers[name] for name in self.headers}, body), self
                )

            def log_message(self, *_):
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._server.handle_error = lambda *_: None  # clients that give up
        if tls is not None:
            self._server.socket = tls.wrap_socket(self._server.socket, server_side=True)
        self.port = self._server.server_address[1]
        self.url = f"{'http' if tls is None else 'https'}://127.0.0.1:{self.port}/hook"
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02})

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    @property
    def events(self):
        """The requests that are no challenges."""
        return [each for each in self.received if each.message["type"] != "webhook_challenge"]

    def _handle(self, received, handler):
        self.received.append(received)
        if received.message["type"] == "webhook_challenge" and self.answers_challenges:
            respond(handler, 200, json.dumps({"challenge": received.message["data"]["challenge"]}).encode())
            return
        status = self.answer(received, handler)
        if status is not None:
            respond(handler, status)


def respond(handler, status, body=b"", **headers):
    """Send a whole response."""
    handler.send_response(status)
    for name, value in headers.items():
        handler.send_header(name.replace("_", "-"), value)
    handler.send_header("Content-Length", str(len(body)))
    handler.end_headers()
    handler.wfile.write(body)


def respond_slowly(_received, handler):
    """Send a response whose body takes six seconds, a byte at a time."""
    handler.send_response(200)
    handler.end_headers()
    for _ in range(60):
        handler.wfile.write(b" ")
        time.sleep(0.1)


class AnsweringSender(Sender):
    """Answers challenges as a receiver does, without a request."""

    def __init__(self, **settings):
        super().__init__(TargetPolicy(Settings(**settings)))

    def post(self, *request):
        return super().post(*request)._replace(duration_ms=84)

    def _sent(self, _target, _headers, body, _deadline):
        challenge = json.loads(body)["data"]["challenge"]
        return Reply(200, json.dumps({"challenge": challenge}).encode())
