"""The export of a ladder: numbered results with their records, and the ratings to which they lead.

Players are named by the ids that `GET /v1/me` shows each of them: names can change.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, Final, Literal, TypedDict

import msgspec
import openskill

from skye.fields import Count, Keywords
from skye.rulesets import MAX_PLAYERS, MIN_PLAYERS
from skye_server.cooperative_yield import pause
from skye_server.games.authorization import player_id
from skye_server.games.views.fields import MAX_OPAQUE_LENGTH, GameId, ProfileName, Timestamp
from skye_server.games.views.game import timestamp
from skye_server.games.views.history import ExportedRecordView, RecordLine
from skye_server.ladder.ladders import LadderId
from skye_server.ladder.ratings import BETA, DECIMALS, KAPPA, LAST_GAMES, MU, SIGMA, TAU, Rating
from skye_server.ladder.results import LadderResults, Result

EXPORT_FORMAT: Final = 1
"""The version of the form of the lines."""

_PAGE: Final = 20

_OF_SEATS: Final = Keywords(minItems=MIN_PLAYERS, maxItems=MAX_PLAYERS)


class RatingModel(TypedDict):
    """The model of the ratings, with its parameters."""

    name: Annotated[str, Keywords(maxLength=100), "The package and the model."]
    version: Annotated[str, Keywords(maxLength=40), "The version of the package."]
    mu: Annotated[float, "The mean of a new player."]
    sigma: Annotated[float, "The standard deviation of a new player, before it is rounded."]
    beta: Annotated[float, "The spread of the play of one game."]
    kappa: Annotated[float, "The least factor by which a variance shrinks."]
    tau: Annotated[float, "What is added to sigma before each game."]
    decimals: Annotated[Count, "To how many decimals mu and sigma are rounded after each game."]


class LadderHeadLine(TypedDict):
    """The first line of an export: the ladder, and the numbers between which the results lie."""

    type: Literal["ladder"]
    format: Annotated[int, Keywords(minimum=1), "The version of the form of the lines."]
    ladder: Annotated[LadderId, "The ladder."]
    model: Annotated[RatingModel, "The model."]
    checkpoint: Annotated[Count, "The number of the last result that the checkpoint has."]
    position: Annotated[Count, "The number of the last result that the ratings have."]


class LineOfRating(TypedDict):
    """The rating of a player."""

    player: Annotated[str, Keywords(maxLength=MAX_OPAQUE_LENGTH), "The player; see `GET /v1/me`."]
    mu: Annotated[float, "The mean."]
    sigma: Annotated[float, "The standard deviation."]
    games: Annotated[Count, "The number of rated games."]
    gave_up: Annotated[Count, "How many games of the ladder the player has given up."]
    last: Annotated[
        Sequence[Annotated[bool, "Whether the player gave it up."]],
        Keywords(maxItems=LAST_GAMES),
        "The last games, the latest last.",
    ]


class LadderCheckpointLine(LineOfRating):
    """A rating from which the results lead on. There is a line for each player."""

    type: Literal["checkpoint"]


class LadderResultLine(TypedDict):
    """A result after the checkpoint. The lines are in the order of the numbers."""

    type: Literal["result"]
    number: Annotated[int, Keywords(minimum=1), "The number of the result."]
    game_id: GameId
    finished_at: Annotated[Timestamp, "When the game finished."]
    players: Annotated[
        Sequence[Annotated[str, Keywords(maxLength=MAX_OPAQUE_LENGTH), "A player."]],
        _OF_SEATS,
        "The players, in seat order.",
    ]
    names: Annotated[Sequence[ProfileName], _OF_SEATS, "Their names when the game began."]
    places: Annotated[
        Sequence[Annotated[int, Keywords(minimum=1, maximum=MAX_PLAYERS), "A place."]],
        _OF_SEATS,
        "Their places.",
    ]
    gave_up: Annotated[
        Sequence[Annotated[bool, "Whether the player gave the game up."]],
        _OF_SEATS,
        "Whether each gave it up, in seat order.",
    ]
    has_winner: Annotated[bool, "Whether the game changes ratings: somebody has won it."]
    record: Annotated[ExportedRecordView, "The record of the game."]


class LadderRatingLine(LineOfRating):
    """A rating to which the results lead. There is a line for each player."""

    type: Literal["rating"]


LINES: Final = (LadderHeadLine, LadderCheckpointLine, LadderResultLine, LadderRatingLine)
"""The forms of the lines, in the order of an export."""


def lines_of(ladder: str, results: LadderResults) -> Iterator[bytes]:
    """Yield the lines of the export of a ladder."""
    start, checkpoint = results.standing("checkpoint")
    position, ratings = results.standing("ratings")
    model: RatingModel = {
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
        LadderHeadLine(
            type="ladder",
            format=EXPORT_FORMAT,
            ladder=LadderId(ladder),
            model=model,
            checkpoint=start,
            position=position,
        )
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
    record: Any = msgspec.Raw(result.record_json)
    return _line(
        LadderResultLine(
            type="result",
            number=number,
            game_id=result.game_id,
            finished_at=timestamp(result.finished_ms),
            players=[player_id(player) for player in result.players],
            names=result.names,
            places=result.places,
            gave_up=result.gave_up,
            has_winner=result.has_winner,
            record=record,
        )
    )


def record_line(number: int, result: Result) -> bytes:
    """Return the line of a record, as in other exports of records; its cursor is the number of the result."""
    record: Any = msgspec.Raw(result.record_json)
    return _line(RecordLine(cursor=str(number), finished_at=timestamp(result.finished_ms), record=record))


def _ratings(kind: str, ratings: Mapping[str, Rating]) -> Iterator[bytes]:
    for player, rating in ratings.items():
        yield _line({"type": kind, "player": player_id(player), **msgspec.structs.asdict(rating)})


def _line(fields: Mapping[str, Any]) -> bytes:
    return msgspec.json.encode(fields) + b"\n"
