"""The guide is correct: its commands print what it shows, and everything that it names exists."""

import io
import json
import re
import shutil
from dataclasses import fields

import pytest

from skye import BASE
from skye.rulesets import RULESETS
from skye_server import docs as guide
from skye_server.following.streams import HEARTBEAT_S
from skye_server.settings import Settings
from tests.contract.figures import PLACE, with_figures
from tests.contract.guide import NAMES, SOURCES, excerpts, recorded
from tests.contract.readme import settled
from tests.support.launcher import ROOT, launching
from tests.support.second_ruleset import SECOND, registered

TEXTS = {name: guide.source(name) for name in NAMES}

_OTHERS = """
    /v2 ... ..._ms snake_case null skye http://127.0.0.1:8000 ._~:/+=@- fetch
    EventSource Deprecation Sunset stream event deprecated
    skye_key_ skye_host_ skye_seat_ skye_invite_ skye_watch_ skye_hunt_
    scoring/A scoring/B scoring/C scoring/D draw/ROUND/SEAT/N x-problem-codes
    /play/-/client/index.js BroadcastChannel navigator.locks #
    fairness.commitment fairness.nonce fairness.seed_source info.version
"""
ELSEWHERE = {
    *_OTHERS.split(), 'action["type"] == "set_offer"',
    "isKnown", "is_known", "moves", "Authorization: Bearer TOKEN", '"visibility": "private"',
    '"42-seat1"', "*", "If-None-Match: *", '{"invite": true}', "enum", "x-extensible-enum",
    "constraints.tiles", "cut_after",
    "drop", "retry", "base+", "GET /v1/tiles?ruleset=", "GET /v1/scoring-tiles?ruleset=",
    '"requests";r=2998;t=1',
    "GET .../deliveries", "GET .../bot/deliveries",
    '{"bot_url": "http://127.0.0.1:5000/bot", "secret": "whsec_..."}',
    "SECRET=whsec_c2t5ZS1za3llLXNreWUtc2t5ZS1za3llLXNreWU= flask --app bot_flask run --port 5000",
    "http://127.0.0.1:5000/bot", '"plays": true', "UnknownRulesetError",
    "POST .../deliveries/{delivery}/retry", "POST .../secret",
    "SECRET=whsec_... flask --app receiver_flask run --port 5000",
    "http", "https", "make serve",
    "https://discord.com/api/webhooks/...", "https://hooks.slack.com/services/...",
    '"format": "discord"', '"slack"',
    "POST .../test", "me",
    "standardwebhooks", "webhooks.unwrap", "silence_after", "what_if", ".venv/bin",
    "second", "$HUNT/api", '"headers": [{"name": "Authorization", "value": "Bearer {{1/host_token}}"}]',
    "(game, seat, rng) -> move", "GameState", "SKYE_BOT_SECRET", "api_seat", "move_from_action",
    "random.Random", "rng", "skye-arena mybot:decide greedy",
    'skye-arena "mine=http://127.0.0.1:5000/bot" greedy --games 10',
    "skye-bot host mybot:decide --key KEY --url URL",
    "skye-bot url", "skye-bot url mybot:decide --port 5000", "skye.determinize", "skye.legal_moves",
    "TakeBack", "skye.views.action_of_move", "skye_client.host(key, decide)", "view",
    "exclude_none", "skye-arena", "skye-bench", "skye-client", "skye-mcp", "skye-server",
    '{"tile": null}', 'model_dump(mode="json", by_alias=True, exclude_unset=True)',
}  # fmt: skip
"""Words set as code that are not the contract's own."""

OTHER_NUMBERS = {
    "credentials": {"22", "64", "128"},
    "fairness": {"22", "128"},
    "following-a-game": {"15", "20", "204", "twenty"},
    "hunts": {"10"},
    "index": {"20", "64", "90", "180", "270"},
    "leagues": {"ten"},
    "limits": {"20", "30", "100", "200"},
    "matchmaking": {"201"},
    "testing": {"12", "15", "17,000"},
    "versions": {"1.0.1", "1.1.0", "six"},
    "writing-a-bot": {"511", "8000", "hundred"},
}
"""By page, the numbers that no code knows: examples, advice, promises."""

if "ladder" in guide.PAGES:  # two pages of a feature
    OTHER_NUMBERS |= {"enter-your-bot": {"ten"}}
    OTHER_NUMBERS["index"] |= {"ten"}
    ELSEWHERE |= {"--key", "--url", 'host(key, decide, { ladder: "live_2", name: "my-bot" })'}

if "hunts" in guide.PAGES:  # a page of a plug-in
    ELSEWHERE |= {"get_game", "defect", "--server", "/game/id", "{{1/game/id}}", "{{1//etag}}"}


@pytest.fixture(scope="module")
def url(tmp_path_factory):
    """The address of a lab server; one page deletes all of its games."""
    with launching(tmp_path_factory.mktemp("guide")) as start:
        yield start(SKYE_WORKERS="2", SKYE_DISPATCHERS="1", SKYE_LAB="on").url


def spans(text):
    """Return the inline code of a page."""
    return set(re.findall(r"`([^`]+)`", re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)))


def words_of(thing):
    """Yield every name and word that a document gives to something."""
    if isinstance(thing, list):
        for part in thing:
            yield from words_of(part)
    if isinstance(thing, dict):
        yield from thing.get("properties", ())
        yield from (str(word) for word in thing.get("enum", ()))
        yield from (str(word) for word in thing.get("x-extensible-enum", ()))
        yield from thing.get("x-problem-codes", ())
        yield from (thing[key] for key in ("const", "name") if isinstance(thing.get(key), str))
        for part in thing.values():
            yield from words_of(part)


@pytest.mark.parametrize("name", NAMES)
def test_every_command_answers_as_it_shows(name, url):
    missing = [
        program for program in ("bash", "curl", "jq", "openssl", "python3") if not shutil.which(program)
    ]
    if missing:
        pytest.skip(f"the guide's commands need {' and '.join(missing)}")
    assert settled(recorded(TEXTS[name], url)) == settled(TEXTS[name]), (
        f"python -m tests.contract.guide {name} records it again"
    )


def test_guide_bot_in_lobby_waits_for_the_start(monkeypatch):
    views = [
        {"status": status, "waiting_for": [], "last_event": 1, "players": []}
        for status in ("lobby", "finished")
    ]
    views.insert(1, {})  # the page of events
    monkeypatch.setattr("sys.argv", ["plain_bot.py", "http://server", "game", "0", "token"])
    monkeypatch.setattr("urllib.request.urlopen", lambda _: io.StringIO(json.dumps(views.pop(0))))
    exec(guide.DOWNLOADS["plain_bot.py"].read_text(), {})
    assert not views


def test_downloads_equal_their_sources():
    for name, path in SOURCES.items():
        assert guide.DOWNLOADS[name].read_text() == path.read_text(), "`make examples` copies it"


@pytest.mark.parametrize("name", NAMES)
def test_lines_that_a_page_shows_of_a_download_are_its_lines(name):
    for of, lines in excerpts(TEXTS[name]):
        assert lines in guide.DOWNLOADS[of].read_text()


def test_pages_link_to_every_download():
    linked = re.findall(r"\]\(/docs/assets/(\S+\.(?:py|ts|mjs))\)", "\n".join(TEXTS.values()))
    assert sorted(set(linked)) == sorted(guide.DOWNLOADS)


def words_of_rulesets():
    """Return the ids of all registered rulesets, and of their tiles and scoring tiles."""
    parts = [(ruleset.data.tiles, ruleset.scoring_tiles) for ruleset in RULESETS.values()]
    return {*RULESETS}.union(*(ids for of_ruleset in parts for ids in of_ruleset))


def known_words(document, contract):
    """Return the words that a page may set as code: those of the contract, of rulesets, and of settings."""
    operations = {f"{method.upper()} {path}" for method, path, _ in contract.operations()}
    settings = {f"SKYE_{row.name.upper()}" for row in fields(Settings)}
    components = {name for kind in ("headers", "schemas") for name in document["components"][kind]}
    names = {*components, *document["paths"], *operations, *settings}
    return {*words_of(document), *words_of_rulesets(), *names}


def test_words_in_code_style_name_something_that_exists(document, contract):
    assert set().union(*map(spans, TEXTS.values())) - known_words(document, contract) == ELSEWHERE


def test_page_may_name_the_tiles_of_every_registered_ruleset(document, contract):
    assert not {SECOND.id, "lakeside_sheep"} & known_words(document, contract)
    with registered(SECOND):
        assert {SECOND.id, "lakeside_sheep", *SECOND.tiles.landscape} <= known_words(document, contract)


def test_first_page_lists_all_pages_by_reader_and_title():
    section = TEXTS[guide.FIRST].split("\n## Pages\n")[1].split("\n## ")[0]
    readers = re.findall(r"^### (.*)\n((?:(?!###).*\n?)*)", section, re.MULTILINE)
    row = r"^\| \[(.*)\]\(/docs/([a-z-]+)\) \|"
    listed = [(reader, re.findall(row, rows, re.MULTILINE)) for reader, rows in readers]
    titles = guide.titles()
    expected = [(reader, [(titles[name], name) for name in names]) for reader, names in guide.contents()]
    expected[-1][1].extend([("Errors", "errors"), ("Reference", "reference")])
    assert listed == expected


def test_every_type_of_event_is_described_and_no_other(document):
    section = TEXTS["following-a-game"].split("## What each event does to a view")[1].split("\n## ")[0]
    rows = re.findall(r"^\| (`[a-z_`, ]+`) \| ", section, re.MULTILINE)
    received = [name for row in rows for name in re.findall(r"`([a-z_]+)`", row)]
    known = set(document["components"]["schemas"]["Event"]["discriminator"]["mapping"]) - {"UnknownEvent"}
    assert sorted(received) == sorted(known)


def operations_of(document, *, code="", scheme=""):
    """Return the operations that document an error code or require a security scheme."""
    shared = {
        f"#/components/responses/{name}": each for name, each in document["components"]["responses"].items()
    }
    found = set()
    for path, of_path in document["paths"].items():
        for method in of_path.keys() & {"get", "put", "post", "patch", "delete"}:
            operation = of_path[method]
            responses = [shared.get(each.get("$ref"), each) for each in operation["responses"].values()]
            codes = {each for response in responses for each in response.get("x-problem-codes", [])}
            required = {name for each in operation.get("security", []) for name in each}
            if (code in codes and {} not in operation["security"]) or scheme in required:
                found.add(f"{method.upper()} {path}")
    return found


def below(document, folders):
    """Return all operations whose paths begin with one of these."""
    return {
        f"{method.upper()} {path}"
        for path, of_path in document["paths"].items()
        if path.startswith(folders or "-")
        for method in of_path.keys() & {"get", "put", "post", "patch", "delete"}
    }


@pytest.mark.parametrize(
    ("code", "needed"),
    [
        ("host_only", {"code": "host_only"}),
        ("not_your_seat", {"code": "not_your_seat"}),
        ("player_key_only", {"scheme": "player"}),
    ],
)
def test_table_of_credentials_has_each_operation_that_needs_one(document, code, needed):
    (row,) = re.findall(rf"^\| ([^|]*) \| [^|]* \| 403 `{code}` \|$", TEXTS["credentials"], re.MULTILINE)[-1:]
    named = re.findall(r"`([^`]+)`", row)
    folders = tuple(name for name in named if " " not in name)
    found = {
        each for each in operations_of(document, **needed) if not each.split()[1].startswith(folders or "-")
    }
    assert {name for name in named if " " in name} == found
    assert below(document, folders) <= operations_of(document, **needed)


@pytest.mark.parametrize("row", ["2-4", "5"])
def test_rounds_and_catch_up_are_those_of_the_engine(row):
    for players in (number for number in BASE.players if (number == 5) is (row == "5")):
        slots = BASE.rounds(players)
        gold = ", ".join(str(gold) for gold in BASE.catch_up[: len(slots)])
        assert f"| {row} | {len(slots)} | {', '.join(map(''.join, slots))} | {gold} |" in TEXTS["rules"]


SCORING_TILES = {tile.id: tile for each in RULESETS.values() for tile in each.scoring_tiles.values()}


def row_of(tile):
    """Return the row of a scoring tile on the page of its ruleset, or how it begins."""
    return f"| `{tile.id}` | " + ("The majority of " if tile.majority else f"{tile.text} |")


@pytest.mark.parametrize("tile", SCORING_TILES.values(), ids=lambda tile: tile.id)
def test_scoring_tile_is_described_on_a_page_in_the_words_of_the_catalogue(tile):
    assert row_of(tile) in "\n".join(TEXTS.values())


@pytest.mark.parametrize("name", NAMES)
def test_figures_of_a_page_are_those_of_the_code(name):
    page = guide.file(name).read_text()
    assert with_figures(page) == page, f"python -m tests.contract.guide {name} writes them again"


_CODE = re.compile(r"^```.*?^```|^    .*?$|`[^`]*`|\]\([^)]*\)", re.MULTILINE | re.DOTALL)
_BY_OTHERS = re.compile(
    r"RFC \d+|HTTP/[\d.]+|(?:Python|Node|Redis|OpenAPI|Webhooks|version) \d[\d.]*(?: to [\d.]+)?"
    r"|(?<=status )\d{3}|\b(?:304|4[0-3]\d|50[03])\b"
)
"""What others have numbered: standards, programs, status codes."""
# A single digit counts after `up to`, `at most`, `within`, `after`, `for`.
_NUMBER = re.compile(
    r"(?<![\w.,:/#+-])(?:\d[\d.,]*\d|(?<=(?:to|st|in|er|or) )\d)(?![\w-])"
    r"|\b(?:ten|twelve|twenty|thirty|fifty|hundred|thousand)\b"
    r"|\b(?:two|three|four|five|six|seven|eight|nine)(?= (?:second|minute|hour|day|week|month|year|time)s\b)"
)


def numbers(page):
    """Return the numbers of a page that are not figures of the code, and stand in no code or link."""
    for tile in SCORING_TILES.values():
        page = page.replace(row_of(tile), "")  # its numbers are those of the catalogue
    text = _BY_OTHERS.sub("", _CODE.sub("", PLACE.sub("", page)))
    return set(_NUMBER.findall(text))


@pytest.mark.parametrize("name", NAMES)
def test_number_on_a_page_is_marked_or_one_that_no_code_knows(name):
    """Mark a figure that the code knows with its place in the code, as the page of limits does."""
    assert numbers(guide.file(name).read_text()) == OTHER_NUMBERS.get(name, set())


def test_texts_promise_one_heartbeat_which_the_server_keeps_with_a_margin():
    openapi = ROOT / "service/skye_server/openapi"
    texts = [TEXTS["following-a-game"], *(path.read_text() for path in openapi.glob("*event_stream.md"))]
    promised = {re.search(r"heartbeat\s+at\s+least\s+every\s+(\d+)\s+seconds", text)[1] for text in texts}
    assert [int(seconds) >= 2 * HEARTBEAT_S for seconds in promised] == [True]
