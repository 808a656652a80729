"""Profiles and ladders: the public names of players, their ratings and rated games."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from flask import Blueprint, Response

from skye_server.contract.fields import (
    Boolean,
    Name,
    Opaque,
    PatternString,
    QueryInteger,
    Requested,
    StringEnum,
    Url,
)
from skye_server.contract.objects import Object, Query
from skye_server.error_codes import Problem
from skye_server.games.views.game import optional_timestamp, timestamp
from skye_server.http.framework import collaborators
from skye_server.http.rate_limits import charge_profile, charge_records
from skye_server.http.request_parsing import command_from_request, player_of_request, takes
from skye_server.http.responses import (
    NDJSON,
    check_accepts,
    json_response,
    link_to_next,
    ndjson_response,
    no_content,
    uncached_json,
)
from skye_server.ladder import ladders
from skye_server.ladder.exports import lines_of, record_line
from skye_server.ladder.ladders import LADDERS, Ladder
from skye_server.ladder.profiles import NAME_PATTERN, RENAMED_MS, UNUSED_MS, Profile, Profiles
from skye_server.ladder.results import LadderResults
from skye_server.ladder.views import (
    MAX_DESCRIPTION,
    MAX_LISTED,
    MAX_RESULTS,
    LadderList,
    OwnProfileView,
    PlayerPageView,
    StandingList,
    ladder_view,
    profile_view,
    rating_view,
    result_view,
    standing_view,
)
from skye_server.openapi.components import IDEMPOTENCY_KEY
from skye_server.openapi.documented_errors import BODY_ERRORS, STORE_ERRORS
from skye_server.openapi.operations import Link, ResponseDoc, of_player, operation, text


class LadderId(StringEnum):
    """A ladder: its games have one set of options.

    There may be new ones.
    """

    extensible = True
    requested = Requested("ChosenLadder", "A ladder; see `LadderId`.")
    choices = ladders.LadderId


class ProfileToPut(Object):
    """The public name of a player, and what the player says beside it."""

    name = PatternString(
        NAME_PATTERN,
        "This is not from 3 to 20 of a-z, 0-9, _ and -.",
        "The name. Nobody else can have it; it can be changed once a week.",
        {"minLength": 3, "maxLength": 20, "pattern": f"^{NAME_PATTERN}$"},
        required=True,
    )
    bot = Boolean(
        "Whether the player is a program; `false` if left out. It stays `true` after the first rated game.",
        load_default=False,
    )
    description = Name("A description; none if left out.", most=MAX_DESCRIPTION, load_default="")
    link = Url("A page about the player; none if left out.", allow_none=True, load_default=None)


class StandingsQuery(Query):
    """Which players of a ladder to list."""

    limit = QueryInteger(1, MAX_LISTED, "The most players to return.", load_default=20)
    cursor = Opaque(
        "[0-9]{1,9}", "This is not the cursor of a page.", "The `next_cursor` of the previous page."
    )


class RatedRecordsQuery(Query):
    """Which records of a player to export."""

    ladder = LadderId("The ladder.", required=True)
    limit = QueryInteger(1, MAX_LISTED, "The most records to return.", load_default=20)
    cursor = Opaque(
        "[0-9]{1,15}", "This is not the cursor of a line.", "The `cursor` of the last line received."
    )


_NAME: Final = re.compile(NAME_PATTERN)

blueprint = Blueprint("Ladder", __name__, url_prefix="/v1")


@blueprint.route("/me/profile", methods=["PUT"])
@of_player(
    ResponseDoc(200, "The profile.", OwnProfileView),
    errors=[*BODY_ERRORS, "invalid_parameter", "profile_name_taken", "renamed_lately", "bot_is_final"],
    headers=[IDEMPOTENCY_KEY],
)
@takes(ProfileToPut, "The profile.")
def put_profile(body: dict[str, Any]) -> Response:
    """Create or change the profile of a player key.

    A profile gives the player a public name, with which rated games begin. A name that was used in no rated
    game ends after thirty days. An address claims three names a day. The key stays secret; replacing it keeps
    the profile.
    """
    return uncached_json(_own_view(_profiles().put(_player_of_command(), body, charge_profile)))


@blueprint.route("/me/profile")
@of_player(ResponseDoc(200, "The profile.", OwnProfileView), errors=["not_acceptable", "profile_not_found"])
def get_own_profile() -> Response:
    """Get the profile of a player key.

    With `name_changeable_at` and `expires_at`, which only the player sees.
    """
    profile = _profiles().of(player_of_request())
    if profile is None:
        raise Problem("profile_not_found")
    return json_response(_own_view(profile))


@blueprint.route("/me/profile", methods=["DELETE"])
@of_player(
    ResponseDoc(204, "The player has no profile."),
    errors=["invalid_parameter", "bad_request", "body_too_large"],
    headers=[IDEMPOTENCY_KEY],
)
def delete_profile() -> Response:
    """Delete the profile of a player key.

    Rated games stay, with the name that the player had when they began; the ladders show the rating without a
    name. Somebody else can claim the name. A new profile of the key has the old ratings. After a rated game
    it is a program if the old one was, and its name counts as a change of the name.
    """
    _profiles().delete(_player_of_command())
    return no_content()


@blueprint.route("/players/<name>")
@operation(
    ResponseDoc(
        200,
        "The player.",
        PlayerPageView,
        links=[Link("export_rated_records", "The records of the games.", {"name": "$request.path.name"})],
    ),
    errors=[*STORE_ERRORS, "not_acceptable", "not_found", "profile_not_found"],
)
def get_profile(name: str) -> Response:
    """Get a player by name.

    The profile, the rating on each ladder on which the player has finished a game, and the last rated games.
    """
    player, profile = _named(name)
    rated, found = [], []
    for ladder in LADDERS.values():
        results = _results(ladder)
        (rating,) = results.ratings([player])
        if rating.last:
            rated.append(rating_view(ladder.id, rating, results.rank(player)))
            numbers = results.numbers_of(player, None, MAX_RESULTS)
            for number, change in zip(numbers, results.changes(numbers), strict=True):
                result = results.result(number)
                if result is not None:
                    found.append((result.finished_ms, result_view(ladder.id, number, result, change)))
    found.sort(key=lambda each: each[0], reverse=True)
    view = {"ratings": rated, "results": [result for _, result in found[:MAX_RESULTS]]}
    return json_response(profile_view(profile) | view)


@blueprint.route("/players/<name>/records")
@operation(
    ResponseDoc(
        200,
        "The records, one on each line.",
        text("RecordLines"),
        content_type=NDJSON,
        headers=["Content-Encoding"],
    ),
    errors=[*STORE_ERRORS, "not_acceptable", "invalid_parameter", "not_found", "profile_not_found"],
)
@takes(query=RatedRecordsQuery)
def export_rated_records(query: dict[str, Any], name: str) -> Response:
    """Export the records of a player's rated games on a ladder.

    One JSON object on each line, as in `GET /v1/records`, the last to be counted first. The `cursor` of a
    line is the number of its result. A ladder has results for 400 days.
    """
    check_accepts(NDJSON)
    charge_records(query["limit"])
    player, _ = _named(name)
    results, before = _results(LADDERS[query["ladder"]]), query.get("cursor")
    numbers = results.numbers_of(player, None if before is None else int(before), query["limit"])

    def lines() -> Iterator[bytes]:
        for number in numbers:
            result = results.result(number)
            if result is not None:
                yield record_line(number, result)

    return ndjson_response(lines())


@blueprint.route("/ladders")
@operation(ResponseDoc(200, "The ladders.", LadderList), errors=[*STORE_ERRORS, "not_acceptable"])
def list_ladders() -> Response:
    """List the ladders.

    Each has one set of options; rated tickets with these wait on it.
    """
    return json_response({"ladders": [ladder_view(each, _results(each).size()) for each in LADDERS.values()]})


@blueprint.route("/ladders/<ladder>")
@operation(
    ResponseDoc(
        200,
        "A page of the ladder.",
        StandingList,
        links=[Link("export_ladder", "All results.", {"ladder": "$request.path.ladder"})],
        headers=["Link"],
    ),
    errors=[*STORE_ERRORS, "not_acceptable", "invalid_parameter", "not_found", "ladder_not_found"],
)
@takes(query=StandingsQuery)
def get_ladder(query: dict[str, Any], ladder: str) -> Response:
    """Get a page of a ladder: players by their rating, the highest first.

    Players with fewer than ten rated games are not listed: their ratings are provisional.
    """
    found, limit = _ladder(ladder), query["limit"]
    start = int(query.get("cursor", 0))
    size, standings = _results(found).page(start, limit + 1)
    cursor = str(start + limit) if len(standings) > limit else None
    view = {
        "ladder": ladder_view(found, size),
        "players": [standing_view(start + at, each) for at, each in enumerate(standings[:limit], 1)],
        "next_cursor": cursor,
    }
    following = [] if cursor is None else link_to_next(f"/v1/ladders/{ladder}", query | {"cursor": cursor})
    return json_response(view, more_headers=following)


@blueprint.route("/ladders/<ladder>/export")
@operation(
    ResponseDoc(
        200,
        "The export, one JSON object on each line.",
        text("LadderLines"),
        content_type=NDJSON,
        headers=["Content-Encoding"],
    ),
    errors=[*STORE_ERRORS, "not_acceptable", "not_found", "ladder_not_found"],
)
def export_ladder(ladder: str) -> Response:
    """Export a ladder, so that anyone can recompute it.

    The numbered results of 400 days with the records of the games, the ratings from which they start and
    those to which they lead. `skye-ladder verify FILE` replays every game and computes every rating again.
    """
    check_accepts(NDJSON)
    found = _ladder(ladder)
    charge_records(MAX_LISTED)
    return ndjson_response(lines_of(found.id, _results(found)))


def _player_of_command() -> str:
    return collaborators().games.identities.require_player(command_from_request().token)


def _profiles() -> Profiles:
    games = collaborators().games
    return Profiles(games.store.calls, games.now_ms)


def _results(ladder: Ladder) -> LadderResults:
    return LadderResults(collaborators().games.store.calls, ladder.id)


def _ladder(name: str) -> Ladder:
    """Return a ladder.

    :raises Problem: ladder_not_found.
    """
    if name not in LADDERS:
        raise Problem("ladder_not_found")
    return LADDERS[name]


def _named(name: str) -> tuple[str, Profile]:
    """Return the player and the profile of a name.

    :raises Problem: profile_not_found.
    """
    found = _profiles().named(name) if _NAME.fullmatch(name) else None
    if found is None:
        raise Problem("profile_not_found")
    return found


def _own_view(profile: Profile) -> OwnProfileView:
    expires_ms = None if profile.is_used else profile.named_ms + UNUSED_MS
    return {
        **profile_view(profile),
        "name_changeable_at": timestamp(profile.named_ms + RENAMED_MS),
        "expires_at": optional_timestamp(expires_ms),
    }
