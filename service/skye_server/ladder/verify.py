"""The command `skye-ladder`: recompute a ladder from its export."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from typing import IO, Any

import click

import skye
from skye.errors import RuleError
from skye.positions import record_from_json, replay
from skye_server.ladder.exports import EXPORT_FORMAT
from skye_server.ladder.ratings import Rating, after_game


class Difference(Exception):
    """What an export says differs from what follows from it."""


def verified(lines: Iterable[str | bytes]) -> tuple[str, int, int]:
    """Recompute a ladder: replay every game, and compute every rating again.

    :param lines: those of the export.
    :returns: the ladder, how many results it has, and how many ratings.
    :raises Difference: which says in what line what differs.
    """
    read = ((number, _object(number, line)) for number, line in enumerate(lines, 1) if line.strip())
    number, head = next(read, (0, {}))
    if head.get("type") != "ladder" or head.get("format") != EXPORT_FORMAT:
        raise Difference(f"Line {number}: this is not the export of a ladder in format {EXPORT_FORMAT}.")
    ladder = _Recomputed(head["checkpoint"])
    for number, line in read:
        try:
            ladder.apply(line)
        except (Difference, RuleError, KeyError, TypeError, ValueError) as error:
            raise Difference(f"Line {number}: {error}.") from error
    ladder.compare(head["position"])
    return head["ladder"], ladder.results, len(ladder.ratings)


class _Recomputed:
    """A ladder as its results make it, beside what its export says.

    :param position: the number of the last result before those of the export.
    """

    def __init__(self, position: int) -> None:
        self.ratings: dict[str, Rating] = {}
        self.results = 0
        self._said: dict[str, Rating] = {}
        self._position = position

    def apply(self, line: dict[str, Any]) -> None:
        """Apply a line of the export.

        :raises Difference: if the game, or the number of a result, is another.
        """
        match line["type"]:
            case "checkpoint":
                self.ratings[line["player"]] = _rating(line)
            case "result":
                if line["number"] != self._position + 1:
                    raise Difference(f"the number {self._position + 1} is missing")
                self._position, self.results = self._position + 1, self.results + 1
                _check_game(line)
                _rate(self.ratings, line)
            case "rating":
                self._said[line["player"]] = _rating(line)

    def compare(self, position: int) -> None:
        """Compare the ratings, and the number of the last result.

        :raises Difference: if one differs.
        """
        if self._position != position:
            raise Difference(f"The results end with {self._position}, and the ratings have {position}.")
        for player in self.ratings.keys() | self._said.keys():
            said, found = self._said.get(player), self.ratings.get(player)
            if said != found:
                raise Difference(f"{player}: {said}, computed again {found}.")


def _object(number: int, line: str | bytes) -> dict[str, Any]:
    try:
        found = json.loads(line)
    except ValueError as error:
        raise Difference(f"Line {number}: this is not JSON.") from error
    if not isinstance(found, dict):
        raise Difference(f"Line {number}: this is not a JSON object.")
    return found


def _rating(line: dict[str, Any]) -> Rating:
    return Rating(line["mu"], line["sigma"], line["games"], line["gave_up"], tuple(line["last"]))


def _check_game(line: dict[str, Any]) -> None:
    """Replay a game, and compare the places with those of its result.

    :raises Difference: if they differ.
    """
    record = record_from_json(line["record"])
    result = skye.game_view(replay(record)[-1].game, None)["result"]
    if result is None:
        raise Difference("the record does not end the game")
    places = {placed["seat"]: placed["place"] for placed in result["placing"]}
    gave_up = {seat for group in line["record"]["gave_up"] for seat in group}
    named = [bool(flag) for flag in line["gave_up"]]
    if [places[seat] for seat in sorted(places)] != line["places"]:
        raise Difference(f"the record gives the places {[places[seat] for seat in sorted(places)]}")
    if [seat in gave_up for seat in sorted(places)] != named or bool(result["winners"]) != line["has_winner"]:
        raise Difference("the record has other winners, or other seats that were given up")


def _rate(ratings: dict[str, Rating], line: dict[str, Any]) -> None:
    players = line["players"]
    before = [ratings.get(player, Rating()) for player in players]
    after = after_game(before, line["places"], line["gave_up"], has_winner=line["has_winner"])
    ratings |= dict(zip(players, after, strict=True))


@click.group("skye-ladder", context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="skye-server", message="%(prog)s %(version)s")
def main() -> None:
    """Check the ladders of servers of Isle of Skye."""


@main.command("verify")
@click.argument("export", type=click.File("rb"))
def verify(export: IO[bytes]) -> None:
    """Recompute a ladder from its EXPORT (`GET /v1/ladders/LADDER/export`); `-` is standard input.

    Replays every game, and computes every rating again. Exit codes: 0 all is equal, 1 something differs.
    """
    try:
        ladder, results, players = verified(export)
    except Difference as difference:
        click.echo(str(difference), err=True)
        sys.exit(1)
    click.echo(f"{ladder}: {results} games replayed, {players} ratings computed again, all equal.")
