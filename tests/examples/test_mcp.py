"""The MCP server of examples/, with a client in this process, against a live server."""

import importlib.util
import json
import random

import httpx
import pytest

from tests.examples.conftest import EXAMPLES
from tests.support import coroutines
from tests.support.waiting import MAX_WAIT_S

pytestmark = pytest.mark.filterwarnings("ignore")


@pytest.fixture
def use(url):
    """Call an async function with a session of an MCP client, and return its result."""
    pytest.importorskip("mcp", reason="the MCP package is not installed: its example is not tested")
    from mcp.shared.memory import create_connected_server_and_client_session

    spec = importlib.util.spec_from_file_location("mcp_example", EXAMPLES / "mcp" / "server.py")
    example = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(example)

    def run(function):
        async def connected():
            async with httpx.AsyncClient(base_url=url, timeout=MAX_WAIT_S) as http:
                server = example.make_server(http)
                async with create_connected_server_and_client_session(server) as session:
                    return await function(session)

        return coroutines.run(connected)

    return run


async def call(session, tool, **arguments):
    """Return the JSON that a tool returns, or the text of its error."""
    result = await session.call_tool(tool, arguments)
    [content] = result.content
    return content.text if result.isError else json.loads(content.text)


async def decide(session, seat, rng):
    """Make a move; return the summary of the game."""
    moves = [move for move in await call(session, "moves", **seat) if move["type"] != "take_back"]
    chosen = rng.choice(moves)
    if chosen["type"] == "set_offer":
        discard, one, other = chosen["constraints"]["tiles"]
        return await call(session, "set_offer", **seat, discard=discard, prices={one: 1, other: 2})
    return await call(session, "move", **seat, number=chosen["number"])


def test_model_plays_a_whole_game(use):
    async def play(session):
        seat = await call(session, "create_game", name="model", bots=["greedy"])
        state = await call(session, "view", **seat)
        rng = random.Random(1)
        while state["status"] == "playing":
            state = await decide(session, seat, rng)
        return state, await call(session, "view", game=seat["game"])

    state, view = use(play)
    assert state["status"] == view["status"] == "finished"
    assert state["scores"] == [player["score"] for player in view["players"]]


def test_model_lists_games_and_joins_one(use, url):
    body = {"seat_count": 2, "players": [{"name": "host"}]}
    lobby = httpx.post(f"{url}/v1/games", json=body, timeout=MAX_WAIT_S).json()["game"]["id"]

    async def join(session):
        listed = await call(session, "list_games", status="lobby")
        seat = await call(session, "join_game", game=lobby, name="model")
        return listed, await call(session, "view", **seat)

    listed, view = use(join)
    assert lobby in [game["id"] for game in listed["games"]]
    assert [player["name"] for player in view["players"]] == ["host", "model"]


def test_model_reads_the_rules(use):
    async def read(session):
        return (await session.read_resource("skye://rules")).contents[0].text

    rules = use(read)
    assert "castle" in rules
    assert "<" not in rules[:200]


@pytest.mark.parametrize("number", [-1, 0, 999])
def test_number_that_is_not_a_move_is_refused(use, number):
    async def move(session):
        seat = await call(session, "create_game", name="model", bots=["random"])
        return await call(session, "move", **seat, number=number)

    assert "not the number of a legal move" in use(move)


def test_seat_of_another_player_is_refused(use):
    async def look(session):
        seat = await call(session, "create_game", name="model", bots=["random"])
        return await call(session, "view", game=seat["game"], seat=1)

    assert "not yours" in use(look)
