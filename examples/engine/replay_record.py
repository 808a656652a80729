"""Replay the record of a game, from a server of the HTTP API or from a file, and print the scores by round.

python replay_record.py http://127.0.0.1:8000/v1/games/GAME/record
python replay_record.py record.json
"""

import json
import sys
from http.client import HTTPException
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import skye
from skye.events import RoundScored


def record_at(source: str) -> dict[str, Any]:
    """Return the JSON of a record at a URL or in a file."""
    if source.startswith(("http://", "https://")):
        with urlopen(source, timeout=30) as response:
            return json.load(response)
    return json.loads(Path(source).read_text(encoding="utf-8"))


def main(source: str) -> None:
    """Replay a record; print the scores after each round, and the winners."""
    record = skye.record_from_json(record_at(source))
    outcomes = skye.replay(record)
    for outcome in outcomes:
        for event in outcome.events:
            if isinstance(event, RoundScored):
                print(f"round {event.round}: {' - '.join(map(str, event.scores))}")
    print(outcomes[-1].game)
    for player in outcomes[-1].game.players:
        print(player.territory)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    try:
        main(sys.argv[1])
    except (OSError, ValueError, HTTPException, skye.SkyeError) as error:
        sys.exit(f"{sys.argv[1]}: {error}")
