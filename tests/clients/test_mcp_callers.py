"""Callers of the MCP server: their keys are checked and never shown, each address has a budget."""

import logging
from contextlib import asynccontextmanager
from functools import partial

import anyio
import httpx
import pytest
from click.testing import CliRunner

pytest.importorskip("mcp", reason="the MCP SDK is not installed: the MCP server is not tested")

from mcp.client import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.server.transport_security import TransportSecuritySettings

from skye_client import AsyncSkye, RetryPolicy, new_key
from skye_mcp import __main__ as command
from skye_mcp import make_server
from skye_mcp.client_address import ClientAddresses
from skye_mcp.server import bearer_key
from tests.support.hostile_credentials import KEY, REFUSED, STRIPPED, shows_credential
from tests.support.playing import Service, limited

pytestmark = pytest.mark.filterwarnings("ignore")

PEER = "192.0.2.1"
"""The address of what connects to the MCP server: a proxy, or an agent."""


def api_of(service, seen=None):
    """Return a client of a service in this process, which records the requests."""

    def answer(request):
        if seen is not None:
            seen.append(request)
        headers = {name: value for name, value in request.headers.items() if name != "host"}
        address = {"REMOTE_ADDR": "203.0.113.9"}  # of the MCP server
        response = service.http.open(
            request.url.raw_path.decode(), method=request.method, headers=headers, data=request.content,
            environ_overrides=address,
        )  # fmt: skip
        return httpx.Response(response.status_code, headers=dict(response.headers), content=response.data)

    http = httpx.AsyncClient(transport=httpx.MockTransport(answer))
    return AsyncSkye("http://test", http=http, retry=RetryPolicy(attempts=1))


@asynccontextmanager
async def served(service, trusted_proxies, seen=None):
    """Serve agents over HTTP in this process; yield a function that connects one with headers."""
    security = TransportSecuritySettings(allowed_hosts=["mcp"], allowed_origins=[])
    app = make_server(api_of(service, seen)).streamable_http_app(
        stateless_http=True, json_response=True, transport_security=security
    )
    transport = httpx.ASGITransport(ClientAddresses(app, trusted_proxies), client=(PEER, 1234))

    @asynccontextmanager
    async def agent(key, **headers):
        headers = {name.replace("_", "-"): value for name, value in headers.items()}
        http = httpx.AsyncClient(transport=transport, headers={"Authorization": f"Bearer {key}", **headers})
        async with http, Client(streamable_http_client("http://mcp/mcp", http_client=http)) as client:
            yield client

    async with app.router.lifespan_context(app):
        yield agent


async def told(client, tool, **arguments):
    result = await client.call_tool(tool, arguments)
    return result.content[0].text


def test_agent_that_uses_up_its_budget_takes_none_from_others():
    async def play():
        with limited(limit_games_per_minute=6, trusted_proxies=1) as service:
            async with served(service, 1) as agent:
                async with agent(new_key(), x_forwarded_for="198.51.100.1") as greedy:
                    texts = [await told(greedy, "create_game") for _ in range(8)]
                    assert "too_many_requests" in texts[-1]
                async with agent(new_key(), x_forwarded_for="198.51.100.2") as other:
                    assert "Decision" in await told(other, "create_game")
                forged = "198.51.100.3, 198.51.100.1"
                async with agent(new_key(), x_forwarded_for=forged) as same:
                    assert "too_many_requests" in await told(same, "create_game")

    anyio.run(play)


@pytest.mark.parametrize(
    ("trusted", "sent", "address"),
    [
        (0, "198.51.100.1", PEER),
        (0, None, PEER),
        (1, None, PEER),
        (1, "198.51.100.7, 198.51.100.1", "198.51.100.1"),
        (2, "198.51.100.7, 198.51.100.1", "198.51.100.7"),
        (2, "198.51.100.1", PEER),
        (1, "198.51.100.1:4711", "198.51.100.1"),
        (1, "[2001:db8::1]:4711", "2001:0db8:0000:0000:0000:0000:0000:0001"),
        (1, "::ffff:198.51.100.1", "198.51.100.1"),
        (1, "unknown", None),
    ],
)
def test_api_gets_the_address_that_trusted_proxies_name(trusted, sent, address):
    seen = []

    async def ask():
        with Service() as service:
            async with (
                served(service, trusted, seen) as agent,
                agent(KEY, **({} if sent is None else {"x_forwarded_for": sent})) as client,
            ):
                for tool in ("list_games", "list_bots", "rules"):
                    await told(client, tool)

    anyio.run(ask)
    assert len(seen) == 4
    assert {request.headers.get("X-Forwarded-For") for request in seen} == {address}


def test_tool_result_and_log_show_no_key_that_cannot_be_one(caplog):
    caplog.set_level(logging.DEBUG)
    seen = []

    async def ask(key):
        with Service() as service:
            server = make_server(
                api_of(service, seen), lambda _headers: bearer_key({"authorization": f"Bearer {key}"})
            )
            async with Client(server) as client:
                result = await client.call_tool("list_games", {})
                assert result.is_error
                return str(result)

    shown = [anyio.run(partial(ask, key)) for key in REFUSED.values()]
    assert seen == []
    assert not any(map(shows_credential, [*shown, caplog.text]))
    for key in STRIPPED.values():
        assert bearer_key({"authorization": f"Bearer {key}"}) == KEY


def test_invitation_code_that_cannot_be_one_is_in_no_result(caplog):
    async def ask():
        with Service() as service:
            async with Client(make_server(api_of(service), lambda _headers: KEY)) as client:
                for code in filter(None, REFUSED.values()):
                    if "\udc80" not in code:  # JSON of MCP has none
                        result = await client.call_tool("join_game", {"game": "abc", "invite_code": code})
                        assert result.is_error
                        assert not shows_credential(str(result))

    anyio.run(ask)
    assert not shows_credential(caplog.text)


@pytest.mark.parametrize("key", [key for key in REFUSED.values() if key.strip()])
def test_command_refuses_a_key_that_cannot_be_one_at_its_start(monkeypatch, key):
    monkeypatch.setattr(command.os, "environ", {command.KEY_VARIABLE: key})
    result = CliRunner().invoke(command.main, ["--server", "http://127.0.0.1:9"])
    assert result.exit_code == 2
    assert "SKYE_PLAYER_KEY" in result.output
    assert not shows_credential(result.output)


@pytest.mark.parametrize("key", STRIPPED.values(), ids=STRIPPED)
def test_command_uses_a_key_without_the_white_space_around_it(monkeypatch, key):
    used = []

    class Server:
        def run(self, _transport):
            pass

    monkeypatch.setattr(command.os, "environ", {command.KEY_VARIABLE: key})
    monkeypatch.setattr(command, "make_server", lambda _skye, key_of: used.append(key_of(None)) or Server())
    assert CliRunner().invoke(command.main, []).exit_code == 0
    assert used == [KEY]
