"""What the ladder adds to a server."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Final

from skye_server.features import ErrorCode, Feature, Handler, Pairing

if TYPE_CHECKING:
    from flask import Blueprint

    from skye_server.commands.current_games import Games
    from skye_server.games.due import Due
    from skye_server.relay.consumers import Subject
    from skye_server.settings import Settings
    from skye_server.store.redis_store import RedisStore


def _blueprints() -> Mapping[Blueprint, str]:
    from skye_server.ladder import routes  # noqa: PLC0415 - it depends on what this module adds

    return {routes.blueprint: "Public names of players, rated games between them, and their ratings."}


def _handlers(games: Games) -> Mapping[str, Handler]:
    from skye_server.ladder.profiles import Profiles  # noqa: PLC0415

    return {"profile": Handler(Profiles(games.store.calls, games.now_ms).attend, 4)}


def _fields() -> Mapping[str, Mapping[str, Any]]:
    from skye.fields import Keywords  # noqa: PLC0415
    from skye_server.contract.fields import Boolean  # noqa: PLC0415

    rated = Boolean(
        "Whether the result counts on a ladder, which needs a profile and the options of a ladder; `false` "
        "if left out.",
        load_default=False,
    )
    shown = Annotated[bool, "Whether the result of the game counts on a ladder."]
    path = Annotated[str, Keywords(maxLength=60), "The ladders."]
    return {
        "TicketToCreate": {"rated": rated},
        "Ticket": {"rated": shown},
        "ServiceIndex": {"ladders": path},
    }


def _lines() -> Mapping[str, tuple[str, Sequence[type]]]:
    from skye_server.ladder.exports import LINES  # noqa: PLC0415

    return {"LadderLine": ("A line of the export of a ladder; a later `format` may have others.", LINES)}


def _pairing(games: Games, criteria: Mapping[str, Any]) -> Pairing | None:
    from skye_server.ladder.rated_games import pairing_of  # noqa: PLC0415

    return pairing_of(games, criteria)


def _consumer(store: RedisStore, _settings: Settings, now_ms: Callable[[], int]) -> Callable[[Subject], bool]:
    from skye_server.ladder.rated_games import relay_result  # noqa: PLC0415

    return partial(relay_result, store, now_ms)


def _rebuild(_store: RedisStore, owner: str, kind: str, now_ms: int) -> Iterator[Due]:
    """Yield the due entry of a claimed name."""
    from skye_server.ladder.profiles import name_entry  # noqa: PLC0415

    if kind == "claim":
        yield name_entry(owner.removeprefix("name."), now_ms)


def _set_name_blocked(store: RedisStore, name: str, is_blocked: bool) -> None:
    from skye_server.ladder.profiles import NAME_PATTERN, Profiles  # noqa: PLC0415

    if not re.fullmatch(NAME_PATTERN, name):
        raise ValueError("No profile can have this name.")
    profiles = Profiles(store.calls, lambda: 0)
    (profiles.block if is_blocked else profiles.unblock)(name)


def _player_deleted(store: RedisStore, player: str) -> None:
    from skye_server.ladder.profiles import Profiles  # noqa: PLC0415

    Profiles(store.calls, lambda: 0).delete(player)


FEATURE: Final = Feature(
    name="ladder",
    errors={
        "profile_required": ErrorCode(409, "Rated games need a profile: `PUT /v1/me/profile`."),
        "profile_not_found": ErrorCode(404, "There is no such profile."),
        "profile_name_taken": ErrorCode(409, "Another player has this name, or nobody can have it."),
        "renamed_lately": ErrorCode(409, "A name stays for a week."),
        "bot_is_final": ErrorCode(409, "A profile that has played a rated game as a bot stays one."),
        "ladder_not_found": ErrorCode(404, "There is no such ladder."),
    },
    index={"ladders": "/v1/ladders"},
    pages={"ladder": "skye_server.ladder", "enter-your-bot": "skye_server.ladder"},
    enumerations=("skye_server.ladder.routes",),
    parameters={
        "name": ("The name of a profile.", {"type": "string", "minLength": 1, "maxLength": 20}),
        "ladder": ("The id of a ladder.", {"type": "string", "minLength": 1, "maxLength": 20}),
    },
    schemas={
        "LadderLines": {
            "type": "string",
            "description": "The export of a ladder as NDJSON: a JSON object on each line.",
            "contentMediaType": "application/x-ndjson",
            "contentSchema": {"$ref": "#/components/schemas/LadderLine"},
        },
    },
    lines=_lines,
    blueprints=_blueprints,
    fields=_fields,
    pairing=_pairing,
    pairing_errors=("profile_required",),
    consumers={"ladder": _consumer},
    player_deleted=_player_deleted,
    due_kinds=("profile",),
    handlers=_handlers,
    rebuild=_rebuild,
    set_name_blocked=_set_name_blocked,
)
