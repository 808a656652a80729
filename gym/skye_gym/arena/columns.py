"""The decisions of recorded games as columns, for imitation learning.

`python -m skye_gym.arena.columns league.ndjson league.parquet` reads the lines that `skye-arena --records` or
`GET /v1/records` writes, and writes a Parquet file. It needs `pip install skye-gym[columns]`.
Seats whose bots failed in a league have no rows, since another bot played them to the end.
DATASET.md documents the columns.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any, Final, TypeAlias

from skye.positions.record import replay
from skye.positions.record_json import record_from_json
from skye.positions.snapshot import position_of
from skye.positions.text import position_to_text
from skye.rules.moves import Move
from skye.rules.state import GameState
from skye.visibility.observation import observed_game
from skye_gym.encoding import encode_move
from skye_gym.encoding_versions import ACTIONS_VERSION

try:
    import pyarrow as pa
    from pyarrow import parquet
except ModuleNotFoundError as error:
    reason = "columns need pyarrow: pip install 'skye-gym[columns]'"
    raise ModuleNotFoundError(reason, name=error.name) from error

Features: TypeAlias = Callable[[GameState, int], Sequence[float]]
"""A function of the observation of a seat and that seat."""

_GAMES_PER_BATCH: Final = 100

_COMPRESSION: Final = {"compression": "zstd", "compression_level": 19}
"""Four fifths of the size that the default level leaves: positions of one game are alike."""

_METADATA: Final = {"skye_gym.actions_version": str(ACTIONS_VERSION)}

_FIELDS: Final = {
    "game": pa.int32(),
    "bot": pa.string(),
    "players": pa.int8(),
    "seat": pa.int8(),
    "round": pa.int8(),
    "phase": pa.string(),
    "position": pa.string(),
    "actions": pa.list_(pa.int32()),
    "score": pa.int16(),
    "margin": pa.int16(),
    "won": pa.float32(),
}


def read_columns(path: Path, features: Features | None = None) -> pa.Table:
    """Return the decisions of all games in a file of records as a table; its columns are described above.

    :param features: a function whose values become the column `features`.
    """
    return pa.Table.from_batches(_batches(path, features), _schema(features))


def write_parquet(path: Path, target: Path, features: Features | None = None) -> int:
    """Write the decisions of all games in a file of records as Parquet; return their number.

    It holds the decisions of a hundred games in memory at a time.

    :raises ValueError: when both are the same file.
    """
    if target.exists() and target.samefile(path):
        raise ValueError(f"{target} has the records: name another file")
    written = 0
    with parquet.ParquetWriter(target, _schema(features), **_COMPRESSION) as writer:
        for batch in _batches(path, features):
            writer.write_batch(batch)
            written += batch.num_rows
    return written


def _schema(features: Features | None) -> pa.Schema:
    more = {} if features is None else {"features": pa.list_(pa.float32())}
    return pa.schema(_FIELDS | more, metadata=_METADATA)


def _batches(path: Path, features: Features | None) -> Iterator[pa.RecordBatch]:
    schema = _schema(features)
    with path.open(encoding="utf-8") as lines:
        numbered = enumerate(lines)
        while games := list(islice(numbered, _GAMES_PER_BATCH)):
            rows = [row for game, line in games for row in _decisions(game, json.loads(line), features)]
            yield pa.RecordBatch.from_pylist(rows, schema)


def _decisions(number: int, line: Mapping[str, Any], features: Features | None) -> list[dict[str, Any]]:
    """Replay the record of a line; return a row for each decision."""
    record = record_from_json(line["record"])
    games = [outcome.game for outcome in replay(record)]
    names = line.get("bots") or [player["name"] for player in line["record"]["players"]]
    failures = line.get("failures", {})
    rows = []
    for game, action in zip(games, record.actions, strict=False):
        seat = action.seat
        if str(seat) in failures:
            continue
        seen = observed_game(game, seat)
        row = {"game": number, "bot": names[seat], "players": len(names), "seat": seat, "round": game.round}
        row |= {"phase": str(game.phase), "position": position_to_text(position_of(seen))}
        row["actions"] = _numbers(game, seat, action.move)
        if features is not None:
            row["features"] = list(features(seen, seat))
        rows.append(row)
    end = games[-1]
    scores = [player.score for player in end.players]
    winners = line.get("winners", end.winners)
    for row in rows:
        seat = row["seat"]
        best = max(scores[:seat] + scores[seat + 1 :])
        won = (seat in winners) / max(1, len(winners))
        row |= {"score": scores[seat], "margin": scores[seat] - best, "won": won}
    return rows


def _numbers(game: GameState, seat: int, move: Move) -> list[int] | None:
    try:
        return list(encode_move(game, seat, move))
    except ValueError:
        return None


if __name__ == "__main__":
    print(write_parquet(Path(sys.argv[1]), Path(sys.argv[2])), "decisions")
