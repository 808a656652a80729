"""A bot at a URL: it gets each decision in a signed request, as a server of the HTTP API sends it."""

from __future__ import annotations

import hmac
import http.client
import json
import os
import secrets
import time
import urllib.error
import urllib.request
from base64 import b64decode, b64encode
from collections.abc import Callable
from datetime import UTC, datetime
from random import Random
from typing import Any, Final

from skye.rules.moves import Move
from skye.rules.state import GameState
from skye.views import move_from_action
from skye_gym.arena.bot_process import MAX_REPLY, BotFailed, BotUnavailable, Budget, move_in
from skye_gym.arena.turn import Turn
from skye_gym.openers import Deadlines, opener_for

SECRET_VARIABLE: Final = "SKYE_BOT_SECRET"  # noqa: S105 - the name of a variable
"""The environment variable with the secret that signs requests, `whsec_` and base64; random without it."""


class BotAtUrl:
    """A bot that a URL serves.

    :param url: the URL, of http or https.
    :param budget: the time limit of each decision.
    :raises ValueError: when the secret in the environment is none, or the URL has a name and password.
    """

    starting = False

    def __init__(self, url: str, budget: Budget) -> None:
        self.clock: Callable[[], float] = time.perf_counter
        self._url = url
        self._budget = budget
        self._key = _secret_in(os.environ.get(SECRET_VARIABLE, "")) or secrets.token_bytes(32)
        self._last_response_ms: int | None = None
        self._opener = opener_for(url, Deadlines)

    def decide(self, game: GameState, seat: int, rng: Random) -> Move:
        """Return the bot's move.

        :raises BotFailed: when the bot sends no move in time.
        """
        message_id = f"msg_{rng.getrandbits(64):016x}"
        message = _message(game, seat, message_id, self._budget.decision_s, self._last_response_ms)
        body = json.dumps(message).encode()
        started = self.clock()
        try:
            return move_in(self._sent(message_id, body), "action", move_from_action)
        except TimeoutError:
            raise BotFailed(self._budget.exceeded) from None
        except urllib.error.HTTPError as error:
            raise BotFailed(f"answered with the status {error.code}") from None
        except OSError as error:
            if isinstance(getattr(error, "reason", None), TimeoutError):
                raise BotFailed(self._budget.exceeded) from None
            failure = BotUnavailable if isinstance(error, urllib.error.URLError) else BotFailed
            raise failure(f"cannot be reached: {error}") from None
        except http.client.HTTPException as error:
            raise BotFailed(f"sent no valid HTTP response: {error!r:.80}") from None
        finally:
            self._last_response_ms = round(1000 * (self.clock() - started))

    def close(self) -> None:
        """Do nothing: each decision has a connection of its own."""

    def _sent(self, message_id: str, body: bytes) -> bytes:
        """Send a request; return the body of the response.

        :raises OSError: when there is none in time; TimeoutError, HTTPError.
        :raises HTTPException: when the response is not HTTP.
        """
        request = urllib.request.Request(self._url, body, _headers(self._key, message_id, body))  # noqa: S310 - chosen by the user
        received = b""
        with self._opener.open(request, timeout=self._budget.decision_s) as response:
            while chunk := response.read1(MAX_REPLY):
                received += chunk
                if len(received) > MAX_REPLY:
                    raise BotFailed(f"sent more than {MAX_REPLY} bytes")
        return received


def _secret_in(text: str) -> bytes:
    """Return the key of a secret, which may have white space around it; empty for none.

    :raises ValueError: when it is not `whsec_` and base64; the message does not contain it.
    """
    try:
        return b64decode(text.strip().removeprefix("whsec_").encode("ascii"), validate=True)
    except ValueError:
        raise ValueError(f"{SECRET_VARIABLE} is not whsec_ and base64") from None


def _headers(key: bytes, message_id: str, body: bytes) -> dict[str, str]:
    """Return the headers of Standard Webhooks 1.0."""
    now = str(int(time.time()))
    signed = b".".join([message_id.encode(), now.encode(), body])
    signature = b64encode(hmac.digest(key, signed, "sha256")).decode()
    return {
        "Content-Type": "application/json",
        "webhook-id": message_id,
        "webhook-timestamp": now,
        "webhook-signature": f"v1,{signature}",
    }


def _message(
    game: GameState, seat: int, message_id: str, seconds: float, last_response_ms: int | None
) -> dict[str, Any]:
    """Return a message as the HTTP API sends it, with the engine's view of the game."""
    href = f"/v1/games/{message_id}"
    turn = Turn(game, seat, Random(), 1000 * seconds, href)
    data = {
        "seat": seat,
        "time_left_ms": round(1000 * seconds),
        "last_response_ms": last_response_ms,
        "game": turn.view,
        "actions": turn.actions,
    }
    now = datetime.now(UTC).isoformat(timespec="milliseconds")[:-6] + "Z"
    return {"type": "decision", "timestamp": now, "href": href, "data": data}
