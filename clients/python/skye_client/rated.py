"""Play rated games for as long as a program runs: claim a name, wait on a ladder, report each result."""

from __future__ import annotations

import contextlib
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from typing import Final, TypeVar

import anyio

from skye_client import models as m
from skye_client._async.client import AsyncSkye
from skye_client._async.player import AsyncPlayer
from skye_client.errors import ApiError, ConnectionFailedError, SkyeError, UnexpectedResponseError
from skye_client.following import is_final
from skye_client.retry import backoff

_TTL_MS: Final = 3_600_000
_LOOK_S: Final = 2.0
_RESULT_S: Final = 5.0
"""How often a ticket that waits, and a game that goes on, are looked at."""

_OUTAGE_S: Final = 5.0
_CANCEL_S: Final = 2.0
"""For how long a program that ends tries to cancel its ticket."""

_T = TypeVar("_T")


def chosen_ladder(ladders: Sequence[m.Ladder], ladder: str | None) -> m.Ladder:
    """Return one of the ladders of a server, by its id; the first one without an id.

    :raises SkyeError: when the server has no such ladder.
    """
    found = next((each for each in ladders if ladder in (None, each["id"])), None)
    if found is None:
        offered = ", ".join(each["id"] for each in ladders)
        raise SkyeError(f"the server has no ladder {ladder!r}, but {offered or 'none'}")
    return found


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
    client: AsyncSkye, player: AsyncPlayer, name: str, ladder: m.Ladder, report: Callable[[str], None]
) -> None:
    """Wait on a ladder, and report the result of each game, until it is cancelled.

    Something else has to decide, such as `async_host`.

    :param report: is called with a line for each result.
    """
    ticket: m.TicketToCreate = {
        "name": name,
        "seat_count": ladder["seat_count"],
        "rated": True,
        "ttl_ms": _TTL_MS,
        "options": {"turn_ms": ladder["turn_ms"]},
    }
    while True:
        game_id = await _through_outages(lambda: _matched(player, ticket))
        if game_id is not None:
            report(await _through_outages(partial(_result_of, client, player, name, ladder["id"], game_id)))


async def _through_outages(request: Callable[[], Awaitable[_T]]) -> _T:
    """Return what a request returns, which is sent again after a failure that a retry can mend."""
    while True:
        try:
            return await request()
        except (ApiError, ConnectionFailedError, UnexpectedResponseError) as error:
            if is_final(error):
                raise
        await anyio.sleep(backoff(1, _OUTAGE_S, _OUTAGE_S))


async def _matched(player: AsyncPlayer, ticket: m.TicketToCreate) -> str | None:
    """Wait with a ticket for opponents; return the id of the game, None if the ticket has ended.

    A program that ends cancels its ticket: no game begins that it would not play.
    """
    found = await player.create_ticket(ticket)
    try:
        while found["status"] == "waiting":
            await anyio.sleep(_LOOK_S)
            found = await player.ticket(found["id"])
    except anyio.get_cancelled_exc_class():
        with anyio.move_on_after(_CANCEL_S, shield=True), contextlib.suppress(SkyeError):
            await player.cancel_ticket(found["id"])
        raise
    return found["game_id"]


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
