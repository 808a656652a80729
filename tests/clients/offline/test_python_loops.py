"""A client of one event loop after another, as `asyncio.run` makes them."""

import asyncio
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import anyio
import pytest

from skye_client import AsyncSkye

pytestmark = pytest.mark.filterwarnings("ignore:unclosed", "ignore::pytest.PytestUnraisableExceptionWarning")


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        body = b'{"bots": []}'
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


@contextmanager
def serving():
    """Run a server that keeps connections alive; yield its address."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def test_async_client_works_in_one_event_loop_after_another():
    hooked = []

    async def hook(request):
        hooked.append(request.url.path)

    with serving() as url:
        skye = AsyncSkye(url, concurrency=1)
        skye.transport.http.event_hooks = {"request": [hook]}

        async def use():
            return await asyncio.gather(*(skye.catalogue.bots() for _ in range(3)))

        found = [anyio.run(use) for _ in range(3)]
        anyio.run(skye.aclose)
    assert found == 3 * [3 * [[]]]
    assert len(hooked) == 9
