"""Defects of the class `authorization`."""

from __future__ import annotations

from typing import Any

from flask import Response

from skye import SetOffer, play
from skye_hunts.registry import breaks, defect, shown_by
from skye_hunts.seams import View, current, environ, games, json_of, json_sent, memory, refused
from skye_hunts.witnesses import GAME, SEAT_0, SEAT_1, STARTED, get, new_game, post, scenario, send
from skye_server.error_codes import Problem
from skye_server.games import lobby
from skye_server.games.authorization import SPECTATOR, Caller
from skye_server.games.game import Game
from skye_server.games.transitions import Transition, after_move, state_in_play
from skye_server.games.views.game import game_view, time_view
from skye_server.http.responses import etag, uncached_json


def _saved(before: Game, transition: Transition, caller: Caller) -> Response:
    """Commit a change that the caller must not make, and return the view of the game."""
    if not games().stored.save(before, transition):
        raise Problem("too_much_contention")
    view = {
        **game_view(transition.game, caller.in_game(transition.game)),
        **time_view(games().time_of(transition.game)),
    }
    return uncached_json(view, 200, [("ETag", etag(transition.game.version))])


@defect("medium", "set_offer", refused("not_your_seat"))
@breaks("A seat token acts for its seat only; otherwise the response is `not_your_seat`.")
@shown_by(
    scenario("first_round"),
    send("PUT", f"{GAME}/players/1/offer", {"discard": "L66", "prices": {"L09": 1, "L47": 1}}, SEAT_0),
    at="status",
)
def offer_of_another_seat(_view: View, game: str, seat: int, **_: Any) -> Response:
    """Let each seat set the offers of the others."""
    body, before = json_sent(), current(game)
    outcome = play(state_in_play(before), seat, SetOffer(body["discard"], tuple(body["prices"].items())))
    return _saved(before, after_move(before, outcome, games().time_of(before)), Caller(seat))


@defect("medium", "start_game", refused("host_only"))
@breaks("Only the host starts a game; otherwise the response is `host_only`.")
@shown_by(new_game("Ann", "Bob", auto_start=False), post(f"{GAME}/start", token=SEAT_1), at="status")
def start_by_any_seat(_view: View, game: str, **_: Any) -> Response:
    """Give seats a right of the host."""
    before = current(game)
    return _saved(before, lobby.start(before, games().time_of(before)), SPECTATOR)


@defect("medium", "get_position", refused("token_unknown"))
@breaks("A token that is not one of the game is `token_unknown`.")
@shown_by(
    STARTED,
    post("/v1/games", {"players": [{"name": "Cy"}]}),
    get(f"{GAME}/position", "{{2/host_token}}"),
    at="status",
)
def token_of_another_game(view: View, **_: Any) -> Response:
    """Treat a token of another game as none."""
    del environ()["HTTP_AUTHORIZATION"]
    return view()


@defect("easy", "list_players", refused("game_not_found"))
@breaks("For a client without one of its tokens, a private game is 404.")
@shown_by(new_game("Ann", "Bob", visibility="private"), get(f"{GAME}/players"), at="status")
def seats_of_a_private_game(view: View, game: str, **_: Any) -> Response:
    """Show the seats of a private game to everybody."""
    if "HTTP_AUTHORIZATION" in environ():
        return view()
    found = current(game)
    seats = {"version": found.version, "players": game_view(found, SPECTATOR.in_game(found))["players"]}
    return uncached_json(seats, 200, [("ETag", etag(found.version))])


@defect("hard", "get_offer", changes=["get_offer", "rotate_token"])
@breaks("After `POST .../token` the old token of the seat is invalid.")
@shown_by(
    STARTED,
    post(f"{GAME}/players/0/token", token=SEAT_0),
    get(f"{GAME}/players/0/offer", SEAT_0),
    at="status",
)
def replaced_token_still_reads(view: View, **_: Any) -> Response:
    """Let a replaced token read the offer of its seat."""
    sent = environ().get("HTTP_AUTHORIZATION", "")
    if environ()["REQUEST_METHOD"] == "POST":
        response = view()
        memory().put(f"now {sent}", f"Bearer {json_of(response)['token']}")
        return response
    try:
        return view()
    except Problem as problem:
        if problem.code != "token_unknown":
            raise
    environ()["HTTP_AUTHORIZATION"] = memory().get(f"now {sent}") or sent
    return view()
