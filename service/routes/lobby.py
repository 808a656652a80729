"""Games from their creation to their start: create, list, look, join, leave, start, abort."""

from __future__ import annotations

from typing import Any

from flask import Response

from service.matches import lobby as seating
from service.matches import views
from service.matches.creation import body_from_record, computing_cost, new_match, new_seat, new_seats
from service.matches.errors import Problem
from service.matches.match import Match, Status
from service.matches.tokens import SPECTATOR, Caller, TokenSource
from service.matches.transitions import Transition
from service.openapi.operations import BODY, STORE, Answer, Link, Token, creates, operation, reads, writes
from service.schemas import requests
from service.schemas import responses as answers
from service.web.exchange import (
    accepted,
    call,
    etag,
    games,
    host_only,
    own_seat,
    shown,
    token,
    unchanged,
    written,
)
from service.web.rate_limits import charge_creation
from service.web.request_parsing import Resource
from skye import Action

blueprint = Resource("Lobby", __name__, url_prefix="/v1", description="Create, find, join and start games.")

_GAME = {"game": "$response.body#/game/id"}
_THIS = {"game": "$request.path.game"}


@blueprint.route("/games", methods=["POST"])
@creates(
    Answer(
        201,
        "The game and its tokens.",
        answers.CreatedGame,
        links=[
            Link("get_game", "The new game.", _GAME),
            Link("join_game", "Take a seat in it.", _GAME),
            Link("start_game", "Start it, with the host token.", _GAME),
            Link("list_events", "Follow it.", _GAME),
            Link(
                "list_actions",
                "What the first player can do, with that seat's token.",
                {**_GAME, "seat": "$response.body#/players/0/seat"},
            ),
        ],
    ),
    refuses=[
        *BODY,
        "invalid_setup",
        "invalid_record",
        "game_not_over",
        "game_full",
        "color_taken",
        "name_taken",
    ],
)
@blueprint.arguments(requests.GameToCreate, required=False, description="What game to open.")
def create_game(body: dict[str, Any]) -> Response:
    """Create a game.

    Everything in the body is optional. Players can be seated at once, bots among them, and the game started
    in the same request. Or it begins from the `record` of another game that is over, from its first `until`
    actions: an analysis board, or a fixture for tests.

    The tokens in the answer are shown this once. Repeating the request with the same `Idempotency-Key` gives
    them again.
    """
    charge_creation(computing_cost(body))
    actions: list[Action] = []
    if "record" in body:
        actions = body["record"]["actions"][: body.get("until")]
        body = body_from_record(body)

    def make(game_id: str, now_ms: int, tokens: TokenSource) -> Transition:
        match, seats = new_match(body, game_id, tokens, now_ms), new_seats(body["players"], tokens)
        step = seating.open_match(match, seats, now_ms, unique_names="record" not in body)
        return seating.replay(step, actions, now_ms)

    def tell(table: Match, caller: Caller, tokens: TokenSource) -> tuple[int, Any]:
        players = [
            {"seat": number, "token": tokens.given.get(str(number))} for number in range(len(table.seats))
        ]
        game = views.game_view(table, caller)
        return 201, {"game": game, "host_token": tokens.given["host"], "players": players}

    return accepted(games().create(call(), make, tell))


@blueprint.route("/games")
@operation(
    Answer(
        200,
        "A page of the list.",
        answers.GameList,
        links=[
            Link("list_games", "The next page.", {"cursor": "$response.body#/next_cursor"}),
            Link("get_game", "The newest of them.", {"game": "$response.body#/games/0/id"}),
        ],
    ),
    refuses=[*STORE, "not_acceptable", "invalid_parameter"],
)
@blueprint.arguments(requests.GamesQuery, location="query")
def list_games(query: dict[str, Any]) -> Response:
    """List public games.

    The newest come first. Private and aborted games are not listed.
    """
    status = Status(query["status"]) if "status" in query else None
    tables, cursor = games().listing.page(status, query["limit"], query.get("cursor"))
    return shown({"games": [views.summary_view(table) for table in tables], "next_cursor": cursor})


@blueprint.route("/games/<game>")
@reads(
    Answer(
        200,
        "The game.",
        answers.Game,
        links=[
            Link(
                "list_events", "What happens from here on.", {**_THIS, "after": "$response.body#/last_event"}
            ),
            Link("get_scores", "The points, and why.", _THIS),
            Link("get_record", "Every action so far.", _THIS),
            Link("get_round", "The report of the round.", {**_THIS, "round": "$response.body#/round"}),
        ],
    ),
    refuses=["not_acceptable"],
)
def get_game(game: str) -> Response:
    """Get a game.

    It is shown as the caller may see it: with a seat token that seat's own prices and gold are in it, without
    a token what everybody may know. To keep a view current, follow the events from its `last_event` on, or
    ask again with `If-None-Match`.
    """
    seen = games().read(game, token())
    tag = etag(seen.table.version, seen.caller)
    return unchanged(tag) or written(games().view(seen), tag=tag)


_OWN_VIEW = Answer(
    200, "The caller's new view of the game.", answers.Game, links=[Link("get_game", "The game.", _THIS)]
)


def own_view(table: Match, caller: Caller, _tokens: TokenSource) -> tuple[int, Any]:
    """Answer an action with the caller's new view of the game."""
    return 200, views.game_view(table, caller)


@blueprint.route("/games/<game>/players", methods=["POST"])
@writes(
    Answer(
        201,
        "The seat and its token.",
        answers.TakenSeat,
        links=[
            Link("get_game", "The game.", _THIS),
            Link(
                "list_actions",
                "What the seat can do, with its token.",
                {**_THIS, "seat": "$response.body#/seat"},
            ),
            Link("leave_game", "Leave again, with its token.", {**_THIS, "seat": "$response.body#/seat"}),
        ],
    ),
    token=Token.OPTIONAL,
    refuses=[
        *BODY,
        "token_required",
        "host_only",
        "game_already_started",
        "game_aborted",
        "too_many_changes",
        "game_full",
        "color_taken",
        "name_taken",
        "invalid_setup",
    ],
)
@blueprint.arguments(requests.PlayerToSeat, description="Who takes the seat.")
def join_game(player: dict[str, Any], game: str) -> Response:
    """Take a seat.

    Whoever knows the id of a public game may take a free seat. For a private game the host seats people with
    the host token, and hands them their tokens. Only the host may seat a bot. A game that was created with
    `start` begins as soon as every seat is taken.

    The token in the answer is shown this once.
    """
    if "bot" in player:
        charge_creation(1)

    def decide(table: Match, caller: Caller, now_ms: int, tokens: TokenSource) -> Transition:
        if "bot" in player or table.private:
            host_only(caller)
        return seating.join(table, new_seat(player, tokens, table.seats), now_ms)

    def tell(table: Match, caller: Caller, tokens: TokenSource) -> tuple[int, Any]:
        ((seat, seat_token),) = tokens.given.items() or ((len(table.seats) - 1, None),)
        number = int(seat)
        viewer = Caller(number) if caller == SPECTATOR else caller
        return 201, {"seat": number, "token": seat_token, "game": views.game_view(table, viewer)}

    return accepted(games().write(game, call(), decide, tell))


@blueprint.route("/games/<game>/players/<int:seat>", methods=["DELETE"])
@writes(
    _OWN_VIEW,
    refuses=[
        "token_required",
        "not_your_seat",
        "not_found",
        "seat_not_found",
        "game_aborted",
        "game_over",
        "seat_played_by_bot",
    ],
)
def leave_game(game: str, seat: int) -> Response:
    """Leave a game.

    In the lobby this frees the seat, and the seats behind move up by one; there the host may also remove
    others. Once the game has started it means to resign: a bot plays on for the seat, whose token is worth
    nothing any more.
    """

    def decide(table: Match, caller: Caller, now_ms: int, _tokens: TokenSource) -> Transition:
        if seat >= len(table.seats):
            raise Problem("seat_not_found")
        if not (caller.host and table.status is Status.LOBBY):
            own_seat(caller, seat, len(table.seats))
        return seating.leave(table, seat, now_ms)

    return accepted(games().write(game, call(), decide, own_view))


@blueprint.route("/games/<game>/start", methods=["POST"])
@writes(
    _OWN_VIEW,
    refuses=[
        "token_required",
        "host_only",
        "game_already_started",
        "game_aborted",
        "too_few_players",
        "invalid_setup",
    ],
)
def start_game(game: str) -> Response:
    """Start a game.

    The host starts it with those who are seated, 2 to 5. The first round's income and draws happen at once,
    so the answer shows the game waiting for prices.
    """

    def decide(table: Match, caller: Caller, now_ms: int, _tokens: TokenSource) -> Transition:
        host_only(caller)
        return seating.start(table, now_ms)

    return accepted(games().write(game, call(), decide, own_view))


@blueprint.route("/games/<game>", methods=["DELETE"])
@writes(_OWN_VIEW, refuses=["token_required", "host_only", "game_aborted", "game_over"])
def abort_game(game: str) -> Response:
    """Abort a game.

    The host ends a game that is not over, for good and without a result. It can still be looked at for a
    while, with the status `aborted`.
    """

    def decide(table: Match, caller: Caller, now_ms: int, _tokens: TokenSource) -> Transition:
        host_only(caller)
        return seating.abort(table, now_ms)

    return accepted(games().write(game, call(), decide, own_view))
