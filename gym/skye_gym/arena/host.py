"""Run a Python bot, `python -m skye_gym.arena.host module:function`, as a command that uses JSON lines."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from random import Random

from skye.bots.registry import Bot
from skye.positions.importing import game_from_position
from skye.positions.record import move_view
from skye_gym.arena.turn import Decide, Turn, chosen_move, function_named
from skye_gym.bots import LEAGUE_BOTS


def bot_named(name: str) -> Decide | Bot:
    """Return a bot of this package by name, or any function as `module:function`.

    :raises ValueError: when there is no such bot.
    """
    if name in LEAGUE_BOTS:
        return LEAGUE_BOTS[name]
    bot: Decide | Bot = function_named(name)
    return bot


def main() -> None:
    """Serve the bot that the first argument names."""
    sys.path.insert(0, str(Path.cwd()))  # also with PYTHONSAFEPATH, where `python -m` omits it
    serve(lambda: bot_named(sys.argv[1]))


def serve(load: Callable[[], Decide | Bot]) -> None:
    """Reply to each request on standard input with a move; redirect all other output to standard error.

    :param load: returns the bot. If it raises a ValueError, the process ends with its message.
    """
    replies = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    try:
        bot = load()
    except ValueError as error:
        # Before `replies` is closed, which the league takes for the end of the process.
        print(error, file=sys.stderr)
        sys.exit(1)
    for line in sys.stdin:
        request = json.loads(line)
        game = game_from_position(request["position"])
        turn = Turn(game, request["seat"], Random(request["seed"]), request["budget_ms"])
        move = chosen_move(bot, turn)
        replies.write(json.dumps({"id": request["id"], "move": move_view(move)}) + "\n")
        replies.flush()


if __name__ == "__main__":
    main()
