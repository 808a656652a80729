"""The result of a benchmark: its JSON and its page."""

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

VERSIONS: Final = {"actions": ACTIONS_VERSION, "observations": OBSERVATIONS_VERSION}
"""The versions of the encodings that this package has."""

UNIT: Final = "game"
"""What the bootstrap of the intervals draws."""

TIMES: Final = ("p99_ms", "start_ms")
"""The columns of standings that the games of a result do not have."""

_FIELDS: Final = ("game", "bots", "seed", "winners", "scores", "failures")
_DIGITS: Final = 6
_INTERVALS: Final = ("wins", "rating")


def commitment_of(seed: str) -> str:
    """Return what is published of a seed before the games.

    >>> commitment_of("a quiet evening")[:15]
    'sha256:dc4c5e4f'
    """
    return f"sha256:{hashlib.sha256(seed.encode()).hexdigest()}"


def table_of(league: League, results: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the table of one number of seats, with its games."""
    rows = standings([dict(result) for result in results], UNIT)
    games = [{name: result[name] for name in _FIELDS} for result in results]
    return {
        "players": league.players,
        "bots": [entrant.name for entrant in league.entrants],
        "standings": [row_of(row) for row in rows],
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
        "versions": VERSIONS,
        "commitment": commitment_of(seed),
        "seed": seed,
        "command": command,
        "ruleset": ruleset_id,
        "budget_ms": budget_ms,
        "startup_ms": startup_ms,
        "bootstrap": UNIT,
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


def league_of(entrants: tuple[Entrant, ...], players: int, games: int, seed: str, **options: Any) -> League:
    """Return the league of one number of seats; no two of a benchmark have a seed of a game in common."""
    return League(entrants, players, games, f"{seed}/{players}", **options)


def row_of(standing: Standing) -> dict[str, Any]:
    """Return a standing as JSON, without the digits in which mathematical libraries differ."""
    intervals = {name: [round(each, _DIGITS) for each in getattr(standing, name)] for name in _INTERVALS}
    return standing._asdict() | intervals | {"score": round(standing.score, _DIGITS)}


def _standing(row: Mapping[str, Any]) -> Standing:
    intervals = {name: Interval(*row[name]) for name in _INTERVALS}
    return Standing(**{**row, **intervals})
