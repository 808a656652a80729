"""Players with profiles, and rated games between them."""

from tests.matchmaking.endpoints import TICKETS
from tests.support.playing import Game, new_key

LIVE = {"turn_ms": 120_000}
"""The options of a ticket for a live ladder."""


def put_profile(service, key, name, **more):
    return service.call("PUT", "/v1/me/profile", {"name": name, **more}, key)


def new_player(service, name, **more):
    """Return the key of a new player with a profile."""
    key = new_key()
    answer = put_profile(service, key, name, **more)
    assert answer.status_code == 200, answer.text
    return key


def seek_rated(service, key, address, seat_count=2, options=None, **more):
    """Send a rated ticket from an address; return the response."""
    more |= {"rated": True, "options": LIVE if options is None else options}
    body = {"name": "Ann", "seat_count": seat_count, **more}
    return service.call("POST", TICKETS, body, key, environ_base={"REMOTE_ADDR": address})


def begin_rated(service, *keys):
    """Begin a live game of players; return it, with the keys as the tokens by seat."""
    for number, key in enumerate(keys, 1):
        ticket = seek_rated(service, key, f"127.0.0.{number}", seat_count=len(keys)).json
    assert ticket["status"] == "matched", ticket
    return game_of(service, ticket["game_id"], keys)


def game_of(service, game_id, keys):
    """Return a game whose seats are bound to keys."""
    tokens = [""] * len(keys)
    for key in keys:
        tokens[service.get(f"/v1/games/{game_id}", key)["you"]["seat"]] = key
    game = Game.__new__(Game)
    game.service, game.id, game.tokens, game.host = service, game_id, tokens, None
    return game


def ratings_of(service, name):
    """Return the ratings of a player by ladder."""
    return {each["ladder"]: each for each in service.get(f"/v1/players/{name}")["ratings"]}
