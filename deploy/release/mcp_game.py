"""Play a game by the tools of the MCP server at a URL, or of the command `skye-mcp` for a server.

python mcp_game.py http://127.0.0.1:8080/mcp
python mcp_game.py /opt/skye/bin/skye-mcp http://127.0.0.1:8000
"""

import re
import sys

import anyio
import httpx
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.client.streamable_http import streamable_http_client

from skye_client import new_key


def transport(address, *server):
    """Return the connection to a URL, or to a command that serves on standard input and output."""
    if server:
        return stdio_client(StdioServerParameters(command=address, args=["--server", *server]))
    headers = {"Authorization": f"Bearer {new_key()}"}
    return streamable_http_client(address, http_client=httpx.AsyncClient(headers=headers, timeout=60))


async def play(*address):
    """Play the first listed action of each decision, until the game is over."""
    async with Client(transport(*address)) as client:

        async def call(tool, **arguments):
            result = await client.call_tool(tool, arguments)
            assert not result.is_error, result
            return result.content[0].text

        text = await call("create_game", bots=["greedy"])
        game = re.search(r"Game (\w+)", text)[1]
        while decision := re.search(r"Decision (\w+): act", text):
            number = re.search(r"(?:^  |: |; )(\d+): (?!take back)", text, re.MULTILINE)[1]
            text = await call("act", game=game, decision=decision[1], number=int(number))
        assert "finished" in text or "over" in text, text


anyio.run(play, *sys.argv[1:])
