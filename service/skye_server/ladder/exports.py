"""The export of a ladder: numbered results with their records, and the ratings to which they lead.

A line is a JSON object with a `type`:

    ladder      the ladder, the model with its parameters, and the positions of checkpoint and ratings
    checkpoint  the rating of a player at the position of the checkpoint; one line for each player
    result      a result after it, in the order of the numbers
    rating      the rating of a player at the position of the last result; one line for each player

Players are named by the ids that `GET /v1/me` shows each of them: names can change.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, Final

import msgspec
import openskill

from skye_server.cooperative_yield import pause
from skye_server.games.authorization import player_id
from skye_server.games.views.game import timestamp
from skye_server.ladder.ratings import BETA, DECIMALS, KAPPA, MU, SIGMA, TAU, Rating
from skye_server.ladder.results import LadderResults, Result

EXPORT_FORMAT: Final = 1
"""The version of the form of the lines."""

_PAGE: Final = 20


def lines_of(ladder: str, results: LadderResults) -> Iterator[bytes]:
    """Yield the lines of the export of a ladder."""
    start, checkpoint = results.standing("checkpoint")
    position, ratings = results.standing("ratings")
    model = {
        "name": "openskill PlackettLuce",
        "version": openskill.__version__,
        "mu": MU,
        "sigma": SIGMA,
        "beta": BETA,
        "kappa": KAPPA,
        "tau": TAU,
        "decimals": DECIMALS,
    }
    yield _line(
        "ladder", format=EXPORT_FORMAT, ladder=ladder, model=model, checkpoint=start, position=position
    )
    yield from _ratings("checkpoint", checkpoint)
    number = start
    while number < position:
        page = list(results.after(number, _PAGE))
        for number, result in page:
            if number <= position:
                yield result_line(number, result)
        pause()
        if not page:
            break
    yield from _ratings("rating", ratings)


def result_line(number: int, result: Result) -> bytes:
    """Return the line of a result."""
    return _line(
        "result",
        number=number,
        game_id=result.game_id,
        finished_at=timestamp(result.finished_ms),
        players=[player_id(player) for player in result.players],
        names=result.names,
        places=result.places,
        gave_up=result.gave_up,
        has_winner=result.has_winner,
        record=msgspec.Raw(result.record_json),
    )


def record_line(number: int, result: Result) -> bytes:
    """Return the line of a record, as in other exports of records; its cursor is the number of the result."""
    record = msgspec.Raw(result.record_json)
    line = {"cursor": str(number), "finished_at": timestamp(result.finished_ms), "record": record}
    return msgspec.json.encode(line) + b"\n"


def _ratings(kind: str, ratings: Mapping[str, Rating]) -> Iterator[bytes]:
    for player, rating in ratings.items():
        yield _line(kind, player=player_id(player), **msgspec.structs.asdict(rating))


def _line(kind: str, **fields: Any) -> bytes:
    return msgspec.json.encode({"type": kind, **fields}) + b"\n"
