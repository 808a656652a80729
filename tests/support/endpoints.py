"""Every operation of the API, each with a request that is right at some stage of a game."""

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

from skye_server.outgoing.messages import Message, message_records
from skye_server.outgoing.receiver_store import ReceiverRef, ReceiverStore
from skye_server.store.redis_players import KEY_TTL_S
from skye_server.store.redis_store import RedisStore
from tests.support.features import modules_of_features
from tests.support.playing import Game, dice

HOST, PLAYER, NOBODY = "host", "player", None
PLAYER_KEY = "skye_key_" + 22 * "A"
RECEIVER = "https://receiver.invalid/hook"
"""The URL of a receiver that does not exist: no name below `.invalid` does (RFC 6761)."""


class Endpoint(NamedTuple):
    """One operation: `stage` names its game, `who` the caller: a seat, the host or a player key.

    `body` makes the body from the game's view; `query` and `headers` are the required parameters.
    """

    method: str
    rule: str
    stage: str = "pricing"
    who: int | str | None = 0
    body: Callable[[dict[str, Any]], Any] | None = None
    query: tuple[tuple[str, str], ...] = ()
    headers: tuple[tuple[str, str], ...] = ()

    @property
    def name(self):
        return f"{self.method} {self.rule}"

    @property
    def writes(self):
        return self.method != "GET" and self.rule not in _READING

    @property
    def of_game(self):
        return "<game>" in self.rule

    @property
    def changes_game(self):
        return self.writes and self.of_game and "/webhooks" not in self.rule

    def path(self, game, parts=()):
        """Return the path for a game; parts can be replaced."""
        filled = {
            "game": game.id,
            "seat:seat": "0",
            "int:round": "1",
            "int:number": "1",
            "invitation": game.invitation,
            "tile": "L01",
            "scoring_tile": "squares",
            "name": "ann",
            "ladder": "live_2",
        } | dict(parts)
        filled.setdefault("ticket", game.ticket)
        filled.setdefault("webhook", game.own_webhook if self.who == PLAYER else game.webhook)
        filled.setdefault("delivery", first_message(filled["webhook"]))
        path = self.rule
        for name, value in filled.items():
            path = path.replace(f"<{name}>", value)
        return path

    def token(self, game):
        """Return the token of the caller."""
        others = {HOST: game.host, PLAYER: PLAYER_KEY, NOBODY: None}
        return others[self.who] if self.who in others else game.tokens[self.who]

    def right_body(self, game):
        """Return a body that is right, or None when the operation has none."""
        return None if self.body is None else self.body(game.view())

    def send(self, game, *, headers=(), parts=(), **more):
        """Send a valid request, with the given changes."""
        headers = dict(self.headers) | dict(headers)
        sent = {"token": self.token(game), "headers": headers, "query_string": dict(self.query), **more}
        return game.service.call(self.method, self.path(game, parts), **sent)


DAY_S = 86_400

_GAME = "/v1/games/<game>"
_SEAT = f"{_GAME}/players/<seat:seat>"
_READING = (f"{_SEAT}/what-if", "/v1/scoring")


def _offer(view):
    marked, *kept = (tile["tile"] for tile in view["players"][0]["tiles_on_offer"])
    return {"discard": marked, "prices": dict.fromkeys(kept, 2)}


def _placement(view):
    return {"tile": view["players"][0]["tiles_to_build"][0], "x": 0, "y": 1, "rotation": 90}


def _new_game(_view):
    player = {"name": "Ann", "color": "green"}
    options = {
        "scoring_tiles": ["sheep", "squares", "most_gold", "most_ships"],
        "first_seat": 1,
        "seed": "skye",
        "tie_break": "total_gold",
        "open_gold": True,
        "turn_ms": 5000,
        "budget_ms": 60_000,
        "increment_ms": 1000,
        "max_pause_ms": 3_600_000,
        "on_timeout": "bot",
    }
    players = [player, {"bot": "random"}, {"invite": True}]
    return {
        "name": "a",
        "visibility": "private",
        "seat_count": 4,
        "players": players,
        "auto_start": False,
        "options": options,
    }


def _new_games(view):
    return {"games": [_new_game(view), {}]}


def _scoring(_view):
    tiles = [{"tile": "castle-red", "x": 0, "y": 0, "rotation": 0}]
    return {"territories": [{"tiles": tiles, "gold": 7}], "scoring_tiles": ["sheep"]}


def first_message(receiver):
    """Return the id of the first message to a receiver."""
    return f"{receiver.replace('wh_', 'msg_')}_0000000001"


_OF_FEATURES = modules_of_features("endpoints")
ENDPOINTS = (
    Endpoint("POST", "/v1/games", "lobby", NOBODY, _new_game),
    Endpoint("GET", "/v1/games", "lobby", NOBODY),
    Endpoint("GET", "/v1/records", "lobby", NOBODY),
    Endpoint(
        "POST",
        "/v1/batches",
        "lobby",
        NOBODY,
        _new_games,
        headers=(("Idempotency-Key", "batch-0123456789abcdefghijk"),),
    ),
    Endpoint("GET", _GAME),
    Endpoint("DELETE", _GAME, "alone", HOST),
    Endpoint("POST", f"{_GAME}/abort", "lobby", HOST),
    Endpoint("POST", f"{_GAME}/pause", "timed"),
    Endpoint("POST", f"{_GAME}/resume", "paused"),
    Endpoint("POST", f"{_GAME}/players", "lobby", NOBODY, lambda _: {"name": "Late", "color": "green"}),
    Endpoint("GET", f"{_GAME}/players"),
    Endpoint("POST", f"{_GAME}/invitations", "lobby", HOST),
    Endpoint("GET", f"{_GAME}/invitations", "lobby", HOST),
    Endpoint("GET", f"{_GAME}/invitations/<invitation>", "invited", HOST),
    Endpoint("GET", f"{_GAME}/watch-code", "lobby", HOST),
    Endpoint("DELETE", f"{_GAME}/invitations/<invitation>", "invited", HOST),
    Endpoint("GET", _SEAT),
    Endpoint("GET", f"{_SEAT}/offer"),
    Endpoint("GET", f"{_SEAT}/purchase", "buying"),
    Endpoint("GET", f"{_SEAT}/placements", "placed"),
    Endpoint("PATCH", _SEAT, "lobby", body=lambda _: {"name": "Ada", "color": "green"}),
    Endpoint("POST", f"{_SEAT}/token", "lobby"),
    Endpoint("POST", f"{_GAME}/host-token", "lobby", HOST),
    Endpoint("DELETE", _SEAT, "lobby"),
    Endpoint("POST", f"{_SEAT}/resign"),
    Endpoint("POST", f"{_SEAT}/return", "taken_over"),
    Endpoint("POST", f"{_SEAT}/takeover", "slow", 1),
    Endpoint("POST", f"{_SEAT}/proposal", "proposed", body=lambda _: {"accept": True}),
    Endpoint("POST", f"{_GAME}/start", "lobby", HOST),
    Endpoint("GET", "/v1/me", "lobby", PLAYER),
    Endpoint("GET", "/v1/me/games", "lobby", PLAYER),
    Endpoint("GET", "/v1/me/games/records", "lobby", PLAYER),
    Endpoint("GET", "/v1/me/records", "lobby", PLAYER),
    Endpoint("GET", "/v1/me/statistics", "lobby", PLAYER),
    Endpoint("GET", "/v1/me/events", "lobby", PLAYER),
    Endpoint("GET", "/v1/me/events/stream", "lobby", PLAYER),
    Endpoint("PUT", "/v1/me/key", "lobby", PLAYER, lambda _: {"key": "skye_key_" + "B" * 22}),
    Endpoint("POST", f"{_GAME}/rematch", "aborted"),
    Endpoint("GET", f"{_GAME}/rematch"),
    Endpoint("POST", f"{_GAME}/clock", "manual", HOST, lambda _: {"advance_ms": 1000}),
    Endpoint("GET", f"{_SEAT}/actions"),
    Endpoint("PUT", f"{_SEAT}/offer", body=_offer),
    Endpoint("PUT", f"{_SEAT}/purchase", "buying", body=lambda _: {"tile": None}),
    Endpoint("POST", f"{_SEAT}/placements", "building", body=_placement),
    Endpoint("DELETE", f"{_SEAT}/placements/<int:number>", "placed"),
    Endpoint("POST", f"{_SEAT}/building/finish", "placed"),
    Endpoint("GET", f"{_GAME}/events"),
    Endpoint("GET", f"{_GAME}/events/stream", "aborted"),
    Endpoint("GET", f"{_GAME}/rounds"),
    Endpoint("GET", f"{_GAME}/rounds/<int:round>"),
    Endpoint("GET", f"{_GAME}/record"),
    Endpoint("GET", f"{_GAME}/position"),
    Endpoint("GET", f"{_GAME}/scores"),
    Endpoint("GET", f"{_SEAT}/territory"),
    Endpoint("GET", f"{_SEAT}/territory/picture.svg"),
    Endpoint("POST", f"{_SEAT}/what-if", "building", body=lambda view: {"placements": [_placement(view)]}),
    Endpoint("GET", f"{_SEAT}/places", query=(("tile", "L35"),)),
    Endpoint("POST", "/v1/scoring", "lobby", NOBODY, _scoring),
    Endpoint("GET", "/v1/tiles", "lobby", NOBODY),
    Endpoint("GET", "/v1/tiles/<tile>", "lobby", NOBODY),
    Endpoint("GET", "/v1/tiles/<tile>/picture.svg", "lobby", NOBODY),
    Endpoint("GET", "/v1/tiles/pictures.svg", "lobby", NOBODY),
    Endpoint("GET", "/v1/scoring-tiles/<scoring_tile>/picture.svg", "lobby", NOBODY),
    Endpoint("GET", "/v1/scoring-tiles/<scoring_tile>", "lobby", NOBODY),
    Endpoint("GET", "/v1/scoring-tiles", "lobby", NOBODY),
    Endpoint("GET", "/v1/scenarios", "lobby", NOBODY),
    Endpoint("GET", "/v1/bots", "lobby", NOBODY),
    Endpoint("GET", "/", "lobby", NOBODY),
    Endpoint("GET", "/v1", "lobby", NOBODY),
    Endpoint("GET", "/.well-known/api-catalog", "lobby", NOBODY),
    Endpoint("GET", "/.well-known/security.txt", "lobby", NOBODY),
    Endpoint("GET", "/healthz", "lobby", NOBODY),
    Endpoint("GET", "/readyz", "lobby", NOBODY),
    *(Endpoint(*arguments) for feature in _OF_FEATURES for arguments in feature.ENDPOINTS),
)

BY_NAME = {endpoint.name: endpoint for endpoint in ENDPOINTS}


_STAGES_OF_FEATURES = {name: reach for feature in _OF_FEATURES for name, reach in feature.STAGES.items()}
STAGES = (
    "lobby", "pricing", "buying", "building", "placed", "manual", "aborted", "invited", "taken_over",
    "proposed", "alone", "timed", "paused", "slow",
    *_STAGES_OF_FEATURES,
)  # fmt: skip


def stages(service) -> dict[str, Game]:
    """Return a game at each stage that an endpoint needs, seat 0 being the one to act."""
    return {stage: game_at(stage, service) for stage in STAGES}


def game_at(stage, service) -> Game:
    """Return a new game at one of these stages."""
    if stage in ("lobby", "invited"):
        game = service.create_game(2, start=False)
        service.get(game.path("watch-code"), game.host)  # the first request of a token stores its code
        if stage == "invited":
            made = game.call("POST", "invitations", token=game.host).json
            game.invitation = made["invitation"]["id"]
        return game
    if stage in _OWN_GAMES:
        return _OWN_GAMES[stage](service)
    game = service.create_game(options={"first_seat": 0})
    if stage in ("buying", "building", "placed"):
        game.play_to("building" if stage == "placed" else stage)
    if stage == "placed":
        game.play_until(lambda _: not game.view()["players"][0]["tiles_to_build"], dice(1))
    if stage == "aborted":
        game.abort()
    if stage == "proposed":
        assert game.call("POST", "abort", token=game.tokens[1]).status_code == 200
    if stage in _STAGES_OF_FEATURES:
        _STAGES_OF_FEATURES[stage](service, game, PLAYER_KEY)
    return game


def aborted_alone(service):
    """Return an aborted game that only one person has played."""
    game = service.create_game(2, bots={1: "random"})
    game.abort()
    return game


def timed(service, *, paused=False):
    """Return a game of one person with a deadline."""
    game = service.create_game(2, bots={1: "random"}, options={"first_seat": 0, "turn_ms": 60_000})
    if paused:
        assert game.call("POST", "pause", token=game.tokens[0]).status_code == 200
    return game


def taken_over(service):
    """Return a game in which a bot has taken seat 0 over after a missed deadline."""
    game = service.create_game(options={"clock": "manual", "turn_ms": 5000, "on_timeout": "bot"})
    for seat in (1, 2):
        game.offer(seat, 1, 1)
    answer = service.call("POST", game.path("clock"), {"advance_ms": 5000}, game.host)
    assert answer.json["players"][0]["end"]["type"] == "took_over"
    return game


def slow(service):
    """Return a game without a clock that has waited for the offer of seat 0 for a day."""
    service.clock.advance(-DAY_S)
    game = service.create_game(2)
    game.offer(1, 1, 1)
    service.clock.advance(DAY_S)
    return game


_OWN_GAMES = {
    "manual": lambda service: service.create_game(options={"clock": "manual", "turn_ms": 5000}),
    "alone": aborted_alone,
    "taken_over": taken_over,
    "slow": slow,
    "timed": timed,
    "paused": partial(timed, paused=True),
}


def queue_message(service, owner, receiver, game="k7mt2vq9xw3c", kind="your_turn"):
    """Queue a message to a receiver, as a dispatcher does."""
    store, now_ms = ReceiverStore(RedisStore(service.redis).calls), int(service.clock() * 1000)
    ref = ReceiverRef(owner, receiver)
    message = Message(first_message(receiver), game, kind, b"{}", now_ms, now_ms)
    before = store.progress(ref)
    encoded = (message.game, message.id, message_records.encode(message))
    assert store.queue(ref, before, before.cursor, [encoded], KEY_TTL_S)
