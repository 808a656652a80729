"""A proxy that answers as a later version of the service might: with a type, a code and a field more."""

import json
import urllib.error
import urllib.request
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

from tests.contract.generators.later import ACTIONS, EVENTS, PROBLEM
from tests.support.waiting import MAX_WAIT_S


def later(answer):
    """Return a response with additions of a later version."""
    if isinstance(answer, list):
        return [later(part) for part in answer]
    if not isinstance(answer, dict) or "discard" in answer:  # a body to be sent as it stands takes no field
        return answer
    added = {name: part if name in ("body", "prices") else later(part) for name, part in answer.items()}
    if added.get("actions"):
        added["actions"] = [ACTIONS["actions"][0], *added["actions"]]
    if "events" in added:
        added["events"] = [EVENTS["events"][0], *added["events"]]
    return added | {"mood": "calm"}


class _Proxy(BaseHTTPRequestHandler):
    """Passes requests on; the first purchase is refused with a code of a later version."""

    protocol_version = "HTTP/1.1"

    def _answer(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if self.path.endswith("/purchase") and not self.server.refused:
            self.server.refused = True
            self._send(409, "application/problem+json", PROBLEM)
            return
        names = ("Authorization", "Content-Type", "Accept")
        headers = {name: self.headers[name] for name in names if name in self.headers}
        url = self.server.behind + self.path
        request = urllib.request.Request(url, body or None, headers, method=self.command)
        with urllib.request.urlopen(request, timeout=MAX_WAIT_S) as answer:
            self._send(answer.status, answer.headers["Content-Type"], later(json.load(answer)))

    do_GET = do_POST = do_PUT = do_DELETE = _answer  # noqa: N815 - the base class has these names

    def _send(self, status, content_type, answer):
        body = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        """Log nothing."""


@contextmanager
def later_server(behind):
    """Yield the address of a server of a later version, in front of one of today."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Proxy)
    server.behind, server.refused = behind, False
    thread = Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
