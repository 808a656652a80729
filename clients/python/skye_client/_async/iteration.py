"""An iterator with a connection, which it closes at the end of a block."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from types import TracebackType
from typing import Generic, Self, TypeVar

T = TypeVar("T")


class AsyncIteration(Generic[T]):
    """An iterator. Use it in a `with` block, or close it, if the iteration may end early.

    :param items: yields the items, and closes the connection when it is closed.
    """

    def __init__(self, items: AsyncGenerator[T, None]) -> None:
        self._items = items

    def __aiter__(self) -> Self:
        """Return the iterator itself."""
        return self

    async def __anext__(self) -> T:
        """Return the next item."""
        return await anext(self._items)

    async def aclose(self) -> None:
        """Close the connection."""
        await self._items.aclose()

    async def __aenter__(self) -> Self:
        """Return the iterator; leaving the block closes its connection."""
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the connection."""
        await self.aclose()
