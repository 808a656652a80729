"""Compares what clients see before and after a change of the code: the contract and the bytes of responses.

    python -m tests.contract.same_responses record FILE
    python -m tests.contract.same_responses compare FILE

`record` writes the parsed `openapi.yaml`, and each response to the requests of the recorded examples, of the
provoked problems and of whole games, without the values that differ from run to run. `compare` records
again, and prints the first differences.
"""

import difflib
import itertools
import json
import logging
import re
import sys
from functools import partial
from pathlib import Path
from unittest import mock

from tests.contract.checked import read_document
from tests.contract.examples import groups_of_scenes
from tests.contract.recording import LiveService
from tests.support.playing import MAX_ACTIONS, Service, dice
from tests.support.provoked import PROVOKED

MAX_DIFFERENCES = 40
OMITTED_HEADERS = {"Allow", "Connection", "Date", "Server", "X-Request-Id"}
"""Headers of the moment or of the server, and one whose words have no order."""
_VARYING = re.compile(
    r"skye_[a-z]+_[\w-]{16,64}"  # tokens, invitation codes, player keys
    r"|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z|[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} [\d:]{8} GMT"
    r"|(?<![a-z0-9])(?=[a-z]*\d)(?:[a-z0-9]{24}|[a-z0-9]{12})(?![a-z0-9])"  # ids of games, webhooks, tickets
    r"|(?<![\w#])[0-9a-f]{8,64}(?!\w)|(?<=_)[0-9a-f]{16,32}|whsec_[\w+/=]+|(?<=t=)\d+|:\d{4,5}(?=/)"
)
"""Tokens, times, ids, seeds and nonces, secrets, seconds to wait, and the port of the server."""

PLAYED = {
    "people": {"players": 3},
    "bots": {"players": 5, "bots": {1: "greedy", 3: "random"}, "options": {"open_gold": True}},
    "private": {"players": 2, "visibility": "private", "options": {"turn_ms": 60_000}},
    "position": {
        "players": 2,
        "position": {
            "round": 5,
            "phase": "buying",
            "seed": "skye",
            "players": [{"gold": 3}, {"gold": 12}],
            "next_draws": [f"L{number}" for number in range(60, 74)],
        },
    },
    "manual": {"players": 2, "options": {"clock": "manual", "turn_ms": 60_000}},
}
"""The whole games, as arguments of `create_game`."""


def responses():
    """Return the text of the contract and of all responses, each part without what varies."""
    written = ["The contract", json.dumps(read_document(), indent=1)]
    sent = Service.call

    def call(service, method, path, *arguments, **more):
        response = sent(service, method, path, *arguments, **more)
        written.append(_text(method, path, response))
        return response

    with mock.patch.object(Service, "call", call):
        for title, run in _runs():
            written.append(f"# {title}")
            run()
    return "\n".join(written) + "\n"


def _runs():
    """Yield the title of each part, and the function that sends its requests."""
    for (name,), record in groups_of_scenes().items():
        yield name, record
    for name, (_, prepare) in PROVOKED.items():
        yield name, partial(_problem, prepare)
    for name, options in PLAYED.items():
        yield name, partial(_whole_game, **options)


def _problem(prepare):
    with LiveService() as service:
        prepare(service)()


def _whole_game(**options):
    """Play a game to its end; view it for each seat after each action, and all of its history at the end."""
    with LiveService() as service:
        if "position" in options:
            del options["players"]
            game = service.begin(**options)
        else:
            game = service.create_game(**options)
        chance, view = dice(7), game.view(0)
        for number in range(MAX_ACTIONS):
            if view["status"] != "playing":
                break
            service.clock.advance(1)
            service.label_randomness(str(number))
            if options.get("options", {}).get("clock") == "manual" and number % 9 == 8:
                game.call("POST", "clock", {"advance_ms": 60_000}, token=game.host)
            else:
                game.act_legally(view["waiting_for"][0], chance)
            views = [game.view(seat) for seat, token in enumerate(game.tokens) if token is not None]
            view = views[0]
        token = game.tokens[0]
        after = view["last_event"] - 3
        rests = (
            "",
            "events?limit=1000",
            "record",
            "rounds",
            "scores",
            "players",
            f"events/stream?after={after}",
        )
        for rest in rests:
            game.call("GET", rest, token=token)
        for seat in range(len(view["players"])):
            for rest in ("", "territory", "territory/picture.svg"):
                game.call("GET", rest, seat=seat, token=token)
        service.call("GET", "/v1/games")
        game.call("POST", "rematch", token=token)


def _text(method, path, response):
    """Return a request and its response as text; of metrics only their names, since they measure time."""
    headers = [f"{name}: {value}" for name, value in sorted(response.headers) if name not in OMITTED_HEADERS]
    lines = response.text.split("\n")
    if path == "/metrics":
        lines = [line for line in lines if line.startswith("#")]
        headers = [line for line in headers if not line.startswith("Content-Length")]
    return "\n".join([f"> {method} {path}", response.status, *headers, *lines])


def without_varying(text):
    """Return a text with a number in place of each value that varies, the same for each occurrence."""
    numbers = {}
    return _VARYING.sub(lambda found: f"<{numbers.setdefault(found.group(), len(numbers))}>", text)


def main(action, file):
    """Record, or compare with what is recorded; return the exit code."""
    logging.disable()
    recorded = "\n".join(
        without_varying(part) if part else part
        for part in re.split(r"^(?=# )", responses(), flags=re.MULTILINE)
    )
    if action == "record":
        Path(file).write_text(recorded)
        return 0
    lines = difflib.unified_diff(Path(file).read_text().splitlines(), recorded.splitlines(), n=1, lineterm="")
    differences = list(itertools.islice(lines, MAX_DIFFERENCES))
    for line in differences:
        print(line[:1000])
    print("different" if differences else f"the same {recorded.count('> ')} responses")
    return bool(differences)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
