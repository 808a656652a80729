"""A language model behind an endpoint of the OpenAI API for chat completions."""

from __future__ import annotations

import http.client
import json
import re
import threading
import urllib.error
import urllib.request
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, ClassVar, Final

from skye.errors import SkyeError
from skye_gym.evals.questions import Question, Reply
from skye_gym.openers import Deadlines, opener_for

MAX_BODY: Final = 10_000_000
"""The maximum length of a response in bytes."""

MAX_RETRY_AFTER_S: Final = 600.0
"""The maximum wait that an endpoint can ask for in seconds; one that asks for more ends the run."""

MAX_TOKENS: Final = 10**9
"""The maximum of a reported number of tokens; greater ones are not counted."""

_MIN_SECRET: Final = 8
"""The minimum length of a key that is removed from replies; endpoints without keys get such as `x` or `1`."""

_MAX_KEY: Final = 4096
_VISIBLE: Final = re.compile(r"[\x21-\x7e]+")

_MAX_PAUSE_S: Final = 60.0
"""The maximum to which pauses grow in seconds."""

_RETRIED: Final = (408, 409, 425, 429)
"""The client errors that are retried, as all errors of servers are."""


class EndpointFailed(SkyeError):
    """An endpoint cannot be used; the message says why, and what to change."""


@dataclass(frozen=True)
class Endpoint:
    """A model at an endpoint.

    :param url: the base URL, such as `http://127.0.0.1:8080/v1`.
    :param model: the name of the model.
    :param key: the API key, or None; white space around it is removed. It is in no error, and in no reply
        unless it is shorter than 8 characters.
    :param options: further fields of the request, such as `temperature` and `max_tokens`.
    :param timeout_s: the time limit of a request until the end of its response in seconds.
    :param attempts: how often a request is sent that is refused, not answered, or fails.
    :param pause_s: the pause before the second attempt in seconds; each further pause is twice as long. A
        Retry-After header sets a longer one, up to `MAX_RETRY_AFTER_S`.
    :raises ValueError: when the key cannot be sent in a header, or the URL has a name and password.
    """

    url: str
    model: str
    key: str | None = field(default=None, repr=False)
    options: Mapping[str, Any] = field(default_factory=dict)
    timeout_s: float = 120.0
    attempts: int = 6
    pause_s: float = 1.0

    builtin: ClassVar[None] = None
    reads: ClassVar[bool] = True

    _stopped: threading.Event = field(default_factory=threading.Event, init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Check the URL and the key before the first request."""
        opener_for(self.url)
        if self.key is not None:
            object.__setattr__(self, "key", _checked_key(self.key))

    @property
    def name(self) -> str:
        """The name in tables."""
        return self.model

    def reply(self, question: Question) -> Reply:
        """Return the reply of the model.

        A response that is not of the API counts as a reply without text, because it has been paid.

        :raises EndpointFailed: when no attempt gets a response, or the endpoint refuses the request.
        """
        body = self._send(question.messages)
        try:
            reply = _reply_in(json.loads(body))
        except (ValueError, KeyError, TypeError, IndexError, AttributeError, RecursionError) as error:
            reason = self._without_key(f"{type(error).__name__}: {error}")
            shown = self._without_key(body.decode(errors="replace"))
            return Reply("", None, f"malformed response ({reason:.80}): {shown[:80]!r}")
        is_secret = self.key is not None and len(self.key) >= _MIN_SECRET
        return reply._replace(text=self._without_key(reply.text)) if is_secret else reply

    def stop(self) -> None:
        """End the pauses between requests, with `EndpointFailed`."""
        self._stopped.set()

    def close(self) -> None:
        """Do nothing: no connection is kept."""

    def _send(self, messages: Sequence[Mapping[str, str]]) -> bytes:
        reason, pause = "", self.pause_s
        for attempt in range(self.attempts):
            try:
                return self._once(messages)
            except urllib.error.HTTPError as error:
                reason = f"HTTP {error.code}: {self._without_key(_start_of(error)):.200}"
                if error.code < 500 and error.code not in _RETRIED:
                    raise EndpointFailed(f"{self.url} refuses the request ({reason})") from None
                wanted = _retry_after_s(error.headers.get("Retry-After"))
                if wanted > MAX_RETRY_AFTER_S:
                    raise EndpointFailed(
                        f"{self.url} asks to wait {wanted:.0f} s, more than {MAX_RETRY_AFTER_S:.0f} s: "
                        f"run the same command later ({reason})"
                    ) from None
                wait = max(pause, wanted)
            except (OSError, http.client.HTTPException) as error:
                reason, wait = self._without_key(str(error) or repr(error)), pause
            if attempt + 1 < self.attempts:
                if self._stopped.wait(wait):
                    raise EndpointFailed("the run has ended")
                pause = min(2 * pause, max(self.pause_s, _MAX_PAUSE_S))
        raise EndpointFailed(f"{self.url} gave no response in {self.attempts} attempts; the last: {reason}")

    def _without_key(self, text: str) -> str:
        """Return a text of a response, which may repeat the key, without it."""
        return text.replace(self.key, "(key)") if self.key else text

    def _once(self, messages: Sequence[Mapping[str, str]]) -> bytes:
        body = {"model": self.model, "messages": list(messages), **self.options}
        headers = {"Content-Type": "application/json"}
        if self.key is not None:
            headers["Authorization"] = f"Bearer {self.key}"
        request = urllib.request.Request(  # noqa: S310 - the command checks the scheme
            f"{self.url.rstrip('/')}/chat/completions", json.dumps(body).encode(), headers
        )
        with opener_for(self.url, Deadlines).open(request, timeout=self.timeout_s) as response:
            received: bytes = response.read(MAX_BODY)
            if response.length and len(received) < MAX_BODY:  # `read` with a size reports no early end
                raise http.client.IncompleteRead(received, response.length)
        return received


def _reply_in(response: Any) -> Reply:
    text = response["choices"][0]["message"]["content"]
    if isinstance(text, list):  # parts, of which those of text count
        text = "".join(part["text"] for part in text if part.get("type") == "text")
    if not isinstance(text, str):
        raise TypeError(f"content is {type(text).__name__}")
    return Reply(text, _tokens(response.get("usage")))


def _tokens(usage: Any) -> tuple[int, int] | None:
    """Return the reported numbers of tokens, or None if they cannot be such numbers."""
    if not isinstance(usage, dict):
        return None
    asked, replied = usage.get("prompt_tokens"), usage.get("completion_tokens")
    if type(asked) is not int or type(replied) is not int:
        return None
    return (asked, replied) if 0 <= min(asked, replied) <= max(asked, replied) <= MAX_TOKENS else None


def _checked_key(key: str) -> str:
    """Return an API key without white space around it, such as the end of a line in a file.

    :raises ValueError: when it cannot be sent in a header; the message does not contain it.
    """
    stripped = key.strip()
    if not _VISIBLE.fullmatch(stripped) or len(stripped) > _MAX_KEY:
        raise ValueError(
            f"the API key is empty, longer than {_MAX_KEY}, or has other than visible ASCII characters"
        )
    return stripped


def _start_of(error: urllib.error.HTTPError) -> str:
    try:
        return error.read(_MAX_KEY + 200).decode(errors="replace").strip()
    except (OSError, http.client.HTTPException):
        return ""


def _retry_after_s(value: str | None) -> float:
    """Return the seconds of a Retry-After header, or until its date (RFC 9110); 0 for neither."""
    if value is None:
        return 0.0
    if value.isdecimal():
        return float(value)
    try:
        at = parsedate_to_datetime(value)
    except ValueError:
        return 0.0
    return max(0.0, (at.replace(tzinfo=at.tzinfo or UTC) - datetime.now(UTC)).total_seconds())
