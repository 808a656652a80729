"""Hooks for Schemathesis: each request is about a game of its own, and has the token that it needs.

Without them nearly all requests would only see 401, 403 or 404. At the end the hooks name the operations that
did. Start the server with `SKYE_LAB=on`: otherwise the operations of the laboratory respond with 403.
"""

import atexit
import re
import secrets
from collections import defaultdict

import requests
import schemathesis

LOBBY = {"players": [{"name": "Ann"}]}
PRICING = {"scenario": "two_players"}
BUYING = {"scenario": "buying_last_seat"}
BUILDING = {"scenario": "building_last_seat"}
OVER = {"scenario": "last_action"}
GAMES = {
    "join_game": LOBBY,
    "create_invitation": LOBBY,
    "list_invitations": LOBBY,
    "get_invitation": LOBBY,
    "revoke_invitation": LOBBY,
    "start_game": {"players": [{"name": "Ann"}, {"bot": "random"}]},
    "change_player": LOBBY,
    "leave_game": LOBBY,
    "rotate_host_token": LOBBY,
    "pause_game": PRICING | {"options": {"turn_ms": 60_000}},
    "advance_clock": PRICING | {"options": {"clock": "manual", "turn_ms": 60_000}},
    "purchase": BUYING,
    "place_tile": BUILDING,
    "take_back": BUILDING,
    "finish_building": BUILDING,
    "stream_events": OVER,  # the stream of a game in play would stay open
    "delete_game": OVER,
    "rematch": OVER,
    "get_rematch": OVER,
}
"""The game of an operation, as in the body of `POST /v1/games`; all others are in the pricing phase."""

OF_HOST = (
    "create_invitation",
    "list_invitations",
    "get_invitation",
    "revoke_invitation",
    "start_game",
    "advance_clock",
    "abort_game",
    "delete_game",
    "rotate_host_token",
    "get_watch_code",
)
"""Operations that need the host token. All operations on the webhooks of a game need it too."""

CHAT_URLS = {
    "discord": "https://discord.com/api/webhooks/1/x",
    "slack": "https://hooks.slack.com/services/T0/B0/x",
}
"""A webhook of a chat service takes only URLs of that service, which no schema says."""

_statuses = defaultdict(set)


@schemathesis.hook
def before_call(context, case, kwargs):
    """Put the request on a new game, with the token of its host, of seat 0, or with a new player key."""
    del context, kwargs
    server, parameters = case.operation.base_url.rstrip("/"), case.path_parameters or {}
    case.headers.pop("Skye-Fault", None)
    if (case.query or {}).get("wait_ms"):
        case.query["wait_ms"] = 0
    if isinstance(case.body, dict) and str(case.body.get("url")).startswith("https://"):
        case.body["url"] = CHAT_URLS.get(str(case.body.get("format")), case.body["url"])
    token = f"skye_key_{secrets.token_urlsafe(18)}"
    if _is_id(parameters.get("game")):
        parameters["game"], token = _begin_game(server, _name(case), case.body)
        if str(parameters.get("seat")) in tuple("01234"):
            parameters["seat"] = "0"
    if "ticket" in parameters:
        ticket = {"name": "Ann", "seat_count": 5}
        parameters["ticket"] = _post(server, "/v1/matchmaking/tickets", ticket, token)["id"]
    case.headers["Authorization"] = f"Bearer {token}"


@schemathesis.hook
def after_call(context, case, response):
    """Remember the status of the response."""
    del context
    _statuses[_name(case)].add(response.status_code)


@atexit.register
def print_unreached():
    """Print the operations that saw only 401 and 403."""
    unreached = sorted(name for name, seen in _statuses.items() if seen <= {401, 403})
    print(f"{len(_statuses)} operations, of which only 401 or 403: {', '.join(unreached) or 'none'}")


def _name(case):
    return case.operation.definition.raw["operationId"]


def _is_id(value):
    """Return whether a path parameter is right; Schemathesis also sends wrong ones."""
    return isinstance(value, str) and re.fullmatch("[a-z0-9]{1,64}", value) is not None


def _begin_game(server, operation, body):
    """Create a game for an operation; return its id and a token. Only the host seats bots."""
    created = _post(server, "/v1/games", GAMES.get(operation, PRICING))
    game, seat = created["game"]["id"], created["players"][0]["token"]
    if GAMES.get(operation) is OVER:
        _post(server, f"/v1/games/{game}/players/0/building/finish", {}, seat)
    seats_bot = operation == "join_game" and isinstance(body, dict) and {"bot", "bot_url"} & body.keys()
    of_host = seats_bot or operation in OF_HOST or "game_webhook" in operation
    return game, created["host_token"] if of_host else seat


def _post(server, path, body, token=None):
    headers = {} if token is None else {"Authorization": f"Bearer {token}"}
    answer = requests.post(server + path, json=body, headers=headers, timeout=20)
    answer.raise_for_status()
    return answer.json()
