"""The guide is correct: its commands print what it shows, and everything that it names exists."""

import io
import json
import re
import shutil
from dataclasses import fields

import pytest

from skye import BASE
from skye.positions import MAX_GOLD
from skye.positions.checking import FIRST_AMOUNT, GROWTH
from skye.rulesets import RULESETS
from skye_server import docs as guide
from skye_server.commands.creation_commands import MAX_ABORTED
from skye_server.error_codes import MAX_ERRORS
from skye_server.following.streams import HEARTBEAT_S
from skye_server.games.creation import MAX_BATCH_COST
from skye_server.games.pauses import MAX_PAUSES
from skye_server.games.seat_changes import MAX_CHANGES, MAX_OPEN_CHANGES
from skye_server.games.transitions import MAX_REVISIONS
from skye_server.games.views.fields import MAX_ACTIONS
from skye_server.http.rate_limits import KEY_REPLACEMENTS, RECEIVER_REQUESTS
from skye_server.http.request_parsing import BYTES_PER_VALUE, MIN_CONTAINERS
from skye_server.resources.scoring import MAX_TILES_TO_PLACE
from skye_server.settings import DAY_S, Settings
from skye_server.store.history_store import MAX_PAST_GAMES
from skye_server.url_bots.bots import MAX_URLS
from skye_server.worker.client_connection import MAX_HEAD_BYTES
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
    "skye-bot host mybot:decide --key KEY --url URL",
    "skye-bot url", "skye-bot url mybot:decide --port 5000", "skye.determinize", "skye.legal_moves",
    "TakeBack", "skye.views.action_of_move", "skye_client.host(key, decide)", "view",
    "exclude_none", "skye-arena", "skye-client", "skye-mcp", "skye-server",
    '{"tile": null}', 'model_dump(mode="json", by_alias=True, exclude_unset=True)',
}  # fmt: skip
"""Words set as code that are not the contract's own."""

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
    of_second = {"second", "T01", "lakeside_sheep"}
    assert of_second.isdisjoint(known_words(document, contract))
    with registered(SECOND):
        assert of_second <= known_words(document, contract)


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


@pytest.mark.parametrize(
    "tile",
    {tile.id: tile for ruleset in RULESETS.values() for tile in ruleset.scoring_tiles.values()}.values(),
    ids=lambda tile: tile.id,
)
def test_scoring_tile_is_described_on_a_page_in_the_words_of_the_catalogue(tile):
    text = "The majority of " if tile.majority else f"{tile.text} |"
    assert f"| `{tile.id}` | {text}" in "\n".join(TEXTS.values())


def gunicorn():
    """Return the numbers that the configuration of gunicorn sets, by their names."""
    configuration = (ROOT / "service/skye_server/worker/gunicorn_conf.py").read_text()
    set_there = re.findall(r"^(\w+) = (\d+)(?:  #.*)?$", configuration, re.MULTILINE)
    return {name: int(number) for name, number in set_there}


def limits(document):
    """Return the figures that the page of limits must have, by subject."""
    schemas = document["components"]["schemas"]
    most = Settings()

    def length(schema, field):
        return schemas[schema]["properties"][field]["maxLength"]

    def items(schema, field):
        listed = schemas[schema]["properties"][field]
        return (
            schemas[listed["$ref"].rpartition("/")[2]]["maxItems"] if "$ref" in listed else listed["maxItems"]
        )

    def query(path, name):
        parameters = document["paths"][path]["get"]["parameters"]
        return next(p["schema"]["maximum"] for p in parameters if p.get("name") == name)

    turn = schemas["ChosenOptions"]["properties"]["turn_ms"]
    pause = schemas["ChosenOptions"]["properties"]["max_pause_ms"]
    advance = schemas["ClockAdvance"]["properties"]["advance_ms"]
    worker = gunicorn()
    return {
        "name of a player": f"{length('PersonToSeat', 'name')} characters",
        "name of a game": f"{length('FreshGame', 'name')} characters",
        "seed": f"{length('ChosenOptions', 'seed')} characters",
        "`Idempotency-Key`": (
            f"{document['components']['parameters']['IdempotencyKeyParameter']['schema']['maxLength']} "
            "visible ASCII characters"
        ),
        "body of a request": f"{most.max_body_bytes:,} bytes, unless set otherwise",
        "values of a body; objects and lists of a body": (
            f"{most.max_body_bytes // BYTES_PER_VALUE:,}; {MIN_CONTAINERS:,}"
        ),
        "request line": f"{worker['limit_request_line']:,} bytes",
        "headers": (
            f"{worker['limit_request_fields']}, each up to {worker['limit_request_field_size']:,} bytes, "
            f"with the request line {MAX_HEAD_BYTES // 1024} KiB"
        ),
        "games on a page of the list": f"{query('/v1/games', 'limit')}",
        "events on a page": f"{query('/v1/games/{game}/events', 'limit'):,}",
        "wait of a long poll": f"{query('/v1/games/{game}/events', 'wait_ms'):,} ms",
        "placements in one what-if": f"{items('PlacementsToTry', 'placements')}",
        "games in one batch": f"{items('GamesToCreate', 'games')}",
        "rematches of one game, aborted ones among them": f"{MAX_ABORTED + 1}",
        "bots of one batch, or 250 recorded actions for each": f"{MAX_BATCH_COST}",
        "different URLs of bots in one request": f"{MAX_URLS}",
        "records of one export": f"{query('/v1/records', 'limit'):,}",
        "tiles in one list of places": f"{MAX_TILES_TO_PLACE}",
        "territories in one scoring": f"{items('TerritoriesToScore', 'territories')}",
        "actions of a record": f"{MAX_ACTIONS:,}",
        "price": f"{MAX_GOLD:,} gold",
        "gold of all seats of a position, with prices": (
            f"{FIRST_AMOUNT:,} for each seat, and {GROWTH:,} more for each round"
        ),
        "score of a seat of a position": f"{FIRST_AMOUNT:,}, and {GROWTH:,} more for each round",
        "revisions of a game, which its seats share equally": f"{MAX_REVISIONS}",
        "changes of a game after which only those whom the host invites join its lobby": (
            f"{MAX_OPEN_CHANGES:,}"
        ),
        "changes of a game after which its host and lobby change nothing": f"{MAX_CHANGES:,}",
        "`turn_ms` and `budget_ms`": f"from {turn['minimum']:,} to {turn['maximum']:,}",
        "`increment_ms` and `max_pause_ms`": f"from {pause['minimum']:,} to {pause['maximum']:,}",
        "pauses of a game": f"{MAX_PAUSES}",
        "`advance_ms` of a manual clock": f"from {advance['minimum']:,} to {advance['maximum']:,}",
        "requests of an address, with all its tokens": f"{most.limit_requests_per_minute:,} in a minute",
        "games created from an address": f"{most.limit_games_per_minute} in a minute",
        "open streams and long polls of a token, or of an address without one, in each worker process": (
            f"{most.limit_streams}"
        ),
        "open streams and long polls of an address, in each worker process": (
            f"{most.limit_streams_per_address}"
        ),
        "player keys that an address replaces: the server stores the old ones for years": (
            f"{KEY_REPLACEMENTS} in a day"
        ),
        "webhooks that an address creates, moves, tests or sends again, and URLs of bots that it seats": (
            f"{RECEIVER_REQUESTS} in a day"
        ),
        "games in the history of a player key": f"{MAX_PAST_GAMES:,}",
        "games of a player key that are not over": f"{most.limit_games_per_key:,}",
        "a game in its lobby": f"{most.game_ttl_lobby_s // DAY_S} days",
        "a game in play": f"{most.game_ttl_playing_s // DAY_S} days",
        "a finished game": f"{most.game_ttl_finished_s // DAY_S} days",
        "an aborted game": f"{most.game_ttl_aborted_s // DAY_S} day",
        "the result of a finished game in the [history](/docs/credentials#your-history) of its player keys": (
            f"{most.history_ttl_s // (365 * DAY_S)} years after its end"
        ),
        "the statistics of a player key": (
            f"{most.history_ttl_s // (365 * DAY_S)} years after its last finished game"
        ),
        "the response to an `Idempotency-Key`, for the latest 64 keys of each game": (
            f"{most.idempotency_ttl_s // 3600} hour"
        ),
    }


def test_figures_on_the_page_of_limits_are_those_of_the_code(document):
    rows = re.findall(r"^\| ([^|]+) \| ([^|]+) \|", TEXTS["limits"], re.MULTILINE)
    stated = {what: figure for what, figure in rows if re.search(r"\d", figure)}
    assert stated == limits(document)
    words = " ".join(TEXTS["limits"].split())
    assert f"`errors` lists at most {MAX_ERRORS} faults" in words
    assert f"sends and receives nothing for {gunicorn()['keepalive']} seconds" in words


def test_texts_promise_one_heartbeat_which_the_server_keeps_with_a_margin():
    openapi = ROOT / "service/skye_server/openapi"
    texts = [TEXTS["following-a-game"], *(path.read_text() for path in openapi.glob("*event_stream.md"))]
    promised = {re.search(r"heartbeat\s+at\s+least\s+every\s+(\d+)\s+seconds", text)[1] for text in texts}
    assert [int(seconds) >= 2 * HEARTBEAT_S for seconds in promised] == [True]
