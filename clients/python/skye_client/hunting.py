"""Bug hunts of lab servers: a client of the API of a hunt, which records what it sends, and reports.

`skye-hunt` runs pytest on a hunt, and prints the score.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from http import HTTPStatus
from importlib.util import find_spec
from typing import Any, Final, Unpack

import httpx

from skye_client import InvalidAddressError, InvalidEnvironmentError, Skye, models
from skye_client.messages import authorization, checked_url
from skye_client.proxies import client_options, proxy_for
from skye_client.version import __version__

HUNT_VARIABLE: Final = "SKYE_HUNT"
"""The environment variable with the address of the hunt that tests look at."""

MAX_EVIDENCE: Final = 100
_TIMEOUT_S: Final = 60.0
_MAX_WAITS: Final = 5


class Hunt:
    """A bug hunt.

    :param url: its address, such as `http://127.0.0.1:8000/v1/lab/hunts/edc3d4qaqqaz`.
    :param key: the key that reveals it.
    """

    def __init__(self, url: str, key: str | None = None) -> None:
        self.url = checked_url(url)
        self.key = key
        self.recorded: list[dict[str, Any]] = []
        hooks: dict[str, list[Any]] = {"request": [self._into_hunt], "response": [self._record]}
        self._http = _http(self.url, event_hooks=hooks)
        self.client = Skye(self.api, http=self._http)
        self._own = _http(self.url)

    @property
    def api(self) -> str:
        """The address of the API with the defects."""
        return f"{self.url}/api"

    @classmethod
    def open(cls, server: str, **choices: Unpack[models.HuntToOpen]) -> Hunt:
        """Open a hunt on a lab server.

        :param choices: the fields of `POST /v1/lab/hunts`, such as `classes`, `difficulty` and `count`.
        :raises httpx.HTTPStatusError: when the server refuses it.
        :raises InvalidAddressError: when the address of the server cannot be one.
        """
        server = checked_url(server)
        with _http(server) as http:
            opened = _json(http.post(f"{server}/v1/lab/hunts", json=choices))
        return cls(f"{server}/v1/lab/hunts/{opened['id']}", opened["key"])

    def report(self, operation: str, defect_class: models.ChosenDefectClass) -> dict[str, Any]:
        """Report a defect, with the requests of `client` since the last report as evidence.

        It waits while the time of a minute that the server gives to the replays of an address is used up.

        :raises httpx.HTTPStatusError: when the report is malformed, or the hunt has ended.
        """
        evidence, self.recorded = self.recorded[-MAX_EVIDENCE:], []
        report = {"operation": operation, "class": defect_class, "evidence": evidence}
        waits = 0
        while True:
            answer = self._own.post(f"{self.url}/reports", json=report)
            if answer.status_code != HTTPStatus.TOO_MANY_REQUESTS or waits == _MAX_WAITS:
                return _json(answer)
            waits += 1
            time.sleep(min(float(answer.headers.get("Retry-After", 1)), _TIMEOUT_S))

    def score(self) -> dict[str, Any]:
        """Return the score.

        :raises httpx.HTTPStatusError: when the hunt has expired.
        """
        return _json(self._own.get(f"{self.url}/score"))

    def reveal(self) -> dict[str, Any]:
        """End the hunt, and return its defects.

        :raises httpx.HTTPStatusError: without the key of the hunt.
        """
        headers = authorization(self.key)
        return _json(self._own.post(f"{self.url}/reveal", headers=headers))

    def close(self) -> None:
        """Close the connections."""
        self._http.close()
        self._own.close()

    def _into_hunt(self, request: httpx.Request) -> None:
        """Take the path of an action, which leads into the hunt, as it is."""
        base = httpx.URL(self.api).path
        path = request.url.path
        if path.startswith(f"{base}{base}/"):
            request.url = request.url.copy_with(path=path.removeprefix(base))

    def _record(self, response: httpx.Response) -> None:
        """Keep a request and its response as evidence."""
        request, sent = response.request, response.request.content
        is_stream = response.headers.get("Content-Type", "").startswith("text/event-stream")
        names = ("authorization", "idempotency-key", "if-match", "if-none-match", "accept", "last-event-id")
        self.recorded.append(
            {
                "method": request.method,
                "path": request.url.raw_path.decode(),
                "headers": [
                    {"name": name, "value": value} for name, value in request.headers.items() if name in names
                ],
                "body": sent.decode() if sent else None,
                "status": response.status_code,
                "response_body": None if is_stream else response.read().decode("utf-8", "replace") or None,
            }
        )


def _http(url: str, **options: Any) -> httpx.Client:
    """Return a client for a server, with the proxy that the environment names for it."""
    return httpx.Client(timeout=_TIMEOUT_S, **client_options(proxy_for(url)), **options)


def _json(response: httpx.Response) -> dict[str, Any]:
    response.raise_for_status()
    value: dict[str, Any] = response.json()
    return value


def score_text(score: dict[str, Any]) -> str:
    """Return a score as lines of text."""
    lines = [f"Hunt {score['hunt']}: {len(score['found'])} of {score['defects']} defects found"]
    lines += [
        f"  found  {each['class']}: {each['operation']} ({each['difficulty']})" for each in score["found"]
    ]
    lines += [f"  left   {each['class']}: {each['defects']}" for each in score["left"]]
    return "\n".join([*lines, f"  false reports: {score['false_reports']}, seconds: {score['seconds']}"])


@contextlib.contextmanager
def _server(url: str | None) -> Iterator[str]:
    if url is not None:
        yield url
        return
    from skye_client.pytest_plugin import running_server  # noqa: PLC0415 - pytest is an extra

    with running_server() as started:
        yield started


def _refusal(error: httpx.HTTPError, where: str) -> str:
    """Return why there is no hunt at an address."""
    if not isinstance(error, httpx.HTTPStatusError):
        return f"there is no response from {where}: {error}"
    if error.response.status_code == HTTPStatus.NOT_FOUND:
        return f"there is no such hunt at {where}: hunts need SKYE_LAB=on and the package skye-hunts"
    return f"{where} refuses the hunt: {error.response.text}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run pytest on a hunt, print the score, and return the exit code of pytest."""
    parser = argparse.ArgumentParser(
        "skye-hunt", description="Run pytest on a bug hunt, and print the score."
    )
    parser.add_argument("--version", action="version", version=f"%(prog)s {__version__}")
    parser.add_argument("--server", help="a lab server; without it one is started")
    parser.add_argument("--hunt", help="the address of a hunt; without it one is opened")
    parser.add_argument("--class", dest="classes", action="append", help="a class of defects; all without it")
    parser.add_argument("--difficulty", choices=("easy", "medium", "hard"))
    parser.add_argument("--count", type=int, default=5, help="the number of defects")
    parser.add_argument("--seed", help="the same seed gives the same defects")
    parser.add_argument("--reveal", action="store_true", help="end the hunt, and print its defects")
    chosen, of_pytest = parser.parse_known_args(arguments)
    if find_spec("pytest") is None:
        parser.error("there is no pytest here: `pip install pytest`")
    choices = {"count": chosen.count, "difficulty": chosen.difficulty, "seed": chosen.seed}
    choices |= {"classes": chosen.classes}
    with contextlib.nullcontext("") if chosen.hunt else _server(chosen.server) as server:
        named = {name: value for name, value in choices.items() if value is not None}
        try:
            hunt = Hunt(chosen.hunt) if chosen.hunt else Hunt.open(server, **named)
            defects = hunt.score()["defects"]
        except httpx.HTTPError as error:
            parser.error(_refusal(error, chosen.hunt or server))
        except (InvalidAddressError, InvalidEnvironmentError) as error:
            parser.error(str(error))
        if not chosen.hunt and defects < chosen.count:
            sys.stdout.write(f"There are only {defects} such defects.\n")
        # In a process of its own: pytest cannot rewrite the asserts of a package that is imported already.
        tests = [sys.executable, "-m", "pytest", *of_pytest]
        environment = os.environ | {HUNT_VARIABLE: hunt.url}
        code = subprocess.run(tests, env=environment, check=False).returncode  # noqa: S603 - own arguments
        sys.stdout.write(f"\n{score_text(hunt.score())}\n")
        if chosen.reveal:
            for defect in hunt.reveal()["defects"]:
                mark = "found" if defect["found"] else "left "
                sys.stdout.write(f"  {mark}  {defect['name']}: {defect['breaks']}\n")
        hunt.close()
    return code
