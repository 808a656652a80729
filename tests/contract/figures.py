"""The figures on pages of the guide that the code knows.

Between `<!-- NAME -->` and `<!-- end -->` in a page stands the figure of that name, one of

- a constant with its module, `games.pauses.MAX_PAUSES`, or an attribute of it, `skye.BASE.castle_income`;
- the default of a setting: `SKYE_LIMIT_STREAMS`;
- a keyword of the contract: `FreshGame.name.maxLength`, `GET /v1/games?limit.maximum`;
- what a file sets: `gunicorn.keepalive`, `nginx.send_timeout`, the version `generator.orval`;
- one of `COMPUTED`.

A time (`..._S`, `..._MS`) and a size (`..._BYTES`) have their unit. `python -m tests.contract.guide` writes
the figures; the pages as they are served have no comments.
"""

import importlib
import re
from collections.abc import Mapping
from functools import cache

from skye import BASE, Phase
from skye_server.commands.creation_commands import MAX_ABORTED
from skye_server.games.transitions import MAX_REVISIONS
from skye_server.http.rate_limits import GAME_KB, SEAT_KB
from skye_server.http.request_parsing import BYTES_PER_VALUE
from skye_server.settings import DAY_S, Settings
from tests.contract.checked import read_document
from tests.support.launcher import ROOT

_DECISIONS_OF_FOUR = len(Phase) * len(BASE.rounds(4))

COMPUTED = {
    "IDEMPOTENCY_KEY_LENGTH": lambda: _document()["components"]["parameters"]["IdempotencyKeyParameter"][
        "schema"
    ]["maxLength"],
    "LANDSCAPE_TILES": lambda: len(BASE.tiles.landscape),
    "SCORING_TILES": lambda: len(BASE.scoring_tiles),
    "MIN_PLAYERS": lambda: BASE.players[0],
    "MAX_PLAYERS": lambda: BASE.players[-1],
    "DECISIONS_OF_FOUR": lambda: _DECISIONS_OF_FOUR,
    "MAX_DECISIONS_OF_SERVER": lambda: _DECISIONS_OF_FOUR // 2,
    "MAX_REMATCHES": lambda: MAX_ABORTED + 1,
    "MAX_VALUES": lambda: Settings().max_body_bytes // BYTES_PER_VALUE,
    "KB_OF_A_CLASS": lambda: 30 * 20 * (GAME_KB + 4 * SEAT_KB),
    "KB_OF_A_BATCH": lambda: 100 * (GAME_KB + 2 * SEAT_KB),
    "STORED_KB_OF_AN_ADDRESS": lambda: (
        Settings().game_ttl_playing_s // DAY_S * Settings().limit_stored_kb_per_day
    ),
    "REVISIONS_OF_TWO": lambda: MAX_REVISIONS // 2,
    "REVISIONS_OF_FIVE": lambda: MAX_REVISIONS // 5,
}
"""Functions that return figures which no constant has."""

PLACE = re.compile(r"<!-- (?!end)(.+?) -->(.*?)<!-- end -->", re.DOTALL)
_UNIT = re.compile(r"_(S|SECONDS|MS|ms|BYTES)(?:_PER_REQUEST|\.\d+|\.load_default)?$")
_IN_SECONDS = {"year": 365 * 86_400, "day": 86_400, "hour": 3600, "minute": 60, "second": 1}
_FILES = {
    "gunicorn": ("service/skye_server/worker/gunicorn_conf.py", r"(?m)^{} = (\d+)"),
    "nginx": ("deploy/nginx/nginx.conf", r"(?m)^ *{} (\d+)s;"),
    "generator": ("tests/contract/generators/package.json", r'"{}": "([\d.]+)"'),
    "python_generator": ("tests/contract/generators/requirements.in", r"(?m)^{}==([\d.]+)$"),
}
"""By prefix: the file, and the line that sets a figure."""


def with_figures(page):
    """Return a page with the figures that the code has."""
    return PLACE.sub(lambda found: f"<!-- {found[1]} -->{figure(found[1])}<!-- end -->", page)


@cache
def figure(name):
    """Return the figure of a name as a page shows it."""
    return _shown(name, _value(name))


def _shown(name, value):
    if isinstance(value, tuple):
        *first, last = (_shown(name, each) for each in value)
        return f"{', '.join(first)} and {last}"
    if isinstance(value, str):
        return value
    unit = _UNIT.search(name)
    if not unit:
        return str(value) if name.endswith("_PORTS") else f"{value:,}"
    if unit[1] == "BYTES":
        return f"{value // 1024:,} KiB"
    return duration(value / 1000 if unit[1] in ("MS", "ms") else value)


def duration(seconds):
    """Return a time in the largest unit of which it has a whole number, at least in milliseconds."""
    for unit, in_seconds in _IN_SECONDS.items():
        if seconds % in_seconds == 0:
            number = int(seconds // in_seconds)
            return f"{number:,} {unit}{'s' * (number != 1)}"
    return f"{1000 * seconds:g} milliseconds"


def _value(name):
    if name in COMPUTED:
        return COMPUTED[name]()
    if name.startswith("SKYE_"):
        return getattr(Settings(), name.removeprefix("SKYE_").lower())
    if name.startswith("GET "):
        return _keyword_of_parameter(*re.fullmatch(r"GET (.+)\?(\w+)\.(\w+)", name).groups())
    if name[0].isupper():
        return _keyword_of_field(*name.split("."))
    first, _, rest = name.partition(".")
    if first in _FILES:
        path, line = _FILES[first]
        found = re.search(line.format(re.escape(rest)), (ROOT / path).read_text())[1]
        return int(found) if found.isdecimal() else found
    return _constant(name.split("."))


def _keyword_of_parameter(path, parameter, keyword):
    listed = _document()["paths"][path]["get"]["parameters"]
    return next(each["schema"][keyword] for each in listed if each.get("name") == parameter)


def _keyword_of_field(schema, field, keyword):
    schemas = _document()["components"]["schemas"]
    found = schemas[schema]["properties"][field]
    while "$ref" in found:
        found = schemas[found["$ref"].rpartition("/")[2]]
    return found[keyword]


def _constant(parts):
    """Return what is found by names, first those of modules."""
    for root in ("skye_server.", ""):
        for number in range(len(parts) - 1, 0, -1):
            try:
                found = importlib.import_module(root + ".".join(parts[:number]))
            except ModuleNotFoundError:
                continue
            for part in parts[number:]:
                if isinstance(found, Mapping | tuple):
                    found = found[int(part) if part.isdecimal() else part]
                else:
                    found = getattr(found, part)
            return found
    raise LookupError(f"no module has {'.'.join(parts)}")


@cache
def _document():
    return read_document()
