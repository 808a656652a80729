"""Run a Python bot, `python -m skye_gym.arena.host module:function`, as a command that uses JSON lines."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from random import Random
from typing import Any

from skye.bots.registry import Bot
from skye.positions.importing import game_from_position
from skye.positions.record import move_view
from skye.rules.moves import Move
from skye_gym.arena.bot_errors import explained
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

    When the bot raises an exception, standard error gets the traceback without the frames of this package,
    and the reply is the reason.

    :param load: returns the bot; called for the first request.
    """
    replies = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr] # what the bot prints appears at once
    bot = None
    for line in sys.stdin:
        request = json.loads(line)
        try:
            if bot is None:
                bot = load()
            reply: dict[str, Any] = {"move": move_view(_chosen_move(bot, request))}
        except Exception as error:  # noqa: BLE001 - of the bot
            reply = {"error": explained(error)}
        sys.stdout.flush()
        replies.write(json.dumps({"id": request["id"], **reply}) + "\n")
        replies.flush()


def _chosen_move(bot: Decide | Bot, request: Mapping[str, Any]) -> Move:
    game = game_from_position(request["position"])
    return chosen_move(bot, Turn(game, request["seat"], Random(request["seed"]), request["budget_ms"]))


if __name__ == "__main__":
    main()
