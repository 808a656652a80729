"""Bodies that type checkers take, and, on lines that end in `# error`, that they refuse."""

from skye_client import AsyncSkye, Skye, models
from skye_client.hunting import Hunt

client = Skye("http://127.0.0.1:8000")
created = client.games.create({"players": [{"name": "Ann"}, {"bot": "greedy"}], "auto_start": True})
seat = client.seats(created)[0]
player = client.player()

# What a program builds otherwise, one untyped method sends.
fields: dict[str, object] = {"playerz": []}
client.request("POST", "/v1/games", fields)
player.request("POST", "/v1/games", fields, idempotency_key="k")
seat.game.request("PATCH", "", fields, token=None)
seat.request("POST", "/what-if", fields)

# Fields, types and enumerations of every body.
client.games.create({"options": {"turn_ms": 60_000, "tie_break": "total_gold"}, "visibility": "private"})
client.games.create({"scenario": "tie_shared"})
client.games.create({"position": {"round": 5, "phase": "buying", "players": [{}, {"gold": 12}]}})
client.games.create({"playerz": []})  # error
client.games.create({"seat_count": "2"})  # error
client.games.create({"visibility": "secret"})  # error
client.games.create({"players": [{"name": "Ann"}, {"bot": "deep_blue"}]})  # error
client.games.create({"options": {"turn_ms": "60"}})  # error
client.games.create({"options": {"turns_ms": 60}})  # error
client.games.create(fields)  # error
player.games.create({"name": 5})  # error
player.leagues.create([{"players": [{"bot": "random"}, {"bot": "greedy"}], "auto_start": True}])
player.leagues.create([{"bots": 2}])  # error
player.create_ticket({"name": "Ann", "seat_count": 2})
player.create_ticket({"name": "Ann"})  # error
seat.game.join({"name": "Ann", "color": "red"})
seat.game.join({"name": "Ann", "color": "pink"})  # error
seat.game.join({"nom": "Ann"})  # error
seat.change({"color": "blue"})
seat.change({"colour": "blue"})  # error
seat.set_offer("L01", {"L02": 1, "L03": 2})
seat.set_offer("L01", {"L02": 1, "L03": "2"})  # error
seat.set_offer("L01", {"L02": 1, "X03": 2})  # error
seat.buy("L01")
seat.buy("X01")  # error
seat.place("L01", 1, 0, 90)
seat.place("L01", 1, 0, 45)  # error
seat.places(["L01"])
seat.places(["X01"])  # error
seat.what_if([{"tile": "L01", "x": 1, "y": 0}])
seat.what_if([{"tile": "L01", "x": 1}])  # error
client.catalogue.score({"territories": [{"tiles": [{"tile": "L01", "x": 1, "y": 0}]}]})
client.catalogue.score({"territory": []})  # error
client.games.list(status="lobby")
client.games.list(status="open")  # error
seat.game.get(include=["actions"])
seat.game.get(include=["reasons"])  # error
Hunt.open("http://127.0.0.1:8000", count=3, difficulty="easy")
Hunt.open("http://127.0.0.1:8000", counts=3)  # error

game: models.FreshGame = {"players": [{"bot": "random"}, {"bot": "greedy"}], "auto_start": True}
player.leagues.create([game] * 10)


async def use(client: AsyncSkye) -> None:
    """Create a game with the asynchronous client."""
    await client.games.create({"players": [{"name": "Ann"}]})
    await client.games.create({"playerz": []})  # error
    await client.request("POST", "/v1/games", fields)
