"""A bot host: plays all games of a player key; one event stream reports the games that wait for it."""

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from bot import choose

from skye_client import Skye, SkyeError, Turn, host, new_key
from skye_client import models as m


def decide(turn: Turn) -> m.Action:
    """Choose as the bot of bot.py does."""
    assert turn.api_seat is not None
    return choose(turn.moves, turn.api_seat)


def create_missing(url: str, key: str, number: int, bots: int) -> None:
    """Create games against bots of the server until the key has that number of games."""
    with Skye(url) as client:
        player = client.player(key)
        missing = number - sum(1 for _ in player.games.all())
        host: m.PersonToSeat = {"name": "Host"}
        opponent: m.BotToSeat = {"bot": "random"}
        game: m.FreshGame = {"players": [host, *[opponent] * bots], "auto_start": True}
        while missing > 0:
            missing -= len(player.leagues.create([game] * min(missing, 50)))


def key_in(path: Path) -> str:
    """Return the player key in a file; create the file with a new key if it does not exist."""
    try:
        if not path.exists():
            with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
                file.write(new_key())
        return path.read_text(encoding="utf-8-sig").strip()
    except (OSError, UnicodeDecodeError):
        raise SkyeError(f"{path} is no file with a player key that can be read or created") from None


def not_below(least: int) -> Callable[[str], int]:
    """Return a parser of integers from a minimum."""

    def integer(text: str) -> int:
        if int(text) < least:
            raise argparse.ArgumentTypeError(f"{text} is below {least}")
        return int(text)

    return integer


def main(arguments: Sequence[str] | None = None) -> None:
    """Play all games of the key."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--api", default="http://127.0.0.1:8000", help="the URL of the server")
    parser.add_argument("--key", type=Path, default=Path("bot-host.key"), help="the file of the player key")
    parser.add_argument(
        "--games", type=not_below(0), default=0, help="create games until the key has this number"
    )
    parser.add_argument(
        "--bots", type=int, choices=range(1, 5), default=1, help="number of bots of the server in these games"
    )
    parser.add_argument(
        "--concurrency", type=not_below(1), default=8, help="number of games in which to act at the same time"
    )
    parser.add_argument("--until-over", action="store_true", help="end when all games are over")
    options = parser.parse_args(arguments)
    key = key_in(options.key)
    create_missing(options.api, key, options.games, options.bots)
    print("playing", flush=True)
    host(key, decide, concurrency=options.concurrency, url=options.api, until_over=options.until_over)
    print("all games are over" if options.until_over else "ended")


if __name__ == "__main__":
    try:
        main()
    except SkyeError as error:
        sys.exit(f"{error}")
