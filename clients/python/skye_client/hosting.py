"""Play all games of a player key: one event stream, and one task for each game that waits."""

from __future__ import annotations

import contextlib
import logging
import sys
from collections.abc import Awaitable, Callable, Collection, Mapping
from functools import partial
from http import HTTPStatus
from typing import Any, Final, TypeAlias, TypedDict, Unpack

import anyio
from anyio.abc import TaskGroup

from skye_client import models as m
from skye_client._async.client import AsyncSkye
from skye_client._async.player import AsyncPlayer
from skye_client._async.resources import AsyncGame
from skye_client._sync.client import Skye
from skye_client.bot_errors import own_frames
from skye_client.errors import (
    ApiError,
    ConnectionFailedError,
    HistoryLostError,
    SkyeError,
    UnexpectedResponseError,
)
from skye_client.following import is_final
from skye_client.rated import chosen_ladder, claim, play_rated
from skye_client.retry import backoff
from skye_client.turns import AsyncTurn, Decide, Turn, completed

URL: Final = "http://127.0.0.1:8000"
CONCURRENCY: Final = 8
RULESETS: Final = ("base",)
_ACTIVE: Final = ("lobby", "playing")
_GONE: Final = (401, 403, 404, 410)
_DAMAGED: Final = "data_corrupt"
_FAILED: Final = (ApiError, ConnectionFailedError, UnexpectedResponseError)
_OUTAGE_S: Final = 5.0
_LOG: Final = logging.getLogger("skye_client")


class HostOptions(TypedDict, total=False):
    """Options of `host`.

    :param url: the address of the server, by default `http://127.0.0.1:8000`.
    :param until_over: return when all games of `rulesets` are over.
    :param progress: whether to show the number of games and decisions; by default on a terminal.
    :param rulesets: the rulesets whose games to play, with their corrections such as `base+0a1b2c3d`; by
        default `base`.
    :param ladder: the ladder on which to wait for rated games, one after the other, such as `live_2`.
    :param name: the name of the profile, which is claimed if the player has none.
    :param report: is called with a line for each rated result; by default it is printed.
    """

    url: str
    until_over: bool
    progress: bool | None
    rulesets: Collection[str]
    ladder: str | None
    name: str | None
    report: Callable[[str], None]


AsyncDecide: TypeAlias = Callable[[AsyncTurn], Awaitable[Mapping[str, Any]]]
"""Returns what `Decide` returns."""


def host(
    key: str,
    decide: Decide,
    *,
    concurrency: int = CONCURRENCY,
    **options: Unpack[HostOptions],
) -> None:
    """Play all games of a player key, those of the future too, until Ctrl-C.

    One event stream reports the games that wait. Each of them has one task, which acts as long as the game
    waits for the seat. When the server has responded once, the host resumes after lost connections, outages
    and restarts of the server. It leaves out games of other rulesets than `rulesets`, and, with a warning in
    the log `skye_client`, games that the server refuses to send. On Ctrl-C it completes the requests that are
    under way.

    :param decide: chooses an action of a `Turn`; it runs in threads, for several games at the same time.
    :param concurrency: the number of games in which to act at the same time.
    :raises SkyeError: when the server does not know one of `rulesets`, or `decide` returns no action.
    :raises ApiError: when the server refuses the action, or a request of `decide`, though the game is as
        `decide` saw it.
    :raises Exception: what `decide` raises ends the host, except errors of outages; the traceback has its
        lines only.
    """
    with Skye(options.get("url", URL)) as client, contextlib.suppress(KeyboardInterrupt):

        async def in_thread(turn: AsyncTurn) -> Mapping[str, Any]:
            seat = client.game(turn.api_seat.game.id, key).seat(turn.seat)
            left_ms = turn.time_left_ms
            return await anyio.to_thread.run_sync(
                lambda: decide(Turn(turn.view, turn.actions, seat, time_left_ms=left_ms))
            )

        async def run() -> None:
            await async_host(key, in_thread, concurrency=concurrency, **options)

        try:
            anyio.run(run)
            return
        except Exception as error:  # noqa: BLE001 - raised again below
            failure = error
        raise _of_bot(failure)


def _of_bot(error: Exception) -> Exception:
    """Return an error; the traceback of one that `decide` raised begins at the lines of the bot."""
    return error.with_traceback(own_frames(error) or error.__traceback__)


async def async_host(
    key: str,
    decide: AsyncDecide,
    *,
    concurrency: int = CONCURRENCY,
    **options: Unpack[HostOptions],
) -> None:
    """Do what `host` does, until it is cancelled; `decide` is an async function."""
    progress = options.get("progress")
    shown = sys.stderr.isatty() if progress is None else progress
    async with AsyncSkye(options.get("url", URL)) as client:
        rulesets = options.get("rulesets", RULESETS)
        player, ladder = client.player(key), options.get("ladder")
        hosting = _Host(player, decide, concurrency, rulesets, progress=shown)
        await _check_rulesets(client, rulesets)
        rating = None
        if ladder is not None:
            chosen = chosen_ladder(await client.ladders.list(), ladder)
            name = await claim(player, options.get("name"))
            rating = partial(play_rated, client, player, name, chosen, options.get("report", print))
        try:
            async with anyio.create_task_group() as tasks:
                if rating is not None:
                    tasks.start_soon(rating)
                await hosting.run(until_over=options.get("until_over", False))
                tasks.cancel_scope.cancel()
            return
        except ExceptionGroup as failed:
            failure: Exception = failed
            while isinstance(failure, ExceptionGroup):
                failure = failure.exceptions[0]
        raise _of_bot(failure)  # outside of the handler: the group is no part of its context


async def _check_rulesets(client: AsyncSkye, rulesets: Collection[str]) -> None:
    """Check that the server knows the rulesets to play; every server knows `base`.

    :raises SkyeError: when it does not know one.
    """
    for ruleset in rulesets:
        if ruleset in RULESETS:
            continue
        try:
            await client.catalogue.scoring_tiles(ruleset)
        except ApiError as error:
            if error.status != HTTPStatus.UNPROCESSABLE_ENTITY:
                raise
            raise SkyeError(f"unknown ruleset {ruleset!r}") from error


def _is_taken_over(own: m.OwnGame) -> bool:
    """Return whether the server may play the seat of a player, who can take it back."""
    seat, game = own["seat"], own["game"]
    return (
        seat is not None and game["status"] == "playing" and game["players"][seat]["bot"] not in (None, "url")
    )


class _Host:
    """The games of a player, and the tasks that act in them."""

    def __init__(
        self,
        player: AsyncPlayer,
        decide: AsyncDecide,
        concurrency: int,
        rulesets: Collection[str],
        *,
        progress: bool,
    ) -> None:
        self._player = player
        self._rulesets = rulesets
        self._decide = decide
        self._limiter = anyio.CapacityLimiter(concurrency)
        self._progress = progress
        self._tasks: dict[str, bool] = {}
        """The games with a task, and whether an event has arrived that the task may not have seen."""
        self._left_out: set[str] = set()
        """The games that the server refuses to send, until it reports them again."""
        self._following = anyio.CancelScope()
        self._decisions = self._finished = 0

    async def run(self, *, until_over: bool) -> None:
        """Follow the games, again after each outage, until all are over."""
        async with anyio.create_task_group() as tasks:
            await self._player.games.list(limit=1)  # fails where no API is
            over = False
            while not over:
                try:
                    over = await self._followed(tasks, until_over=until_over)
                except HistoryLostError:
                    pass
                except _FAILED as error:
                    if is_final(error):
                        raise
                    await anyio.sleep(backoff(1, _OUTAGE_S, _OUTAGE_S))
            tasks.cancel_scope.cancel()

    async def _followed(self, tasks: TaskGroup, *, until_over: bool) -> bool:
        """Act in all games that wait, now and after each event; return whether all are over."""
        # The stream has all events after this one; the lists of games include all events before it.
        after = (await self._player.games.list(limit=1))["last_event"]
        if until_over and await self._all_over():
            return True
        async for own in self._player.games.all():
            if own["waiting"] or _is_taken_over(own):
                self._wake(tasks, own["game"]["id"])
        with anyio.CancelScope() as self._following:
            return await self._followed_after(after, tasks, until_over=until_over)
        return False

    async def _followed_after(self, after: str, tasks: TaskGroup, *, until_over: bool) -> bool:
        """Act in games after each event; return whether all are over."""
        async with self._player.events(after) as events:
            async for event in events:
                if event["type"] == "your_turn":
                    self._wake(tasks, event["game_id"])
                elif event["type"] in ("game_over", "seat_left"):
                    self._finished += event["type"] == "game_over"
                    self._report()
                    if until_over and await self._all_over():
                        return True
        return False

    async def _all_over(self) -> bool:
        """Return whether all games to play are over, also those listed before one that just ended."""
        async with self._player.games.all() as games:
            async for own in games:
                game = own["game"]
                is_played = self._plays(game["ruleset"]) and game["id"] not in self._left_out
                if is_played and game["status"] in _ACTIVE:
                    return False
        return True

    def _wake(self, tasks: TaskGroup, game_id: str) -> None:
        """Start the task of a game, or let it look again."""
        is_running = game_id in self._tasks
        self._tasks[game_id] = is_running
        if not is_running:
            tasks.start_soon(self._task, game_id)

    async def _task(self, game_id: str) -> None:
        """Act in a game until it waits for somebody else."""
        while game_id in self._tasks:
            self._tasks[game_id] = False
            async with self._limiter:
                await self._act_while_waiting(game_id)
            if not self._tasks[game_id]:
                del self._tasks[game_id]

    async def _act_while_waiting(self, game_id: str) -> None:
        game, failures = self._player.game(game_id), 0
        turn, refused = None, None
        while True:
            try:
                if turn is None:
                    view = await self._current(game)
                else:
                    view = await self._act(turn)
                    failures = 0
            except _FAILED as error:
                if turn is None and isinstance(error, ApiError):
                    if error.status in _GONE:
                        return
                    if is_final(error) or error.code == _DAMAGED:
                        self._leave_out(game_id, error)
                        return
                if turn is not None and is_final(error):
                    refused = turn.view["version"], error
                turn = None  # a deadline has passed, or the server does not respond: look again
                failures += 1
                await anyio.sleep(backoff(failures, 0.1, 15.0))
                continue
            self._left_out.discard(game_id)
            if refused is not None and refused[0] == view["version"]:
                raise refused[1]  # no deadline has passed: the action, or a request of `decide`, is wrong
            seat = view["you"]["seat"]
            if seat is None or seat not in view["waiting_for"] or not self._plays(view["ruleset"]):
                return
            turn = AsyncTurn(view, view.get("actions", []), game.seat(seat))

    async def _current(self, game: AsyncGame) -> m.Game:
        """Return the view of a game with its actions, after taking back a seat that was taken over."""
        view = await game.get(include=["actions"])
        seat = view["you"]["seat"]
        is_away = any(action["type"] == "return" for action in view.get("actions", []))
        if seat is None or not is_away or not self._plays(view["ruleset"]):
            return view
        with contextlib.suppress(ApiError):  # the game may just have ended
            await game.seat(seat).return_to_seat()
        return await game.get(include=["actions"])

    def _leave_out(self, game_id: str, error: ApiError) -> None:
        """Leave out a game that no retry can read, and look whether all others are over."""
        if game_id not in self._left_out:
            _LOG.warning("The game %s is left out: the server refuses to send it: %s", game_id, error)
            self._left_out.add(game_id)
            self._following.cancel()

    def _plays(self, ruleset: str) -> bool:
        """Return whether to play games of a ruleset: one of those to play, or its correction."""
        return ruleset in self._rulesets or ruleset.partition("+")[0] in self._rulesets

    async def _act(self, turn: AsyncTurn) -> m.Game:
        """Decide and act; return the view after the action."""
        action = completed(await self._decide(turn), turn.actions)
        with anyio.CancelScope(shield=True):
            view = await turn.api_seat.act(action, include=["actions"])
        self._decisions += 1
        self._report()
        return view

    def _report(self) -> None:
        if self._progress:
            waiting, over = len(self._tasks), self._finished
            sys.stderr.write(f"\r{waiting} waiting, {self._decisions} decisions, {over} games over\033[K  ")
            sys.stderr.flush()
