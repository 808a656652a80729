"""The result of a benchmark: its JSON, its page, and the check of both."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from typing import Any, Final

from skye_gym.arena.command import table
from skye_gym.arena.entrants import Entrant
from skye_gym.arena.league import League
from skye_gym.arena.ratings import Interval, Standing, standings
from skye_gym.encoding_versions import ACTIONS_VERSION, OBSERVATIONS_VERSION

BENCH: Final = "skye-bench v1"
"""The name of the benchmark and its version: results of one version can be compared."""

RESULT_FORMAT: Final = 1

_FIELDS: Final = ("game", "bots", "seed", "winners", "scores", "failures")
_UNIT: Final = "game"
_DIGITS: Final = 6
_INTERVALS: Final = ("wins", "rating")
_TIMES: Final = ("p99_ms", "start_ms")
"""The columns of standings that the games of a result do not have."""


def commitment_of(seed: str) -> str:
    """Return what is published of a seed before the games.

    >>> commitment_of("a quiet evening")[:15]
    'sha256:dc4c5e4f'
    """
    return f"sha256:{hashlib.sha256(seed.encode()).hexdigest()}"


def table_of(league: League, results: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the table of one number of seats, with its games."""
    rows = standings([dict(result) for result in results], _UNIT)
    games = [{name: result[name] for name in _FIELDS} for result in results]
    return {
        "players": league.players,
        "bots": [entrant.name for entrant in league.entrants],
        "standings": [_row(row) for row in rows],
        "games": games,
    }


def result_of(  # noqa: PLR0913 - the facts of a benchmark
    *,
    seed: str,
    command: str,
    bots: Mapping[str, str],
    ruleset_id: str,
    budget_ms: float,
    startup_ms: float,
    tables: Sequence[Mapping[str, Any]],
) -> dict[str, Any]:
    """Return the result of a benchmark as JSON.

    :param seed: the seed of the benchmark, which the result reveals.
    :param command: the command that plays the same games.
    :param bots: the arguments that name the bots, by their names.
    :param tables: of `table_of`, one for each number of seats.
    """
    return {
        "format": RESULT_FORMAT,
        "benchmark": BENCH,
        "skye_gym": version("skye-gym"),
        "versions": {"actions": ACTIONS_VERSION, "observations": OBSERVATIONS_VERSION},
        "commitment": commitment_of(seed),
        "seed": seed,
        "command": command,
        "ruleset": ruleset_id,
        "budget_ms": budget_ms,
        "startup_ms": startup_ms,
        "bootstrap": _UNIT,
        "bots": dict(bots),
        "tables": list(tables),
    }


def page_of(result: Mapping[str, Any]) -> str:
    """Return the page of a result in Markdown."""
    versions = result["versions"]
    head = (
        f"# {result['benchmark']}\n\n"
        f"The seed `{result['seed']}` has the commitment `{result['commitment']}`. "
        f"skye-gym {result['skye_gym']}, ruleset `{result['ruleset']}`, {result['budget_ms']:g} ms of CPU "
        f"for a decision; version {versions['actions']} of the actions, {versions['observations']} of the "
        f"observations.\n\n```sh\n{result['command']}\n```\n"
    )
    parts = [head]
    for each in result["tables"]:
        rows = [_standing(row) for row in each["standings"]]
        parts.append(f"{each['players']} seats, {len(each['games'])} games:\n\n{table(rows)}\n")
    return "\n".join(parts)


def check_result(result: Mapping[str, Any]) -> None:
    """Check the commitment of a result, and that its tables follow from its seed and its games.

    :raises ValueError: with what does not fit.
    """
    if commitment_of(result["seed"]) != result["commitment"]:
        raise ValueError("the seed has another commitment")
    for each in result["tables"]:
        players, games = each["players"], each["games"]
        entrants = tuple(Entrant(name, None, ()) for name in each["bots"])
        league = league_of(entrants, players, len(games), result["seed"])
        for number, game in enumerate(games):
            seats, seed = league.line_up(number)
            planned = (number, [bot.name for bot in seats], seed)
            if (game["game"], game["bots"], game["seed"]) != planned:
                raise ValueError(f"game {number} of {players} seats is none of this seed")
        no_times: dict[str, Any] = {"decisions_ms": [[]] * players, "starts_ms": [[]] * players}
        rows = [_row(row) for row in standings([game | no_times for game in games], _UNIT)]
        if _without_times(rows) != _without_times(each["standings"]):
            raise ValueError(f"the table of {players} seats does not follow from its games")


def league_of(entrants: tuple[Entrant, ...], players: int, games: int, seed: str, **options: Any) -> League:
    """Return the league of one number of seats; no two of a benchmark have a seed of a game in common."""
    return League(entrants, players, games, f"{seed}/{players}", **options)


def _row(standing: Standing) -> dict[str, Any]:
    """Return a standing as JSON, without the digits in which mathematical libraries differ."""
    intervals = {name: [round(each, _DIGITS) for each in getattr(standing, name)] for name in _INTERVALS}
    return standing._asdict() | intervals | {"score": round(standing.score, _DIGITS)}


def _standing(row: Mapping[str, Any]) -> Standing:
    intervals = {name: Interval(*row[name]) for name in _INTERVALS}
    return Standing(**{**row, **intervals})


def _without_times(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    return [{name: value for name, value in row.items() if name not in _TIMES} for row in rows]
