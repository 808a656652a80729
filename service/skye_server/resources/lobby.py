"""The seats of a game: join, invite, change, leave, resign."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, Any, TypedDict

from flask import Blueprint, Response
from marshmallow import Schema

from skye.fields import Keywords
from skye.rulesets import MAX_PLAYERS
from skye_server.commands import game_commands
from skye_server.commands.attempts import Attempt
from skye_server.commands.views import TakenSeatView, TimedGameView, changed_view, taken_seat_view
from skye_server.contract.creation import HAS_URL_BOTS, BotToSeat, PersonToSeat, UrlBotToSeat
from skye_server.contract.enums import Color
from skye_server.contract.fields import InviteCode, Name, Seat
from skye_server.contract.objects import Object, Variants, ViewQuery
from skye_server.error_codes import Problem
from skye_server.features import installed
from skye_server.games.authorization import (
    HOST_ROLE,
    Caller,
    hash_token,
    require_host,
)
from skye_server.games.game import Game
from skye_server.games.views.fields import IssuedToken, Version
from skye_server.games.views.game import (
    InvitationCodeView,
    InvitationView,
    invitation_view,
    unused_invitations,
)
from skye_server.http.framework import collaborators, url_bots
from skye_server.http.rate_limits import SEAT_KB, charge_creation, charge_stored
from skye_server.http.request_parsing import bearer_token, command_from_request, takes
from skye_server.http.responses import created_response, etag_of, game_response, json_response, versioned_json
from skye_server.openapi.documented_errors import BODY_ERRORS, HOST_ERRORS, OWN_SEAT_ERRORS, URL_BOT_ERRORS
from skye_server.openapi.operations import OWN_VIEW, THIS_GAME, Link, ResponseDoc, Token, reads, writes

blueprint = Blueprint("lobby", __name__, url_prefix="/v1/games/<game>")

_OPEN_LOBBY = ("game_already_started", "game_aborted", "too_many_changes")
"""The codes of a request that changes the seats of a lobby."""

_ROTATION = ("game_aborted", "game_finished", "too_many_changes")
"""The codes of a request that replaces a token."""

_SEATING = ("color_taken", "name_taken")
"""The codes of a request that names a player."""


class CreatedInvitationView(TypedDict):
    """A new invitation. The server shows its code only here."""

    invitation: Annotated[InvitationCodeView, "The invitation and its code."]
    game: Annotated[TimedGameView, "The game as its host sees it."]


class PersonToJoin(PersonToSeat):
    """A person who takes a seat of an existing game."""

    seat = Seat("The seat to take; the lowest free one if left out.")
    invite_code = InviteCode("An invitation code, for a caller that sends a player key as the bearer token.")


class UrlBotToJoin(UrlBotToSeat):
    """A bot at a URL that takes a seat of an existing game."""

    seat = Seat("The seat to take; the lowest free one if left out.")


class BotToJoin(BotToSeat):
    """A bot that takes a seat of an existing game."""

    seat = Seat("The seat to take; the lowest free one if left out.")


class PlayerChanges(Object):
    """Changes to a player in the lobby."""

    min_properties = 1
    name = Name("The new name; unchanged if left out.")
    color = Color("The new colour; unchanged if left out.")


class PlayerToSeat(Variants):
    """A person or a bot that takes a seat."""

    variants = (PersonToJoin, BotToJoin, *([UrlBotToJoin] if HAS_URL_BOTS else []))

    def variant(self, data: dict[str, Any]) -> type[Schema]:
        """Return the form that has the field sent: `bot_url`, `bot` or neither."""
        if "bot_url" in data and HAS_URL_BOTS:
            return UrlBotToJoin
        return BotToJoin if "bot" in data else PersonToJoin


class InvitationListView(TypedDict):
    """The unused invitations of a game."""

    version: Version
    invitations: Annotated[
        Sequence[InvitationView], Keywords(maxItems=MAX_PLAYERS), "The invitations, oldest first."
    ]


class WatchCodeView(TypedDict):
    """The code for spectators of a game."""

    code: Annotated[IssuedToken, "The code. Watch with it as `Authorization: Bearer CODE`."]


class HostTokenView(TypedDict):
    """A new host token, which the server shows only here, and the game."""

    host_token: Annotated[IssuedToken, "The host's token."]
    game: Annotated[TimedGameView, "The game as its host sees it."]


@blueprint.route("/players", methods=["POST"])
@writes(
    ResponseDoc(
        201,
        "The seat and its token.",
        TakenSeatView,
        links=[
            Link("get_game", "The game.", THIS_GAME),
            Link(
                "list_actions",
                "The legal actions of the seat, with its token.",
                {**THIS_GAME, "seat": "$response.body#/seat"},
            ),
            Link("leave_game", "Leave again, with its token.", {**THIS_GAME, "seat": "$response.body#/seat"}),
        ],
    ),
    token=Token.OPTIONAL,
    errors=[
        *BODY_ERRORS,
        *HOST_ERRORS,
        *_OPEN_LOBBY,
        "game_full",
        "seat_taken",
        "seat_not_found",
        "already_seated",
        "too_many_games",
        *_SEATING,
        *URL_BOT_ERRORS,
    ],
)
@takes(PlayerToSeat, "The player who takes the seat.")
def join_game(player: dict[str, Any], game: str) -> Response:
    """Take a seat.

    Any client may take a free seat of a public game. An invitation code, sent as the bearer token, takes the
    seat that it reserves, also in a private game; it is valid once. In a private game the host can also seat
    people with the host token, and send them their tokens. Only the host may seat a bot. A game that was
    created with `auto_start` begins as soon as every seat is taken.

    With a player key as the bearer token, the seat is bound to the key, which can hold one seat of a game,
    and has no token: `token` is null. Send an invitation code as `invite_code` then.

    The server shows the token only in this response.
    """
    charge_creation(1)
    charge_stored(SEAT_KB)
    command, invite = command_from_request(), player.pop("invite_code", None)
    command = replace(command, token=command.token or invite, invite=invite)
    if "bot_url" in player:
        require_host(collaborators().games.read(game, command.token).caller)
    with url_bots().of_player(command, player) as secret:
        changed = game_commands.join_game(collaborators().games, command, game, player)
    view = taken_seat_view(changed, secret)
    return created_response(changed, view, f"/v1/games/{game}/players/{view['seat']}")


@blueprint.route("/invitations", methods=["POST"])
@writes(
    ResponseDoc(
        201,
        "The code.",
        CreatedInvitationView,
        links=[Link("join_game", "Take the seat, with the code as the token.", THIS_GAME)],
    ),
    errors=[*HOST_ERRORS, *_OPEN_LOBBY, "game_full"],
)
def create_invitation(game: str) -> Response:
    """Invite a player.

    The host reserves a seat and receives a single-use code for it. The invited player sends the code as the
    bearer token to read a private game and to take the seat; the code is then invalid. Unused codes become
    invalid when the game starts or is aborted. The server shows the code only in this response.
    """
    changed = game_commands.create_invitation(collaborators().games, command_from_request(), game)
    view = new_invitation_view(changed)
    return created_response(changed, view, f"/v1/games/{game}/invitations/{view['invitation']['id']}")


@blueprint.route("/invitations")
@reads(
    ResponseDoc(200, "The invitations.", InvitationListView),
    errors=[*HOST_ERRORS, "not_acceptable"],
    token=Token.REQUIRED,
)
def list_invitations(game: str) -> Response:
    """List the unused invitations of a game.

    The host sees their ids; the codes are shown only when they are made.
    """
    current, caller = collaborators().games.read(game, bearer_token())
    require_host(caller)
    return versioned_json(current, caller, {"invitations": unused_invitations(current)})


@blueprint.route("/invitations/<invitation>")
@reads(
    ResponseDoc(200, "The invitation.", InvitationView),
    errors=[*HOST_ERRORS, "invitation_not_found", "not_acceptable"],
    token=Token.REQUIRED,
)
def get_invitation(game: str, invitation: str) -> Response:
    """Get an unused invitation.

    The host sees its id; the code is shown only when it is made.
    """
    current, caller = collaborators().games.read(game, bearer_token())
    require_host(caller)
    found = next((each for each in unused_invitations(current) if each["id"] == invitation), None)
    if found is None:
        raise Problem("invitation_not_found")
    return json_response(found, tag=etag_of(current, caller))


@blueprint.route("/watch-code")
@reads(
    ResponseDoc(200, "The code.", WatchCodeView),
    errors=[*HOST_ERRORS, "not_acceptable"],
    token=Token.REQUIRED,
)
def get_watch_code(game: str) -> Response:
    """Get the code for spectators.

    The host gives it to people who may watch a private game: with the code as the bearer token they see what
    spectators of a public game see, and can do nothing. It stays the same until the host token or the player
    key with which the host sends this request is replaced, or the key requests another host token; then it
    becomes invalid.
    """
    games, token = collaborators().games, bearer_token()
    current, caller = games.read(game, token)
    require_host(caller)
    code = games.watch_codes.code_for(current, token or "")
    return json_response({"code": code}, tag=etag_of(current, caller, f"-{hash_token(code)[:8]}"))


@blueprint.route("/invitations/<invitation>", methods=["DELETE"])
@writes(OWN_VIEW, errors=[*HOST_ERRORS, "game_already_started", "game_aborted", "invitation_not_found"])
def revoke_invitation(game: str, invitation: str) -> Response:
    """Revoke an invitation.

    The host makes an unused code invalid, and frees the seat that it reserves.
    """
    command = command_from_request()
    return game_response(game_commands.revoke_invitation(collaborators().games, command, game, invitation))


@blueprint.route("/players/<seat:seat>", methods=["PATCH"])
@writes(
    OWN_VIEW,
    errors=[*BODY_ERRORS, *OWN_SEAT_ERRORS, *_OPEN_LOBBY, *_SEATING],
)
@takes(PlayerChanges, "The changes.")
def change_player(changes: dict[str, Any], game: str, seat: int) -> Response:
    """Change name or colour in the lobby.

    Players change their own seats. The host may change the name and the colour of bots.
    """
    command = command_from_request()
    return game_response(game_commands.change_player(collaborators().games, command, game, seat, changes))


@blueprint.route("/players/<seat:seat>/token", methods=["POST"])
@writes(
    ResponseDoc(
        201,
        "The new token.",
        TakenSeatView,
        links=[
            Link(
                "list_actions",
                "The legal actions of the seat, with the new token.",
                {**THIS_GAME, "seat": "$response.body#/seat"},
            )
        ],
    ),
    errors=[*OWN_SEAT_ERRORS, *_ROTATION],
)
def rotate_token(game: str, seat: int) -> Response:
    """Replace the token of a seat.

    The holder of the seat receives a new token, and the old one becomes invalid at once. Use it after a token
    was leaked, to replace a token that the host received, or with a player key to receive a token for a
    program that should control this seat only. The server shows the token only in this response. A game that
    is over keeps its tokens.
    """
    command = command_from_request()
    changed = game_commands.rotate_token(collaborators().games, command, game, seat)
    view = taken_seat_view(changed)
    return created_response(changed, view, f"/v1/games/{game}/players/{seat}")


@blueprint.route("/host-token", methods=["POST"])
@writes(
    ResponseDoc(
        201,
        "The new token.",
        HostTokenView,
        links=[Link("start_game", "Start the game, with the new token.", THIS_GAME)],
    ),
    errors=[*HOST_ERRORS, *_ROTATION],
)
def rotate_host_token(game: str) -> Response:
    """Replace the host token.

    The host receives a new token, and the old one becomes invalid at once. A player key that created the game
    stays its host; it receives a token for a program that should only host this game. The watch codes of the
    game become invalid. The server shows the token only in this response. A game that is over keeps its
    tokens.
    """
    changed = game_commands.rotate_host_token(collaborators().games, command_from_request(), game)
    view: dict[str, Any] = {**host_token_view(changed)}
    for each in installed():
        view |= each.host_token_replaced(game)
    return created_response(changed, view, f"/v1/games/{game}")


@blueprint.route("/players/<seat:seat>", methods=["DELETE"])
@writes(OWN_VIEW, errors=[*OWN_SEAT_ERRORS, "game_already_started", "game_aborted"])
def leave_game(game: str, seat: int) -> Response:
    """Leave the lobby.

    This frees the seat. The host may also remove other players. After the start, players resign instead.
    """
    return game_response(game_commands.leave_game(collaborators().games, command_from_request(), game, seat))


@blueprint.route("/players/<seat:seat>/resign", methods=["POST"])
@writes(
    OWN_VIEW,
    errors=[*OWN_SEAT_ERRORS, "game_not_started", "game_aborted", "game_finished", "seat_played_by_bot"],
)
def resign(game: str, seat: int) -> Response:
    """Resign.

    A bot plays the seat for the rest of the game, and the seat's token becomes invalid; in a private game it
    still shows what spectators see. The seat cannot win. A player key keeps the game in `GET /v1/me/games`.
    """
    return game_response(game_commands.resign(collaborators().games, command_from_request(), game, seat))


@blueprint.route("/players/<seat:seat>/return", methods=["POST"])
@writes(
    OWN_VIEW,
    errors=[*OWN_SEAT_ERRORS, "game_not_started", "game_aborted", "game_finished", "seat_not_taken_over"],
)
@takes(query=ViewQuery)
def return_to_seat(query: dict[str, Any], game: str, seat: int) -> Response:
    """Take a seat back.

    A bot has taken the seat over after a missed deadline. From now on its player plays it again, and can win.
    `actions` of the seat offers this while it is possible. After a resignation it is not.
    """
    changed = game_commands.return_to_seat(collaborators().games, command_from_request(), game, seat)
    return game_response(changed, with_actions="include" in query)


def new_invitation_view(changed: Attempt[Game]) -> CreatedInvitationView:
    """Return the new invitation code."""
    (code,) = changed.tokens.invites
    number = len(changed.game.invites)  # the latest
    return {"invitation": invitation_view(number, code), "game": changed_view(changed)}


def host_token_view(changed: Attempt[Game]) -> HostTokenView:
    """Return the new host token; a caller without a role gets the view of the host."""
    caller = Caller(host=True).in_game(changed.game) if changed.caller.is_anonymous else changed.caller
    game = changed_view(replace(changed, caller=caller))
    return {"host_token": changed.tokens.given[HOST_ROLE], "game": game}
