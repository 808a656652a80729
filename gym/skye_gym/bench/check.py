"""The check of the result of a benchmark, without a replay of its games."""

from __future__ import annotations

import re
from argparse import Namespace
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from typing import Any, Final

from skye.rulesets import ruleset_of
from skye_gym.arena.entrants import Entrant
from skye_gym.arena.ratings import standings
from skye_gym.bench.arguments import arguments_in
from skye_gym.bench.pool import arguments_by_name, entrants_of, with_seats
from skye_gym.bench.result import (
    BENCH,
    RESULT_FORMAT,
    TIMES,
    UNIT,
    VERSIONS,
    commitment_of,
    league_of,
    row_of,
)

_RELEASE: Final = re.compile(r"(\d+)\.(\d+)\.(\d+)([-.+a-z].*)?")


def check_result(result: Mapping[str, Any]) -> None:
    """Check that all parts of a result agree: its seed, its command, its games and its tables.

    :raises ValueError: with what does not fit.
    """
    _check_versions(result)
    if commitment_of(result["seed"]) != result["commitment"]:
        raise ValueError("the seed has another commitment")
    options = arguments_in(result["command"])
    _check_command(result, options)
    entrants = entrants_of(options.pool, options.bots)
    tables = result["tables"]
    if [each["players"] for each in tables] != list(options.seats):
        raise ValueError("the tables are not those of the seats in the command, one for each number")
    for each in tables:
        ruleset_of(options.ruleset).rounds(each["players"])  # checks the number of players
        _check_table(each, with_seats(entrants, each["players"]), options)


def _check_versions(result: Mapping[str, Any]) -> None:
    known = {"format": RESULT_FORMAT, "benchmark": BENCH, "bootstrap": UNIT}
    for name, value in known.items():
        if result[name] != value:
            raise ValueError(f"`{name}` is {result[name]!r:.40}, this skye-bench checks {value!r}")
    ours = version("skye-gym")
    if not (0,) < _release(result["skye_gym"]) <= _release(ours):
        raise ValueError(f"`skye_gym` is {result['skye_gym']!r:.40}, no version up to this one, {ours}")
    versions = result["versions"]
    if versions.keys() != VERSIONS.keys() or not all(
        _is_integer(value) and 1 <= value <= VERSIONS[name] for name, value in versions.items()
    ):
        raise ValueError(f"`versions` is {versions!r:.80}, this skye-gym knows versions up to {VERSIONS}")


def _check_command(result: Mapping[str, Any], options: Namespace) -> None:
    """Check that the command plays the games of the result."""
    stated = {name: result[name] for name in ("seed", "ruleset", "budget_ms", "startup_ms")}
    for name, value in stated.items():
        if getattr(options, name) != value:
            raise ValueError(f"`{name}` is {value!r:.60}, in the command {getattr(options, name)!r:.60}")
    if result["bots"] != arguments_by_name(options.pool, options.bots):
        raise ValueError("`bots` are not those of the command")


def _check_table(table: Mapping[str, Any], entrants: tuple[Entrant, ...], options: Namespace) -> None:
    players, games = table["players"], table["games"]
    if table["bots"] != [entrant.name for entrant in entrants]:
        raise ValueError(f"the bots of {players} seats are not those of the command")
    if len(games) != options.games:
        raise ValueError(f"{players} seats have {len(games)} games, in the command {options.games}")
    league = league_of(entrants, players, options.games, options.seed)
    for number, game in enumerate(games):
        seats, seed = league.line_up(number)
        planned = (number, [bot.name for bot in seats], seed)
        if (game["game"], game["bots"], game["seed"]) != planned:
            raise ValueError(f"game {number} of {players} seats is none of this seed")
        if wrong := _wrong_in(game, players):
            raise ValueError(f"game {number} of {players} seats {wrong}")
    no_times: dict[str, Any] = {"decisions_ms": [[]] * players, "starts_ms": [[]] * players}
    rows = [row_of(row) for row in standings([game | no_times for game in games], UNIT)]
    if _without_times(rows) != _without_times(table["standings"]):
        raise ValueError(f"the table of {players} seats does not follow from its games")
    for row in table["standings"]:
        if not _is_time(row["p99_ms"]) or not (row["start_ms"] is None or _is_time(row["start_ms"])):
            raise ValueError(f"the times of {row['name']!r} with {players} seats are wrong")


def _wrong_in(game: Mapping[str, Any], players: int) -> str | None:
    """Return how the scores, failures and winners of a game contradict each other; None if they agree.

    The scores do not show which seats of equal points win by the tie-break.
    """
    scores, winners, failures = game["scores"], game["winners"], game["failures"]
    if len(scores) != players or not all(_is_integer(score) and score >= 0 for score in scores):
        return "has wrong scores"
    seats = {str(seat): seat for seat in range(players)}
    if not seats.keys() >= failures.keys() or not all(isinstance(why, str) for why in failures.values()):
        return "has wrong failures"
    able = [seat for name, seat in seats.items() if name not in failures]
    best = [seat for seat in able if scores[seat] == max(scores[each] for each in able)]
    if not all(map(_is_integer, winners)) or sorted(set(winners)) != winners:
        return "has wrong winners"
    if not set(winners) <= set(best) or bool(winners) != bool(best):
        return "has winners that contradict its scores and failures"
    return None


def _release(text: str) -> tuple[int, ...]:
    """Return the numbers of a version; empty if it is none."""
    match = _RELEASE.fullmatch(text)
    return tuple(map(int, match.groups()[:3])) if match else ()


def _is_integer(value: Any) -> bool:
    return type(value) is int  # True and False are other types


def _is_time(value: Any) -> bool:
    return type(value) in (int, float) and 0 <= value < float("inf")


def _without_times(rows: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    return [{name: value for name, value in row.items() if name not in TIMES} for row in rows]
