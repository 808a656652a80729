"""Fixtures for tests of programs that use the API. pytest loads this plugin when the package is installed.

`skye_server` is the address of a server, started once per test run. It stores games in memory, or in its own
Redis with `skye_storage = redis`; with `skye_url` the tests use a running server. `skye_settings` are
settings of the started server, which has `SKYE_LAB=on` by default. All these are pytest options, set in
`pyproject.toml` or with `-o` on the command line.

`hunt` is a bug hunt. A test with the marker `defect("get_game", "contract")` that fails reports its requests
to the hunt as evidence of such a defect.
"""

from __future__ import annotations

import contextlib
import importlib.util
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from skye_client import Game, InvalidAddressError, Seat, Skye, models, server_guard
from skye_client.hunting import HUNT_VARIABLE, Hunt, score_text
from skye_client.messages import checked_url

_START_TIMEOUT_S = 180.0
_GUARD = Path(server_guard.__file__)
_STOP_TIMEOUT_S = server_guard.STOP_TIMEOUT_S + 10
_NOT_INSTALLED = (
    "skye_server needs the service in this environment: install skye-client[pytest]. "
    "To test against a running server, pass its address: -o skye_url=http://127.0.0.1:8000"
)


class ServerNotStartedError(Exception):
    """The server for the tests did not start; the message has the reason."""


@dataclass(frozen=True, slots=True)
class CreatedGame:
    """A game that a test created, with all its tokens.

    :param created: the response of `POST /v1/games`.
    :param host: the game with the host token.
    :param seats: the seats with their tokens; those of bots have none.
    """

    client: Skye
    created: models.CreatedGame = field(repr=False)
    host: Game
    seats: list[Seat]

    @property
    def id(self) -> str:
        """The id of the game."""
        return self.host.id

    @property
    def tokens(self) -> list[str | None]:
        """The token of each seat, None for a bot."""
        return [seat.game.token for seat in self.seats]

    @property
    def spectator(self) -> Game:
        """The game without a token."""
        return self.client.game(self.host.id)

    @property
    def acting(self) -> Seat:
        """The first seat that must act now."""
        return self.seats[self.host.get()["waiting_for"][0]]

    def view(self, seat: int | None = None) -> models.Game:
        """Return the view of a seat, or of a spectator for None."""
        return (self.spectator if seat is None else self.seats[seat].game).get()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Declare the settings of the plugin."""
    parser.addini("skye_url", "the address of a running server to test against", default="")
    parser.addini("skye_storage", "where the started server stores games: memory or redis", default="memory")
    parser.addini("skye_settings", "settings of the started server, such as SKYE_LAB=off", type="linelist")


def pytest_configure(config: pytest.Config) -> None:
    """Declare the marker of the plugin."""
    config.addinivalue_line(
        "markers", "defect(operation, class): if the test fails, report its requests to the bug hunt"
    )


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Report the requests of a failed test with the marker `defect`; add the verdict to its output."""
    report = yield
    marker, hunt = item.get_closest_marker("defect"), getattr(item, "funcargs", {}).get("hunt")
    if call.when == "call" and report.failed and marker is not None and isinstance(hunt, Hunt):
        result = hunt.report(*marker.args)
        report.sections.append(("bug hunt", f"{result['verdict']}: {result['detail']}"))
    return report


@pytest.fixture(scope="session")
def _hunt(request: pytest.FixtureRequest) -> Iterator[Hunt]:
    url = os.environ.get(HUNT_VARIABLE)
    hunt = Hunt(url) if url else Hunt.open(request.getfixturevalue("skye_server"))
    yield hunt
    if not url:  # otherwise skye-hunt prints the score
        sys.stdout.write(f"\n{score_text(hunt.score())}\n")
    hunt.close()


@pytest.fixture
def hunt(_hunt: Hunt) -> Hunt:
    """Return a bug hunt: that of `skye-hunt`, or one of the server under test.

    `hunt.client` is a client of its API, whose requests in this test are the evidence of `hunt.report`.
    """
    _hunt.recorded.clear()
    return _hunt


@pytest.fixture(scope="session")
def skye_server(request: pytest.FixtureRequest) -> Iterator[str]:
    """Return the address of the server under test."""
    config = request.config
    url = str(config.getini("skye_url"))
    try:
        if url:
            yield checked_url(url)
            return
        with running_server(config.getini("skye_storage"), config.getini("skye_settings")) as url:
            yield url
    except (ServerNotStartedError, InvalidAddressError) as error:
        pytest.fail(str(error), pytrace=False)


@pytest.fixture
def skye_client(skye_server: str) -> Iterator[Skye]:
    """Return a client of the server under test."""
    with Skye(skye_server) as client:
        yield client


@pytest.fixture
def skye_game(skye_client: Skye) -> Callable[..., CreatedGame]:
    """Return a function that creates a game from the fields of `POST /v1/games`.

    Without fields, the function starts a game of two players. `players` can be a number of players with
    default names. With `scenario`, `position` or `record` the game starts from that position.

    >>> game = skye_game(players=3, options={"seed": "a test"})  # doctest: +SKIP
    """

    def create(players: int | list[dict[str, Any]] = 2, **fields: Any) -> CreatedGame:
        if fields.keys() & {"record", "position", "scenario"}:
            body = fields if isinstance(players, int) else {"players": players, **fields}
        else:
            body = {"players": seated(players), "auto_start": True, **fields}
        created = skye_client.request("POST", "/v1/games", body)
        host = skye_client.game(created["game"]["id"], created["host_token"])
        return CreatedGame(skye_client, created, host, skye_client.seats(created))

    return create


def seated(players: int | list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the players to seat; a number means that many players with default names."""
    if isinstance(players, int):
        return [{"name": f"Player {number}"} for number in range(1, players + 1)]
    return players


@pytest.fixture
def skye_clock() -> Callable[[CreatedGame, int], models.Game]:
    """Return a function that advances the manual clock of a game, in milliseconds.

    >>> skye_clock(game, 60_000)  # doctest: +SKIP
    """
    return lambda game, advance_ms: game.host.advance_clock(advance_ms)


@contextlib.contextmanager
def running_server(storage: str = "memory", settings: Sequence[str] = ()) -> Iterator[str]:
    """Start a server on a free port of 127.0.0.1, yield its address, and stop it.

    The server ends, and its folder is deleted, also when this process is killed.

    :param storage: `memory`, or `redis` for its own Redis in a temporary folder.
    :param settings: other settings, each as `SKYE_NAME=value`.
    :raises ServerNotStartedError: when the service is not installed or does not start.
    """
    if storage not in ("memory", "redis"):
        raise ServerNotStartedError(f"skye_storage is {storage!r}; use memory or redis")
    if not _service_is_installed():
        raise ServerNotStartedError(_NOT_INSTALLED)
    with tempfile.TemporaryDirectory(prefix="skye-") as folder:
        output = Path(folder, "output.log")
        with output.open("wb") as log:
            process = subprocess.Popen(  # noqa: S603 - own arguments
                [sys.executable, "-I", _GUARD, folder, sys.executable, "-m", "skye_server.cli", "serve"],
                env=_environment(folder, storage, settings),
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=log,
            )
        try:
            yield _address(process, output)
        finally:
            try:
                process.communicate(timeout=_STOP_TIMEOUT_S)  # closes the pipe
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _service_is_installed() -> bool:
    try:
        return importlib.util.find_spec("skye_server.cli") is not None
    except ModuleNotFoundError:
        return False


def _environment(folder: str, storage: str, settings: Sequence[str]) -> dict[str, str]:
    """Return the environment of the server: that of the tests, with other settings."""
    environ = {name: value for name, value in os.environ.items() if not name.startswith("SKYE_")}
    environ |= {
        "SKYE_BIND": "127.0.0.1:0",
        "SKYE_DATA_DIR": f"{folder}/data",
        "SKYE_WORKERS": "1",
        "SKYE_LAB": "on",
    }
    if storage == "memory":
        environ["SKYE_REDIS_URL"] = "memory://"
    return environ | {name: value for name, _, value in (line.partition("=") for line in settings)}


def _address(process: subprocess.Popen[bytes], output: Path) -> str:
    """Wait until the server has started; return its address."""
    deadline = time.monotonic() + _START_TIMEOUT_S
    while time.monotonic() < deadline and process.poll() is None:
        found = re.search(r"(http://127\.0\.0\.1:\d+)\S*/healthz", output.read_text())
        if found:
            return found[1]
        time.sleep(0.02)
    raise ServerNotStartedError(f"The server for the tests did not start:\n{output.read_text()}")
