"""The fixture of stored data: a game of every kind, every key in Redis, and the responses of that version.

`python -m tests.support.stored_fixture FILE` writes one with the code of today. Write a new file for each new
format, and keep the old ones: each is proof that data written by that code is still read.
"""

import base64
import sys
from pathlib import Path

from skye_server.games.authorization import hash_player_key
from skye_server.http.framework import collaborators
from skye_server.store.shards import player_owner
from tests.support.endpoints import RECEIVER, queue_message
from tests.support.json_lines import json_lines
from tests.support.playing import Game, Service, dice
from tests.support.receiver import AnsweringSender

OLD_KEY, NEW_KEY, WAITING_KEY = (f"skye_key_{22 * letter}" for letter in "onq")
RATED_KEYS = tuple(f"skye_key_{22 * letter}" for letter in "rs")
PLAYER = player_owner(hash_player_key(OLD_KEY))
"""The owner of the webhooks of the player whose first key this was."""


def lobby(service):
    """Return a lobby with an unused invitation and a revoked one, and a free seat between two taken ones."""
    game = service.create_game(3, start=False)
    revoked = game.call("POST", "invitations", token=game.host).json["invitation"]["id"]
    game.call("DELETE", f"invitations/{revoked}", token=game.host)
    game.call("POST", "invitations", token=game.host)
    game.call("DELETE", "players/1", token=game.tokens[1])
    return game


def playing(service):
    """Return a game with a bot, in its second round, with tiles that a player can take back."""
    game = service.create_game(3, bots={2: "random"}, seed="in-play")
    game.play_to("building", 2, dice(7))
    game.act(0, next(action for action in game.actions(0) if action["type"] == "place"))
    return game


def with_bot_at_url(service):
    """Return a game in which a bot at a URL plays a seat."""
    game = service.create_game(2, seed="bot-at-url")
    game.call("PUT", "players/0/bot", {"bot_url": RECEIVER}, token=game.tokens[0])
    return game


def resigned(service):
    """Return a private game with deadlines in which a player has resigned."""
    options = {"turn_ms": 3_600_000, "on_timeout": "bot"}
    game = service.create_game(3, seed="resigned", visibility="private", options=options)
    game.call("POST", "resign", seat=1)
    return game


def late(service):
    """Return a game in which bots took two seats over, one of which its player took back."""
    options = {"turn_ms": 3_600_000, "on_timeout": "bot", "clock": "manual"}
    game = service.create_game(3, seed="late", options=options)
    game.offer(2, 1, 1)
    service.call("POST", game.path("clock"), {"advance_ms": 3_600_000}, game.host)
    game.call("POST", "return", seat=1)
    return game


def from_position(service):
    """Return a game that began from a position with next draws, some of which are not drawn yet."""
    territory = [{"tile": "castle-red", "x": 0, "y": 0}, {"tile": "L24", "x": 1, "y": 0}]
    players = [{"gold": 30, "territory": territory}, {"gold": 12}]
    position = {"round": 4, "phase": "buying", "seed": "position", "players": players}
    position["next_draws"] = [f"L{number}" for number in range(50, 74)]
    game = service.begin(position=position)
    game.play_to("building", 4, dice(9))
    return game


def from_scenario(service):
    """Return a game that began from a scenario, with a clock that its host advances."""
    return service.begin(scenario="buying_last_seat", options={"clock": "manual", "turn_ms": 60_000})


def from_record(service):
    """Return a game that began with the first actions of another."""
    over = service.create_game(2, seed="recorded")
    over.play_out(dice(5))
    return service.begin(record=service.get(over.path("record")), stop_at=20)


def matched(service):
    """Return a game of two players who waited for each other."""
    body = {"name": "Ann", "seat_count": 2, "options": {"turn_ms": 3_600_000}}
    for key in (NEW_KEY, WAITING_KEY):
        ticket = service.call("POST", "/v1/matchmaking/tickets", body, key).json
    view = service.get(f"/v1/games/{ticket['game_id']}", WAITING_KEY)
    game = Game(service, {"game": view, "host_token": None, "players": []})
    game.tokens = [WAITING_KEY, NEW_KEY] if view["you"]["seat"] == 0 else [NEW_KEY, WAITING_KEY]
    return game


def proposed(service):
    """Return a game without hints, which spectators see at its end, with an open proposal."""
    options = {"hints": False, "public_from": "end"}
    game = service.create_game(3, seed="proposed", options=options)
    game.call("POST", "abort", token=game.tokens[1])
    game.call("POST", "proposal", {"accept": True}, seat=2)
    return game


def finished(service):
    """Return a game that is over."""
    game = service.create_game(2, seed="finished")
    game.play_out(dice(8))
    return game


def aborted(service):
    """Return a game that its host has aborted."""
    game = service.create_game(2, seed="aborted")
    game.abort()
    return game


KINDS = (
    lobby, playing, with_bot_at_url, resigned, late, from_position, from_scenario, from_record, matched,
    proposed, finished, aborted,
)  # fmt: skip


def keyed_action(service):
    """Send an action with an Idempotency-Key; return the request and the response."""
    game = service.create_game(2, seed="keyed")
    action = next(action for action in game.actions(0) if action["type"] == "set_offer")
    answer = game.send(0, action, headers={"Idempotency-Key": "again"})
    sent = {name: action[name] for name in ("method", "href", "body")}
    return sent | {"token": game.tokens[0], "answer": answer.json}


def replace_key(service):
    """Play with a player key, and replace it."""
    body = {"players": [{"name": "Ann"}, {"name": "Bob"}], "auto_start": True}
    body["options"] = {"seed": "player", "turn_ms": 3_600_000}
    service.call("POST", "/v1/games", body, OLD_KEY)
    body["players"] = [{"name": "Ann"}, {"bot": "random"}]
    over = service.call("POST", "/v1/games", body, OLD_KEY).json["game"]["id"]
    service.call("POST", f"/v1/games/{over}/abort", token=OLD_KEY)
    alone = {"players": [{"name": "Ann"}, {"bot": "greedy"}], "auto_start": True, "options": {"seed": "past"}}
    past = service.call("POST", "/v1/games", alone, OLD_KEY).json["game"]["id"]
    offer = service.call("GET", f"/v1/games/{past}/players/0/actions", token=OLD_KEY).json["actions"][0]
    service.call(offer["method"], offer["href"], offer["body"], OLD_KEY)
    service.call("POST", f"/v1/games/{past}/players/0/resign", token=OLD_KEY)
    service.call("PUT", "/v1/me/key", {"key": NEW_KEY}, OLD_KEY)


def player(service):
    """Return the games and the events of the player whose key was replaced."""
    return {name: service.get(f"/v1/me/{name}", NEW_KEY)[name] for name in ("games", "events")}


def history(service):
    """Return the history and the statistics of the player whose key was replaced."""
    return {name: service.get(f"/v1/me/{name}", NEW_KEY) for name in ("records", "statistics")}


def waiting_player(service):
    """Let a player wait with a ticket; return the request and the ticket."""
    body = {"name": "Ann", "seat_count": 2, "ttl_ms": 3_600_000}
    ticket = service.call("POST", "/v1/matchmaking/tickets", body, WAITING_KEY, {"Idempotency-Key": "seek"})
    return {"body": body, "ticket": ticket.json}


def ladder(service):
    """Let players with profiles finish a rated game; return what the API shows of it, by paths."""
    for number, key in enumerate(RATED_KEYS):
        service.call("PUT", "/v1/me/profile", {"name": f"rated-{number}"}, key)
        body = {"name": "Ann", "seat_count": 2, "rated": True}
        address = {"REMOTE_ADDR": f"192.0.2.{number}"}
        ticket = service.call("POST", "/v1/matchmaking/tickets", body, key, environ_base=address).json
    for key in RATED_KEYS:
        seat = service.get(f"/v1/games/{ticket['game_id']}", key)["you"]["seat"]
        service.call("POST", f"/v1/games/{ticket['game_id']}/players/{seat}/resign", token=key)
    return {path: service.get(path) for path in ("/v1/players/rated-0", "/v1/ladders")}


def webhooks(service, game):
    """Create a webhook of a game and one of a player key; return their paths, tokens and views."""
    created = []
    for path, token in ((game.path("webhooks"), game.host), ("/v1/me/webhooks", NEW_KEY)):
        answer = service.call("POST", path, {"url": RECEIVER, "types": ["your_turn"]}, token)
        item = f"{path}/{answer.json['id']}"
        queue_message(service, game.id if token == game.host else PLAYER, answer.json["id"], game.id)
        shown = {"view": service.get(item, token), "deliveries": service.get(f"{item}/deliveries", token)}
        created.append({"path": item, "token": token, **shown})
    return created


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
        elif kind == "set":
            value = sorted(_text(data) for data in redis.smembers(key))
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
        elif stored["type"] == "set":
            redis.sadd(key, *(base64.b64decode(data) for data in stored["value"]))
        else:
            redis.zadd(key, dict(stored["value"]))


def fixture():
    """Return the fixture of the code of today."""
    service = Service()
    collaborators(service.app).challenges.sender = AnsweringSender()
    replace_key(service)
    games = {make.__name__: make(service) for make in KINDS}
    created = webhooks(service, games["playing"])
    data = {
        "now": service.clock.now,
        "games": {
            kind: {
                "id": game.id,
                "host": game.host,
                "tokens": game.tokens,
                "view": service.get(game.path(), game.tokens[0]),
            }
            for kind, game in games.items()
        },
        "keyed": keyed_action(service),
        "waiting_player": waiting_player(service),
        "webhooks": created,
        "player": player(service),
        "history": history(service),
        "ladder": ladder(service),
    }
    return data | {"keys": dump(service.redis)}


def as_json(data):
    """Return a fixture as JSON whose lines are filled."""
    return "\n".join(json_lines(data)) + "\n"


def _text(data):
    return base64.b64encode(data).decode()


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(as_json(fixture()))
