"""A load test for a local server: players play whole games, and spectators read lists and games.

    locust -f examples/testing/locustfile.py --host http://127.0.0.1:8000

serves a page on port 8089; `--headless --users 20 --spawn-rate 5 --run-time 1m` prints the figures instead.
Each player plays against a bot of the server.
"""

import random
from typing import Any

from locust import HttpUser, constant, task


class Player(HttpUser):
    """Plays games one after the other with random actions."""

    wait_time = constant(0.05)
    weight = 3

    @task
    def play(self) -> None:
        """Play one whole game."""
        game = self.send(
            "POST", "/v1/games", {"players": [{"name": "Ann"}, {"bot": "random"}], "auto_start": True}
        )
        path = f"/v1/games/{game['game']['id']}"
        token = game["players"][0]["token"]
        view = self.send("GET", path, token=token, query={"include": "actions"})
        while view["waiting_for"]:
            actions = [action for action in view["actions"] if action["type"] != "take_back"]
            action = random.choice(actions)
            view = self.send(
                action["method"], action["href"], action["body"], token=token, query={"include": "actions"}
            )
            self.wait()

    def send(
        self, method: str, path: str, body: Any = None, *, token: str | None = None, query: Any = None
    ) -> Any:
        """Send a request; return the JSON of the response. The figures have GAME for the id."""
        headers = {"Authorization": f"Bearer {token}"} if token else {}
        name = "/".join("GAME" if index == 3 else part for index, part in enumerate(path.split("/")))
        with self.client.request(
            method, path, json=body, params=query, headers=headers, name=name, catch_response=True
        ) as response:
            if not response.ok:
                response.failure(response.text)
            return response.json()


class Spectator(HttpUser):
    """Reads public games."""

    wait_time = constant(0.2)

    @task
    def look(self) -> None:
        """List the games, and read the newest one."""
        games = self.client.get("/v1/games?limit=5").json()["games"]
        for game in games[:1]:
            self.client.get(f"/v1/games/{game['id']}", name="/v1/games/GAME")
