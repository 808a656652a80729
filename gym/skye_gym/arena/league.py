"""A league: its games, the worker processes that play them, and the file from which it resumes."""

from __future__ import annotations

import atexit
import json
import os
import signal
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from contextlib import closing, nullcontext
from itertools import combinations
from multiprocessing import get_context, parent_process
from pathlib import Path
from threading import Thread
from typing import Any, Final, NamedTuple, TypeAlias

from skye.tiles.tile_set import DEFAULT_RULESET
from skye_gym.arena.bot_process import Budget
from skye_gym.arena.entrant_check import check_entrants
from skye_gym.arena.entrants import Decider, Entrant, decider_for
from skye_gym.arena.json_lines import json_line, opened_alone, read_json_lines
from skye_gym.arena.match import play_match
from skye_gym.arena.server_game import ServerGame, server_of

Result: TypeAlias = dict[str, Any]

RESULTS_FORMAT: Final = 1
"""The format of the file of results."""

ARGUMENTS: Final = {
    "entrants": "the bots",
    "bots": "the bots",
    "players": "--players",
    "seed": "--seed",
    "decision_s": "--budget",
    "startup_s": "--startup",
    "ruleset": "--ruleset",
}
"""By field of the header of a league, the argument of `skye-arena` that sets it."""

_FIELDS: Final = ("game", "bots", "winners", "scores", "failures", "decisions_ms", "starts_ms", "record")
_RECORD_FIELDS: Final = ("game", "bots", "winners", "scores", "failures", "record")


class League(NamedTuple):
    """A league; equal leagues play equal games.

    :param entrants: the bots.
    :param players: the number of seats of each game.
    :param games: the number of games.
    :param seed: the seed from which the seeds of the games are derived.
    :param budget: the time limit of a decision.
    :param ruleset_id: the ruleset.
    """

    entrants: tuple[Entrant, ...]
    players: int
    games: int
    seed: str
    budget: Budget = Budget()
    ruleset_id: str = DEFAULT_RULESET

    def line_up(self, game: int) -> tuple[tuple[Entrant, ...], str]:
        """Return the entrants by seat and the seed of a game, counted from 0.

        Games come in groups that share a seed: each combination of entrants plays once in every rotation of
        the seats. With fewer entrants than seats, the last entrant takes the remaining seats. An entrant that
        is listed twice takes two seats.
        """
        entrants = self.entrants + self.entrants[-1:] * (self.players - len(self.entrants))
        sets = list(combinations(entrants, self.players))
        group, within = divmod(game, len(sets) * self.players)
        number, turn = divmod(within, self.players)
        seats = sets[number]
        return seats[turn:] + seats[:turn], f"{self.seed}/{group}"

    def header(self) -> Result:
        """Return the first line of the league's file."""
        bots = {bot.name: bot.builtin or bot.url or list(bot.command) for bot in self.entrants}
        seats = [bot.name for bot in self.entrants]
        fields = {"bots": bots, "entrants": seats, "players": self.players, "seed": self.seed}
        fields |= self.budget._asdict()
        return {"format": RESULTS_FORMAT, "ruleset": self.ruleset_id, **fields}


def play_league(
    league: League,
    path: Path,
    workers: int,
    progress: Callable[[int, int], None],
    arguments: Mapping[str, str] = ARGUMENTS,
) -> list[Result]:
    """Play the games that are missing in the file and append them.

    Before the first game, each entrant makes a decision of a sample game (see `check_entrants`).

    :param path: the file of results, which may be missing or incomplete.
    :param workers: the number of worker processes.
    :param progress: called after each game with the numbers of games played now and left.
    :param arguments: by field of the header, the argument of the command line that sets it, for messages.
    :returns: the results of all games, without their records, which the file has.
    :raises ValueError: when the file belongs to another league, is in use or damaged, or a bot cannot play.
    """
    with opened_alone(path) as file:
        results = _read(path, league, arguments)
        missing = [game for game in range(league.games) if game not in results]
        if missing:
            check_entrants(league.entrants, league.players, league.budget, league.ruleset_id)
        if not path.stat().st_size:
            file.write(json_line(league.header()))
        for played, result in enumerate(_played(league, missing, workers), 1):
            file.write(json_line(result))
            file.flush()
            results[result["game"]] = _without_record(result)
            progress(played, len(missing) - played)
    return [results[game] for game in sorted(results)]


def check_records(path: Path, records: Path) -> None:
    """Check, before a league is played, that `write_records` can write its records.

    :param path: the file of results, which may be missing.
    :param records: the file to write.
    :raises ValueError: when the records would replace a league, or the results are in no file.
    :raises OSError: when the file cannot be written.
    """
    if path.exists() and not path.is_file():
        raise ValueError(f"--records needs the results, which {path} does not keep: name a file with --out")
    if records.resolve() == path.resolve() or seed_in(records) is not None:
        raise ValueError(f"{records} is the file of a league: name another file with --records")
    if not records.is_fifo():  # its reader would see an end
        with opened_alone(records, "--records"):
            pass


def write_records(path: Path, records: Path) -> None:
    """Write the record of each game as a line of NDJSON, with its bots, winners, scores and failures.

    :param path: the file of results.
    :param records: the file to write.
    """
    with path.open(encoding="utf-8") as results, records.open("w", encoding="utf-8") as file:
        next(results)  # the header
        for line in results:
            result = json.loads(line)
            fields = {name: result[name] for name in _RECORD_FIELDS}
            file.write(json_line(fields))


def seed_in(path: Path) -> str | None:
    """Return the seed of the league in a file, or None when there is no league."""
    if not path.is_file():
        return None
    with path.open("rb") as file:
        line = file.readline()
    try:
        return str(json.loads(line)["seed"])
    except (ValueError, KeyError, TypeError):
        return None


def _played(league: League, games: Sequence[int], workers: int) -> Iterator[Result]:
    """Play games in worker processes; queue only a few, so that an interruption takes effect soon."""
    waiting: set[Future[Result]] = set()
    left = iter(games)
    with ProcessPoolExecutor(workers, get_context("spawn"), _prepare_worker, (league,)) as pool:
        try:
            for game in left:
                waiting.add(pool.submit(_play, game))
                if len(waiting) >= 2 * workers:
                    done, waiting = wait(waiting, return_when=FIRST_COMPLETED)
                    yield from (future.result() for future in done)
            yield from (future.result() for future in wait(waiting).done)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


_worker: dict[str, Any] = {}
"""The league of this worker process, and its deciders by entrant."""


def _prepare_worker(league: League) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _worker["league"], _worker["deciders"] = league, {}
    atexit.register(_close)
    Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    """Wait until the process of the league has ended, then end this worker and its bots."""
    parent = parent_process()
    assert parent is not None, "workers are child processes"
    parent.join()
    _close()
    os._exit(1)


def _close() -> None:
    for decider in _worker["deciders"].values():
        if decider is not None:
            decider.close()


def _play(game: int) -> Result:
    league: League = _worker["league"]
    deciders: dict[Entrant, Decider | None] = _worker["deciders"]
    entrants, seed = league.line_up(game)
    for entrant in entrants:
        if entrant not in deciders:
            deciders[entrant] = decider_for(entrant, league.budget)
    names = [entrant.name for entrant in entrants]
    of_seats = [deciders[entrant] for entrant in entrants]
    server = _server_game(league, entrants, seed)
    with nullcontext() if server is None else closing(server):
        return {"game": game, **play_match(names, of_seats, seed, server, league.ruleset_id)}


def _server_game(league: League, entrants: Sequence[Entrant], seed: str) -> ServerGame | None:
    """Return a game on the server of the entrants, or None if none is a bot of a server."""
    of_seats = [
        server_of(entrant.url) if entrant.url and entrant.is_of_server else None for entrant in entrants
    ]
    servers = [server for server in of_seats if server is not None]
    if not servers:
        return None
    bots = [None if server is None else server[1] for server in of_seats]
    names = [entrant.name for entrant in entrants]
    return ServerGame(servers[0][0], names, bots, seed, league.budget, ruleset_id=league.ruleset_id)


def _read(path: Path, league: League, arguments: Mapping[str, str]) -> dict[int, Result]:
    """Truncate an incomplete last line of a file; return the results by game, without their records.

    :raises ValueError: when the file belongs to another league.
    """
    lines = read_json_lines(path, league.header(), "league", _FIELDS, "--out", arguments=arguments)
    results = map(_without_record, lines)
    return {result["game"]: result for result in results if result["game"] < league.games}


def _without_record(result: Result) -> Result:
    return {name: value for name, value in result.items() if name != "record"}
