"""The example clients, with their generated files."""

import functools
import sys
import threading
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

import pytest

from tests.support.chromium import browsing, find_headless_chromium
from tests.support.launcher import ROOT, call, launching  # noqa: F401 - for the tests of this folder
from tests.support.programs import run  # noqa: F401 - likewise

EXAMPLES = ROOT / "examples"


@functools.cache
def address_of(page):
    """Return the address of a page of examples/browser, on a server of this machine."""
    return f"http://127.0.0.1:{_pages().server_port}/{page}"


@functools.cache
def _pages():
    class Pages(SimpleHTTPRequestHandler):
        def log_message(self, *_):
            pass

    handler = functools.partial(Pages, directory=EXAMPLES / "browser")
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


@pytest.fixture(scope="session")
def python_bot():
    """The command of the bot in Python, on the client package of this checkout."""
    package = ROOT / "clients" / "python"
    return ["env", f"PYTHONPATH={package}", sys.executable, str(EXAMPLES / "python" / "bot.py")]


@pytest.fixture(scope="session")
def typescript_bot(typescript):
    """The command of the bot in TypeScript, its types generated, checked and compiled."""
    return ["node", str(typescript.BOT / "dist" / "bot.js")]


@pytest.fixture
def page(tmp_path):
    """A page in a real Chromium."""
    with browsing(find_headless_chromium(), tmp_path) as page:
        yield page
