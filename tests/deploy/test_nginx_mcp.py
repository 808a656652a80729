"""The MCP server behind nginx, over Unix sockets: an agent plays on while an instance of it is missing."""

import random
import re
import subprocess
import sys
from contextlib import ExitStack, asynccontextmanager

import anyio
import httpx
import pytest

pytest.importorskip("mcp", reason="the MCP SDK is not installed: the MCP server is not tested")

from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client

from skye_client import new_key
from tests.support.waiting import MAX_WAIT_S, waited_for

pytestmark = pytest.mark.filterwarnings("ignore")

DECISION = re.compile(r"Game (\w+).*Decision (\w+): act", re.DOTALL)


@pytest.fixture
def mcp(folder, nginx):
    """Start instances of the MCP server at sockets of nginx; they call the API through it."""
    with ExitStack() as stack:

        def start(name):
            path = folder / f"{name}.sock"
            server = f"http://127.0.0.1:{nginx.agents_port}"
            command = [sys.executable, "-m", "skye_mcp", "--server", server, "--http", f"unix:{path}"]
            command += ["--trusted-proxies", "1"]
            process = stack.enter_context(subprocess.Popen(command))
            stack.callback(process.kill)
            assert waited_for(path.exists)
            return process

        yield start


@asynccontextmanager
async def agent(url, address="127.0.0.1", **more):
    """Connect an agent at a loopback address."""
    headers = {"Authorization": f"Bearer {new_key()}", "Origin": "https://play.example.org", **more}
    transport = httpx.AsyncHTTPTransport(local_address=address)
    async with (
        httpx.AsyncClient(headers=headers, timeout=MAX_WAIT_S, transport=transport) as http,
        Client(streamable_http_client(f"{url}/mcp", http_client=http)) as client,
    ):
        yield client


def test_agent_plays_on_while_an_mcp_instance_is_missing(instance, nginx, mcp):
    instance().start()
    first = mcp("mcp-a")
    mcp("mcp-b")

    async def told(client, tool, **arguments):
        result = await client.call_tool(tool, arguments)
        assert not result.is_error, result
        return result.content[0].text

    async def play():
        async with agent(nginx.url) as client:
            text = await told(client, "create_game", bots=["random"], seed="nginx")
            for step in range(12):
                game, decision = DECISION.search(text).groups()
                number = random.Random(step).choice(re.findall(r"(?m)^  (\d+): ", text) or ["1"])
                text = await told(client, "act", game=game, decision=decision, number=int(number))
                if step == 2:
                    first.kill()
                    first.wait()

    anyio.run(play)


def test_agents_behind_nginx_have_budgets_of_their_own(instance, nginx, mcp):
    few = {"SKYE_LIMITS": "on", "SKYE_TRUSTED_PROXIES": "1", "SKYE_LIMIT_GAMES_PER_MINUTE": "2"}
    instance(**few).start()
    mcp("mcp-a")

    async def play():
        forged = {"X-Forwarded-For": "127.0.0.9"}  # a client does not choose its address
        async with agent(nginx.url, "127.0.0.2", **forged) as client:
            result = await client.call_tool("create_game", {"bots": ["random"]})
            assert not result.is_error, result

    def status_at(address):
        with httpx.Client(transport=httpx.HTTPTransport(local_address=address)) as http:
            return http.post(f"{nginx.url}/v1/games", json={"players": [{"name": "Ann"}]}).status_code

    anyio.run(play)
    assert [status_at(f"127.0.0.{number}") for number in (2, 1, 9)] == [429, 201, 201]


def test_requests_of_one_address_to_the_mcp_server_are_limited(instance, nginx):
    instance().start()
    answers = [nginx.call("POST", "/mcp", b"{}") for _ in range(150)]
    assert {answer.status for answer in answers} == {429, 503}
    assert answers[-1].json["code"] == "too_many_requests"
    assert nginx.call("GET", "/v1/games").status == 200


def test_missing_mcp_server_is_reported_as_a_problem(instance, nginx):
    instance().start()
    answer = nginx.call("POST", "/mcp", b"{}", {"Content-Type": "application/json"})
    assert answer.status == 503
    assert answer.json["code"] == "store_unavailable"
