"""Arguments of the MCP tools: checked like the fields of the API, with errors that are sentences."""

import json

import anyio
import httpx
import pytest

pytest.importorskip("mcp", reason="the MCP SDK is not installed: the MCP server is not tested")

from click.testing import CliRunner
from mcp.client import Client

from skye_client import AsyncSkye, new_key
from skye_mcp import make_server
from skye_mcp.__main__ import main

pytestmark = pytest.mark.filterwarnings("ignore")


def answer(request):
    """Return what was sent, as the error of an API that refuses everything."""
    sent = json.loads(request.content or b"null")
    problem = {"code": "invalid_body", "detail": json.dumps(sent), "title": "", "status": 422}
    return httpx.Response(422, json=problem, headers={"Content-Type": "application/problem+json"})


def used(function):
    """Return what a function returns that uses an MCP client."""

    async def connected():
        skye = AsyncSkye("http://api", http=httpx.AsyncClient(transport=httpx.MockTransport(answer)))
        async with skye, Client(make_server(skye, lambda _headers: new_key())) as client:
            return await function(client)

    return anyio.run(connected)


def error_of(tool, **arguments):
    """Return the text of the error of a call."""

    async def call(client):
        result = await client.call_tool(tool, arguments)
        assert result.is_error
        return result.content[0].text

    return used(call)


PLACE = {"tile": "a", "x": 0, "y": 0, "rotation": 0}
DECISION = {"game": "g", "decision": "d"}
BAD = [
    ("create_game", {"opponents": ["random"]}, "has no argument 'opponents'. Its arguments are: name, bots"),
    ("create_game", {"bot": ["random"]}, "Did you mean 'bots'?"),
    ("create_game", {"seat_count": "many"}, "seat_count: Input should be a valid integer"),
    ("list_games", {"limit": None}, "has no argument 'limit'. It has no arguments."),
    ("act", {"game": "g"}, "decision: Field required"),
    ("act", DECISION | {"place": PLACE | {"rotate": 90}}, "'rotate'. Did you mean 'rotation'?"),
    ("what_if", {"game": "g", "placements": [PLACE | {"z": 1}]}, "'z'. Its arguments are: tile, x"),
    ("creategame", {}, "There is no tool 'creategame'. Did you mean 'create_game'?"),
    ("scores", {"game": None}, "game: Input should be a valid string"),
    ("scores", {"game": "g"}, "invalid_body: null"),
]  # fmt: skip


@pytest.mark.parametrize(("tool", "arguments", "text"), BAD)
def test_call_that_is_refused_says_why_in_a_sentence(tool, arguments, text):
    error = error_of(tool, **arguments)
    assert text in error
    assert not any(words in error for words in ("Error executing", "http", "validation error", "pydantic"))


def test_null_for_an_optional_argument_is_its_absence():
    nulls = dict.fromkeys(["name", "bots", "seat_count", "scenario", "seed"])
    assert error_of("create_game", **nulls) == error_of("create_game")
    assert '"greedy"' in error_of("create_game", **nulls)


def test_schemas_of_tools_allow_no_other_arguments():
    async def schemas(client):
        return [tool.input_schema for tool in (await client.list_tools()).tools]

    found = used(schemas)
    assert found
    for schema in found:
        objects = [schema, *schema.get("$defs", {}).values()]
        assert all(each["additionalProperties"] is False for each in objects)


def test_fault_of_the_server_is_not_blamed_on_the_arguments(monkeypatch):
    monkeypatch.setattr("skye_mcp.playing.Playing.scores", lambda *_: 1 / 0)
    assert (
        error_of("scores", game="g")
        == "scores has failed. This is a fault of the MCP server, not of the arguments."
    )


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (["--server=http://127.0.0.1:99999"], "is not the address of a server"),
        (["--http=unix:/nothing/socket"], "unix:/nothing/socket cannot be used: "),
        (["--http=127.0.0.1:²"], "want HOST:PORT"),
    ],
)
def test_command_refuses_an_address_that_cannot_be_one(options, reason):
    done = CliRunner().invoke(main, options)
    assert done.exit_code == 2
    assert reason in done.output
