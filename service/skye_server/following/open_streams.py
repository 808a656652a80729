"""How many event streams and long polls a client may have open in this process."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from functools import partial

from skye_server.error_codes import Problem
from skye_server.observability.metrics import Metrics
from skye_server.settings import Settings


class OpenStreams:
    """The event streams and long polls that are open in this process, limited per token and per address."""

    def __init__(self, settings: Settings, metrics: Metrics) -> None:
        self._per_token = settings.limit_streams if settings.is_limited else 0
        self._per_address = settings.limit_streams_per_address if settings.is_limited else 0
        self._metrics = metrics
        self._open: Counter[str] = Counter()

    def open(
        self, token: str | None, address: str, *, is_stream: bool, of_player: bool = False
    ) -> Callable[[], None]:
        """Count a stream or a long poll that a client opens.

        :param of_player: whether it follows all games of a player.
        :returns: a function that counts its end; it must be called once.
        :raises Problem: too_many_streams.
        """
        owners = {f"address:{address}": self._per_address}
        owners[f"token:{token}" if token else f"tokenless:{address}"] = self._per_token
        for owner, limit in owners.items():
            if limit and self._open[owner] >= limit:
                detail = f"{limit} streams and long polls are open already."
                raise Problem("too_many_streams", detail, have=limit)
        self._open.update(owners.keys())
        if is_stream:
            self._metrics.stream_opened(of_player=of_player)
        return partial(self._close, tuple(owners), is_stream=is_stream, of_player=of_player)

    def _close(self, owners: tuple[str, ...], *, is_stream: bool, of_player: bool) -> None:
        self._open.subtract(owners)
        for owner in owners:
            if not self._open[owner]:
                del self._open[owner]
        if is_stream:
            self._metrics.stream_closed(of_player=of_player)
