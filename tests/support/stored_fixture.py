"""Fixtures of stored data: games at each stage, every key in Redis, and the responses of that version.

`python -m tests.support.stored_fixture FILE` writes one with the code of today. Write a new file whenever a
stored format changes, and keep the old ones: each is proof that data written by that code is still read.
"""

import base64
import json
import sys
from pathlib import Path

from skye_server.http.framework import collaborators
from skye_server.openapi.yaml_text import flow_lines
from tests.support.endpoints import RECEIVER
from tests.support.playing import Service, dice
from tests.support.receiver import AnsweringSender


def stages(service):
    """Return a game in its lobby, one in play, one that is finished and one that is aborted, with tokens."""
    games = {"lobby": service.create_game(3, start=False), "playing": service.create_game(3, seed="in-play")}
    games["lobby"].call("POST", "invitations", token=games["lobby"].host)
    games["lobby"].call("DELETE", "players/1", token=games["lobby"].tokens[1])  # a free seat between two
    collaborators(service.app).webhooks.sender = AnsweringSender()
    for method, body in (("PUT", {"bot_url": RECEIVER}), ("DELETE", None)):
        games["playing"].call(method, "players/0/bot", body, token=games["playing"].tokens[0])
    games["playing"].play_to("building", 2, dice(7))
    games["finished"] = service.create_game(2, seed="finished")
    games["finished"].play_out(dice(8))
    games["position"] = positioned(service)
    games["aborted"] = service.create_game(2, seed="aborted")
    games["aborted"].call("POST", "abort", token=games["aborted"].host)
    return games


def positioned(service):
    """Return a game that began from a position."""
    position = {"round": 5, "phase": "buying", "seed": "position", "players": [{"gold": 3}, {"gold": 12}]}
    position["next_draws"] = [f"L{number}" for number in range(60, 74)]
    game = service.begin(position=position)
    game.play_to("building", 5, dice(9))
    return game


def keyed_action(service):
    """Send an action with an Idempotency-Key; return the request and the response."""
    game = service.create_game(2, seed="keyed")
    action = next(action for action in game.actions(0) if action["type"] == "set_offer")
    answer = game.send(0, action, headers={"Idempotency-Key": "again"})
    return {
        "method": action["method"],
        "path": action["href"],
        "body": action["body"],
        "token": game.tokens[0],
        "answer": answer.json,
    }


def player(service):
    """Play with a player key that was replaced; return the key, its games and its events."""
    old, key = "skye_key_" + 22 * "o", "skye_key_" + 22 * "n"
    body = {
        "players": [{"name": "Ann"}, {"name": "Bob"}],
        "auto_start": True,
        "options": {"turn_ms": 3_600_000},
    }
    service.call("POST", "/v1/games", body | {"options": {"seed": "player", "turn_ms": 3_600_000}}, old)
    over = service.call("POST", "/v1/games", body, old).json["game"]["id"]
    service.call("POST", f"/v1/games/{over}/abort", token=old)
    service.call("PUT", "/v1/me/key", {"key": key}, old)
    return {
        "old": old,
        "key": key,
        "games": [own["game"]["id"] for own in service.get("/v1/me/games", key)["games"]],
        "events": service.get("/v1/me/events", key)["events"],
    }


def waiting_player(service):
    """Let a player wait with a ticket; return the key and the ticket."""
    key, body = "skye_key_" + 22 * "q", {"name": "Ann", "seat_count": 2, "ttl_ms": 3_600_000}
    ticket = service.call("POST", "/v1/matchmaking/tickets", body, key, {"Idempotency-Key": "seek"}).json
    return {"key": key, "body": body, "ticket": ticket}


def dump(redis):
    """Return every key with its type and value, bytes in base64."""
    kept = {}
    for key in sorted(redis.keys()):
        kind = redis.type(key).decode()
        if kind == "string":
            value = _text(redis.get(key))
        elif kind == "stream":
            value = [
                [entry_id.decode(), {name.decode(): _text(data) for name, data in fields.items()}]
                for entry_id, fields in redis.xrange(key)
            ]
        elif kind == "hash":
            value = {name.decode(): _text(data) for name, data in redis.hgetall(key).items()}
        elif kind == "list":
            value = [_text(data) for data in redis.lrange(key, 0, -1)]
        else:
            value = [[member.decode(), score] for member, score in redis.zrange(key, 0, -1, withscores=True)]
        kept[key.decode()] = {"type": kind, "value": value}
    return kept


def restore(redis, kept):
    """Store a result of `dump`."""
    for key, stored in kept.items():
        if stored["type"] == "string":
            redis.set(key, base64.b64decode(stored["value"]))
        elif stored["type"] == "stream":
            for entry_id, fields in stored["value"]:
                data = {name: base64.b64decode(value) for name, value in fields.items()}
                redis.xadd(key, data, id=entry_id)
        elif stored["type"] == "hash":
            redis.hset(key, mapping={name: base64.b64decode(data) for name, data in stored["value"].items()})
        elif stored["type"] == "list":
            redis.rpush(key, *(base64.b64decode(data) for data in stored["value"]))
        else:
            redis.zadd(key, dict(stored["value"]))


def fixture():
    """Return the fixture of the code of today."""
    service = Service()
    games, keyed, own = stages(service), keyed_action(service), player(service)
    return {
        "player": own,
        "waiting_player": waiting_player(service),
        "now": service.clock.now,
        "games": {
            name: {
                "id": game.id,
                "tokens": game.tokens,
                "view": service.get(game.path(), game.tokens[0]),
            }
            for name, game in games.items()
        },
        "keyed": keyed,
        "keys": dump(service.redis),
    }


def as_json(data):
    """Return a fixture as JSON whose lines are filled."""
    return "\n".join(flow_lines("", data, " ", json.dumps)) + "\n"


def _text(data):
    return base64.b64encode(data).decode()


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(as_json(fixture()))
