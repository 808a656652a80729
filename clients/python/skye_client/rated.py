"""Play rated games for as long as a program runs: claim a name, wait on a ladder, report each result."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Final

import anyio

from skye_client import models as m
from skye_client._async.client import AsyncSkye
from skye_client._async.player import AsyncPlayer
from skye_client.errors import ApiError, SkyeError

LADDERS: Final[dict[str, tuple[int, int]]] = {
    "live_2": (2, 120_000),
    "live_4": (4, 120_000),
    "slow_2": (2, 86_400_000),
    "slow_4": (4, 86_400_000),
}
"""The number of seats of the games of each ladder, and the milliseconds for each decision."""

_TTL_MS: Final = 3_600_000
_LOOK_S: Final = 2.0
_RESULT_S: Final = 5.0
"""How often a ticket that waits, and a game that goes on, are looked at."""


async def claim(player: AsyncPlayer, name: str | None) -> str:
    """Return the name of a player's profile; claim one if there is none.

    :raises SkyeError: when there is no profile, and no name to claim.
    """
    try:
        found = await player.profile()
    except ApiError as error:
        if error.code != "profile_not_found":
            raise
        if name is None:
            raise SkyeError("this key has no profile yet: --name claims one") from error
        return (await player.put_profile({"name": name, "bot": True}))["name"]
    if name is not None and found["name"] != name:
        raise SkyeError(f"this key has the name {found['name']}, not {name}")
    return found["name"]


async def play_rated(
    client: AsyncSkye, player: AsyncPlayer, name: str, ladder: str, report: Callable[[str], None]
) -> None:
    """Wait on a ladder, and report the result of each game, until it is cancelled.

    Something else has to decide, such as `async_host`.

    :param report: is called with a line for each result.
    """
    seats, turn_ms = LADDERS[ladder]
    ticket: m.TicketToCreate = {
        "name": name,
        "seat_count": seats,
        "rated": True,
        "ttl_ms": _TTL_MS,
        "options": {"turn_ms": turn_ms},
    }
    while True:
        found = await player.create_ticket(ticket)
        while found["status"] == "waiting":
            await anyio.sleep(_LOOK_S)
            found = await player.ticket(found["id"])
        if found["game_id"] is not None:
            report(await _result_of(client, player, name, ladder, found["game_id"]))


async def _result_of(client: AsyncSkye, player: AsyncPlayer, name: str, ladder: str, game_id: str) -> str:
    """Wait for the end of a game; return the line of its result."""
    game = player.game(game_id)
    while (view := await game.get())["status"] == "playing":
        await anyio.sleep(_RESULT_S)
    seat, rated = view["you"]["seat"], view["rated"]
    if view["result"] is None or rated is None or seat is None:
        return f"{game_id}: {view['status']}"
    place = next(each["place"] for each in view["result"]["placing"] if each["seat"] == seat)
    line = f"{game_id}: place {place} of {len(view['players'])}"
    rating: m.Rating | None = None
    with contextlib.suppress(ApiError):
        ratings = (await client.ladders.player(name))["ratings"]
        rating = next((each for each in ratings if each["ladder"] == ladder), None)
    if rating is None:
        return line
    gained = rating["rating"] - rated["players"][seat]["rating"]
    return f"{line}, rating {rating['rating']} ({gained:+})"
