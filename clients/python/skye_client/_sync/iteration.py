"""An iterator with a connection, which it closes at the end of a block."""

from __future__ import annotations

from collections.abc import Generator
from types import TracebackType
from typing import Generic, Self, TypeVar

T = TypeVar("T")


class Iteration(Generic[T]):
    """An iterator. Use it in a `with` block, or close it, if the iteration may end early.

    :param items: yields the items, and closes the connection when it is closed.
    """

    def __init__(self, items: Generator[T, None, None]) -> None:
        self._items = items

    def __iter__(self) -> Self:
        """Return the iterator itself."""
        return self

    def __next__(self) -> T:
        """Return the next item."""
        return next(self._items)

    def close(self) -> None:
        """Close the connection."""
        self._items.close()

    def __enter__(self) -> Self:
        """Return the iterator; leaving the block closes its connection."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the connection."""
        self.close()
