"""Defects of the class `authorization`."""

from __future__ import annotations

from typing import Any

from flask import Response

from skye import SetOffer, play
from skye_server.error_codes import Problem
from skye_server.games import lobby
from skye_server.games.authorization import SPECTATOR, Caller
from skye_server.games.transitions import Transition, after_move, state_in_play
from skye_server.games.views.game import game_view, time_view
from skye_server.http.responses import etag, uncached_json
from skye_server.hunts.registry import GAME, SEAT_0, SEAT_1, defect, get, new_game, send
from skye_server.hunts.seams import Seams, View, environ, json_of, json_of_request


def _saved(seams: Seams, game: Any, transition: Transition, caller: Caller) -> Response:
    """Commit a change that the caller must not make, and return the view of the game."""
    games = seams.games
    if not games.repository.save(game, transition):
        raise Problem("too_much_contention")
    view = {**game_view(transition.game, caller), **time_view(games.time_of(transition.game))}
    return uncached_json(view, 200, [("ETag", etag(transition.game.version))])


@defect(
    "medium",
    "set_offer",
    "A seat token acts for its seat only; otherwise the response is `not_your_seat`.",
    send("POST", "/v1/games", {"scenario": "first_round"}),
    send("PUT", f"{GAME}/players/1/offer", {"discard": "L66", "prices": {"L09": 1, "L47": 1}}, SEAT_0),
    shows="status",
)
def offer_of_another_seat(seams: Seams) -> None:
    """Let each seat set the offers of the others."""

    @seams.refused("set_offer", "not_your_seat")
    def change(_view: View, game: str, seat: int, **_: Any) -> Response:
        body, current = json_of_request(), seams.games.repository.current(game)
        move = SetOffer(body["discard"], tuple(body["prices"].items()))
        outcome = play(state_in_play(current), seat, move)
        transition = after_move(current, outcome, seams.games.time_of(current))
        return _saved(seams, current, transition, Caller(seat))


@defect(
    "medium",
    "start_game",
    "Only the host starts a game; otherwise the response is `host_only`.",
    new_game("Ann", "Bob", auto_start=False),
    send("POST", f"{GAME}/start", token=SEAT_1),
    shows="status",
)
def start_by_any_seat(seams: Seams) -> None:
    """Give seats a right of the host."""

    @seams.refused("start_game", "host_only")
    def change(_view: View, game: str, **_: Any) -> Response:
        current = seams.games.repository.current(game)
        transition = lobby.start(current, seams.games.time_of(current))
        return _saved(seams, current, transition, SPECTATOR)


@defect(
    "medium",
    "get_position",
    "A token that is not one of the game is `token_unknown`.",
    new_game("Ann", "Bob"),
    send("POST", "/v1/games", {"players": [{"name": "Cy"}]}),
    get(f"{GAME}/position", "{{2/host_token}}"),
    shows="status",
)
def token_of_another_game(seams: Seams) -> None:
    """Treat a token of another game as none."""

    @seams.refused("get_position", "token_unknown")
    def change(view: View, **_: Any) -> Response:
        del environ()["HTTP_AUTHORIZATION"]
        return view()


@defect(
    "easy",
    "list_players",
    "For a client without one of its tokens, a private game is 404.",
    new_game("Ann", "Bob", visibility="private"),
    get(f"{GAME}/players"),
    shows="status",
)
def seats_of_a_private_game(seams: Seams) -> None:
    """Show the seats of a private game to everybody."""

    @seams.refused("list_players", "game_not_found")
    def change(view: View, game: str, **_: Any) -> Response:
        if "HTTP_AUTHORIZATION" in environ():
            return view()
        current = seams.games.repository.current(game)
        shown = game_view(current, SPECTATOR)
        view_of_seats = {"version": current.version, "players": shown["players"]}
        return uncached_json(view_of_seats, 200, [("ETag", etag(current.version))])


@defect(
    "hard",
    "get_offer",
    "After `POST .../token` the old token of the seat is invalid.",
    new_game("Ann", "Bob"),
    send("POST", f"{GAME}/players/0/token", token=SEAT_0),
    get(f"{GAME}/players/0/offer", SEAT_0),
    shows="status",
)
def replaced_token_still_reads(seams: Seams) -> None:
    """Let a replaced token read the offer of its seat."""

    @seams.view("rotate_token")
    def remember(view: View, **_: Any) -> Response:
        response = view()
        token = environ().get("HTTP_AUTHORIZATION", "")
        seams.memory.put(f"now {token}", f"Bearer {json_of(response)['token']}")
        return response

    @seams.refused("get_offer", "token_unknown")
    def change(view: View, **_: Any) -> Response:
        sent = environ().get("HTTP_AUTHORIZATION", "")
        environ()["HTTP_AUTHORIZATION"] = seams.memory.get(f"now {sent}") or sent
        return view()
