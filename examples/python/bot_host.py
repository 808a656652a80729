"""A bot host: plays all games of a player key; one event stream reports the games that wait for it."""

import argparse
import os
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from bot import act

from skye_client import ApiError, ConnectionFailedError, Game, HistoryLostError, Player, Skye, new_key
from skye_client import models as m


class Host:
    """Plays all games of a player key."""

    def __init__(self, player: Player, threads: int) -> None:
        self.player = player
        # All actions of a game run in the same thread, so that no two run at the same time.
        self.threads = [ThreadPoolExecutor(1) for _ in range(threads)]

    def own_games(self) -> Iterator[m.OwnGame]:
        """Yield all games of the key, those that wait for the bot first."""
        page = self.player.games(limit=100)
        yield from page["games"]
        while page["next_cursor"]:
            page = self.player.games(limit=100, cursor=page["next_cursor"])
            yield from page["games"]

    def create_missing(self, number: int, bots: int) -> None:
        """Create games against bots of the server until the key has that number of games."""
        missing = number - sum(1 for _ in self.own_games())
        players = [{"name": "Host"}, *[{"bot": "random"}] * bots]
        while missing > 0:
            games = [{"players": players, "start": True}] * min(missing, 50)
            self.player.leagues.create(games)
            missing -= len(games)

    def play(self, *, until_over: bool) -> None:
        """Act in all games that wait for the bot, now and after each event.

        :param until_over: return when all games are over.
        """
        while True:
            # The stream has all events after this one; the list of games includes all events before it.
            after = self.player.games(limit=1)["last_event"]
            waiting = [own["game"]["id"] for own in self.own_games() if own["waiting"]]
            for game in waiting:
                self.take_turn_later(game)
            try:
                for event in self.player.events(after):
                    if event["type"] == "your_turn":
                        self.take_turn_later(event["game_id"])
                    elif event["type"] == "game_over":
                        print("game over", event["game_id"], flush=True)
                        if until_over and not self.has_active_games():
                            return
            except HistoryLostError:
                continue

    def has_active_games(self) -> bool:
        """Return whether a game is not over.

        Check all: games that are over come last, but one that ends between two pages can be among the first.
        """
        return any(own["game"]["status"] in ("lobby", "playing") for own in self.own_games())

    def take_turn_later(self, game: str) -> None:
        """Take the turn in the thread of the game."""
        self.threads[hash(game) % len(self.threads)].submit(take_turn, self.player.game(game))


def take_turn(game: Game) -> None:
    """Act in a game as long as it waits for the bot."""
    while True:
        try:
            view = game.get()
            seat = view["you"]["seat"]
            if seat is None or seat not in view["waiting_for"]:
                return
            act(game.seat(seat))
        except ApiError as error:
            if error.status in (401, 404):
                return  # the game has expired
            time.sleep(0.1)  # the deadline has passed, or the server is overloaded: retry
        except ConnectionFailedError as error:
            print(f"retrying {game.id}: {error}", flush=True)


def key_in(path: Path) -> str:
    """Return the player key in a file; create the file with a new key if it does not exist."""
    if not path.exists():
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            file.write(new_key())
    return path.read_text().strip()


def main(arguments: Sequence[str] | None = None) -> None:
    """Play all games of the key."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--api", default="http://127.0.0.1:8000", help="the URL of the server")
    parser.add_argument("--key", type=Path, default=Path("bot-host.key"), help="the file of the player key")
    parser.add_argument("--games", type=int, default=0, help="create games until the key has this number")
    parser.add_argument("--bots", type=int, default=1, help="number of bots of the server in these games")
    parser.add_argument(
        "--threads", type=int, default=4, help="number of games in which to act at the same time"
    )
    parser.add_argument("--until-over", action="store_true", help="end when all games are over")
    options = parser.parse_args(arguments)
    with Skye(options.api) as skye:
        host = Host(skye.player(key_in(options.key)), options.threads)
        host.create_missing(options.games, options.bots)
        print("playing", flush=True)
        if host.has_active_games() or not options.until_over:
            host.play(until_over=options.until_over)


if __name__ == "__main__":
    main()
