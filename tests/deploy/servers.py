"""Servers for the tests of deployment: instances of the API at Unix sockets, and nginx."""

import contextlib
import http.client
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

from skye_server.server.processes import stop
from tests.support.launcher import children, kill_all
from tests.support.ports import free_port
from tests.support.waiting import MAX_WAIT_S, waited_for

ROOT = Path(__file__).resolve().parents[2]
JSON = {"Content-Type": "application/json"}


class Answer(NamedTuple):
    """An answer that has been read."""

    status: int
    headers: http.client.HTTPMessage
    body: bytes

    @property
    def json(self):
        return json.loads(self.body)


class Server:
    """An HTTP server; `plug` opens a TCP connection to it."""

    def plug(self):
        raise NotImplementedError

    @contextlib.contextmanager
    def asked(self, method, path, body=None, headers=()):
        """Send a request on a new connection; return the response with its body unread."""
        connection = http.client.HTTPConnection("localhost")
        connection.sock = self.plug()
        with contextlib.closing(connection):
            connection.request(method, path, body, dict(headers))
            with connection.getresponse() as answer:
                yield answer

    def call(self, method, path, body=None, headers=()):
        """Send a request and read its answer."""
        with self.asked(method, path, body, headers) as answer:
            return Answer(answer.status, answer.headers, answer.read())

    def new_game(self, body=b"{}"):
        """Open a game and return the answer to that, which must be good."""
        answer = self.call("POST", "/v1/games", body, JSON)
        assert answer.status == 201, answer.body
        return answer.json

    def follow(self, game, **headers):
        """Return the stream of a game's events."""
        return self.asked("GET", f"/v1/games/{game}/events/stream", headers=headers)

    def answers(self):
        """Return whether the server is ready."""
        with contextlib.suppress(OSError, http.client.HTTPException):
            return self.call("GET", "/readyz").status == 200
        return False


LONG_INTERVALS = "tests.support.long_intervals:app"
SHORT_INTERVALS = "tests.support.short_intervals:app"


class Instance(Server):
    """One gunicorn, with two workers, at a Unix socket and a port."""

    prefix = ()
    """What begins the command."""

    def __init__(self, socket_path, redis_url, application="skye_server.wsgi:app", **settings):
        self.application = application
        self.port = free_port()
        self.socket_path = socket_path
        self.log = socket_path.with_suffix(".log")
        self.environ = environ_of(redis_url, **({"SKYE_WORKERS": "2"} | settings))
        self.process = None

    @property
    def url(self):
        """The URL of its port."""
        return f"http://127.0.0.1:{self.port}"

    def plug(self):
        with contextlib.ExitStack() as unless_connected:
            connection = unless_connected.enter_context(socket.socket(socket.AF_UNIX))
            connection.settimeout(MAX_WAIT_S)
            connection.connect(str(self.socket_path))
            unless_connected.pop_all()
        return connection

    def start(self):
        """Start it, and wait until it can serve."""
        self.launch()
        assert waited_for(self.answers), self.log.read_text()
        return self

    def launch(self):
        """Start it, and do not wait."""
        command = [*self.prefix, sys.executable, "-m", "gunicorn"]
        command += [
            "--config",
            "python:skye_server.worker.gunicorn_conf",
            "--bind",
            f"unix:{self.socket_path}",
        ]
        command += ["--bind", f"127.0.0.1:{self.port}", self.application]
        with self.log.open("ab") as output:
            self.process = subprocess.Popen(command, cwd=ROOT, env=self.environ, stdout=output, stderr=output)

    def end(self, with_signal=signal.SIGTERM):
        """Stop it, if it runs, and return its exit code."""
        if self.process.poll() is None:
            self.process.send_signal(with_signal)
        return self.process.wait(MAX_WAIT_S)

    def kill(self):
        """Kill it and its workers, if it runs."""
        if self.process is not None:
            kill_all(self.process)


class Dispatcher:
    """A dispatcher on a Redis, which can be killed and started again."""

    def __init__(self, log, redis_url, **settings):
        self.log = log
        self._environ = environ_of(redis_url, **settings)
        self._process = None

    def start(self):
        command = [sys.executable, "-m", "skye_server.cli", "dispatch"]
        with self.log.open("ab") as output:
            self._process = subprocess.Popen(
                command, cwd=ROOT, env=self._environ, stdout=output, stderr=output
            )

    def kill(self):
        """Kill it, if it runs."""
        if self._process is not None:
            kill_all(self._process)


def environ_of(redis_url, **settings):
    """Return the environment of a server on a Redis, with no other settings than those given."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("SKYE_")}
    return clean | {"SKYE_REDIS_URL": redis_url} | settings


@contextlib.contextmanager
def suspended(instance):
    """Suspend all processes of an instance; the kernel still accepts their connections."""
    pids = (instance.process.pid, *children(instance.process.pid))
    for pid in pids:
        os.kill(pid, signal.SIGSTOP)
    try:
        yield
    finally:
        for pid in pids:
            os.kill(pid, signal.SIGCONT)


def nginx_program():
    """Return the path of nginx, or None."""
    return shutil.which("nginx", path=f"{os.environ.get('PATH', os.defpath)}:/usr/sbin")


def copy_nginx_files(folder, replacements=()):
    """Copy the configuration of nginx into a folder, which replaces /run/skye and /tmp in it.

    :param replacements: pairs of texts; the first is replaced by the second
    """
    for file in (ROOT / "deploy" / "nginx").iterdir():
        text = (
            file.read_text()
            .replace("/run/skye/", f"{folder}/")
            .replace("/run/skye-mcp/", f"{folder}/")
            .replace(" /tmp/", f" {folder}/")
        )
        for before, after in replacements:
            text = text.replace(before, after)
        (folder / file.name).write_text(text)


class Nginx(Server):
    """nginx with the configuration of `deploy/nginx`; its instances are the sockets in `folder`."""

    host = "127.0.0.1"

    def __init__(self, program, folder, replacements=()):
        copy_nginx_files(folder, replacements)
        self.port = free_port()
        # A small send buffer, so that what a client does not take stays in nginx.
        self.agents_port = free_port()  # for the MCP server
        file = folder / "nginx.conf"
        file.write_text(file.read_text().replace("^8081:", f"^{self.agents_port}:"))
        listening = (
            f"listen {self.host}:{self.port} sndbuf=16k ipv6only=off;"
            if ":" in self.host
            else f"listen {self.host}:{self.port} sndbuf=16k;",
            f"listen 127.0.0.1:{self.agents_port};",
        )
        (folder / "listen.conf").write_text("\n".join(listening))
        as_root = " user root;" if os.geteuid() == 0 else ""
        self.log = folder / "nginx.log"
        command = [program, "-p", folder, "-c", folder / "nginx.conf", "-g", f"daemon off;{as_root}"]
        with self.log.open("wb") as log, contextlib.ExitStack() as unless_ready:
            self.process = subprocess.Popen(command, stderr=log)
            unless_ready.callback(stop, self.process, MAX_WAIT_S)
            assert waited_for(self._listens), self.log.read_text()
            unless_ready.pop_all()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}"

    def plug(self):
        return socket.create_connection(("127.0.0.1", self.port), timeout=MAX_WAIT_S)

    def _listens(self):
        with contextlib.suppress(OSError), self.plug():
            return True
        return False


class Player:
    """A client as the demo plays by, of one server; which one may be changed in the middle of a game."""

    def __init__(self, server):
        self.server = server

    def call(self, method, path, body=None, token=None):
        headers = JSON | ({"Authorization": f"Bearer {token}"} if token else {})
        answer = self.server.call(method, path, None if body is None else json.dumps(body), headers)
        assert answer.status in (200, 201), answer
        return answer.json


def messages(stream, seconds=MAX_WAIT_S):
    """Read server-sent events to their end, within a time limit, as pairs of name and data."""
    name, until = "message", time.monotonic() + seconds
    for line in stream:
        assert time.monotonic() < until, "the stream goes on and on"
        field, _, value = line.decode().rstrip("\n").partition(": ")
        if field == "event":
            name = value
        elif field == "data":
            yield name, json.loads(value)
            name = "message"
