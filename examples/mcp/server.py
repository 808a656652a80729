"""An MCP server: a language model plays Isle of Skye through the public HTTP API.

    python examples/mcp/server.py --api http://127.0.0.1:8000

The server uses MCP on standard input and output. Tokens stay in this process: the model names games and
seats.
"""

import argparse
import json
from html.parser import HTMLParser
from typing import Any

import httpx
from mcp.server.fastmcp import FastMCP

INSTRUCTIONS = """Play the board game Isle of Skye. Read the resource skye://rules first. Then create or
join a game, and repeat: `view` it, list your `moves`, and make one by its number with `move`. An offer is
made with `set_offer`: the tile to discard, and a price for each of the other two."""


class _Text(HTMLParser):
    """Collects the text of a page, without styles and scripts."""

    def __init__(self) -> None:
        super().__init__()
        self.parts: list[str] = []
        self._hidden = 0

    def handle_starttag(self, tag: str, attrs: Any) -> None:  # noqa: ARG002 - overrides HTMLParser
        self._hidden += tag in ("style", "script")

    def handle_endtag(self, tag: str) -> None:
        self._hidden -= tag in ("style", "script")

    def handle_data(self, data: str) -> None:
        if not self._hidden:
            self.parts.append(data)


def text_of(page: str) -> str:
    """Return the text of an HTML page."""
    parser = _Text()
    parser.feed(page)
    return "".join(parser.parts).strip()


class Tools:
    """The tools of the model; stores the tokens of its seats."""

    def __init__(self, http: httpx.AsyncClient) -> None:
        self._http = http
        self._tokens: dict[tuple[str, int], str] = {}

    async def _call(self, method: str, path: str, body: Any = None, token: str | None = None) -> Any:
        """Return the JSON of a response; a problem becomes an error that the model reads."""
        headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        response = await self._http.request(method, path, json=body, headers=headers)
        if response.is_error:
            problem = response.json()
            raise ValueError(f"{problem['code']}: {problem.get('detail', problem['title'])}")
        return response.json()

    def _token_of(self, game: str, seat: int) -> str:
        if (game, seat) not in self._tokens:
            raise ValueError(f"seat {seat} of {game} is not yours: create or join a game first")
        return self._tokens[game, seat]

    async def rules(self) -> str:
        """Return the rules of the game, with the rulings that this server applies."""
        page = await self._http.get("/docs/rules")
        return text_of(page.raise_for_status().text)

    async def list_games(self, status: str | None = None) -> str:
        """List public games, newest first. `status` is lobby, playing or finished."""
        return json.dumps(await self._call("GET", f"/v1/games?status={status}" if status else "/v1/games"))

    async def create_game(self, name: str, bots: list[str]) -> str:
        """Create and start a game: you have seat 0, bots (random, greedy or strategist) the others."""
        players = [{"name": name}, *({"bot": bot} for bot in bots)]
        created = await self._call("POST", "/v1/games", {"players": players, "auto_start": True})
        game = created["game"]["id"]
        self._tokens[game, 0] = created["players"][0]["token"]
        return json.dumps({"game": game, "seat": 0})

    async def join_game(self, game: str, name: str) -> str:
        """Take a seat in a game that has not started."""
        taken = await self._call("POST", f"/v1/games/{game}/players", {"name": name})
        self._tokens[game, taken["seat"]] = taken["token"]
        return json.dumps({"game": game, "seat": taken["seat"]})

    async def view(self, game: str, seat: int | None = None) -> str:
        """Return the view of a game for your seat, or for a spectator."""
        token = None if seat is None else self._token_of(game, seat)
        return json.dumps(await self._call("GET", f"/v1/games/{game}", token=token))

    async def moves(self, game: str, seat: int) -> str:
        """List your legal moves by number; empty when it is not your turn."""
        listed = await self._call(
            "GET", f"/v1/games/{game}/players/{seat}/actions", token=self._token_of(game, seat)
        )
        shown = ("type", "body", "constraints")
        numbered = [
            {"number": number, **{name: action[name] for name in shown if name in action}}
            for number, action in enumerate(listed["actions"])
        ]
        return json.dumps(numbered)

    async def move(self, game: str, seat: int, number: int) -> str:
        """Make a move of the list by its number; for offers use `set_offer`."""
        path = f"/v1/games/{game}/players/{seat}/actions"
        token = self._token_of(game, seat)
        actions = (await self._call("GET", path, token=token))["actions"]
        if not 0 <= number < len(actions) or actions[number]["type"] == "set_offer":
            raise ValueError(f"{number} is not the number of a legal move; for offers use set_offer")
        action = actions[number]
        return _summary(await self._call(action["method"], action["href"], action.get("body"), token))

    async def set_offer(self, game: str, seat: int, discard: str, prices: dict[str, int]) -> str:
        """Discard one of your three tiles and price the other two."""
        body = {"discard": discard, "prices": prices}
        path = f"/v1/games/{game}/players/{seat}/offer"
        return _summary(await self._call("PUT", path, body, self._token_of(game, seat)))


def make_server(http: httpx.AsyncClient) -> FastMCP:
    """Return a server whose tools send requests with an HTTP client of the API."""
    server, tools = FastMCP("isle-of-skye", instructions=INSTRUCTIONS), Tools(http)
    server.resource("skye://rules", mime_type="text/plain")(tools.rules)
    for tool in (
        tools.list_games,
        tools.create_game,
        tools.join_game,
        tools.view,
        tools.moves,
        tools.move,
        tools.set_offer,
    ):
        server.add_tool(tool)
    return server


def _summary(game: dict[str, Any]) -> str:
    """Return the phase and the scores after a move; `view` returns the whole game."""
    names = ("status", "round", "phase", "waiting_for")
    scores = [player["score"] for player in game["players"]]
    return json.dumps({**{name: game[name] for name in names}, "scores": scores})


def main() -> None:
    """Serve on standard input and output."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--api", default="http://127.0.0.1:8000", help="the URL of the server")
    options = parser.parse_args()
    make_server(httpx.AsyncClient(base_url=options.api, timeout=60)).run()


if __name__ == "__main__":
    main()
