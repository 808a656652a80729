"""Print which functions of the project a request passes, in the order of their first calls.

    python -m bench.request_path

The request sets the offer of a seat again, with a seat token, an idempotency key and `If-Match`.
"""

from __future__ import annotations

import itertools
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

from bench.servers import redis_server
from skye_server import create_app
from skye_server.http.framework import collaborators
from skye_server.server.server_programs import find_program
from skye_server.settings import Settings

_ROOTS = tuple(f"{Path(__file__).parent.parent / folder}/" for folder in ("service", "engine"))
_PAIR = {"players": [{"name": "Ann"}, {"name": "Bob"}], "auto_start": True}


def main() -> None:
    """Play up to a decision, and print the functions that each of several equal requests passes."""
    program = find_program() or sys.exit("There is no redis-server.")
    with tempfile.TemporaryDirectory() as folder, redis_server(program, Path(folder, "redis")) as redis:
        app = create_app(Settings(redis_url=redis.url))
        client = app.test_client()
        created: Any = client.post("/v1/games", json=_PAIR).json
        path = f"/v1/games/{created['game']['id']}/players/0"
        headers = {"Authorization": f"Bearer {created['players'][0]['token']}"}
        listed: Any = client.get(f"{path}/actions", headers=headers).json
        offer = listed["actions"][0]["body"]
        version, numbers = created["game"]["version"], itertools.count()

        def request() -> None:
            nonlocal version
            key = {"Idempotency-Key": f"request-{next(numbers)}", "If-Match": f'"{version}"'}
            answer = client.put(f"{path}/offer", json=offer, headers=headers | key)
            assert answer.status_code == 200, answer.text
            version += 1

        request()
        always = [called(request) for _ in range(3)]
        collaborators(app).change_notifier.stop()
    functions = [each for each in always[0] if all(each in others for others in always)]
    for file, lines in itertools.groupby(functions, lambda each: each[0]):
        print(f"{file}: {', '.join(name for _, name in lines)}")
    print(f"{len(functions)} functions in {len({file for file, _ in functions})} files")


def called(request: Callable[[], None]) -> list[tuple[str, str]]:
    """Return file and name of the functions that a request passes; comprehensions are parts of theirs."""
    functions: dict[tuple[str, str], None] = {}

    def record(frame: FrameType, event: str, _argument: object) -> None:
        code = frame.f_code
        found = next((root for root in _ROOTS if code.co_filename.startswith(root)), None)
        if event == "call" and found and not code.co_qualname.endswith(("comp>", "genexpr>")):
            functions[code.co_filename.removeprefix(found), code.co_qualname] = None

    sys.setprofile(record)
    try:
        request()
    finally:
        sys.setprofile(None)
    return list(functions)


if __name__ == "__main__":
    main()
