"""Icicle graphs (inverted flame graphs): the width of a frame is its time; callees are below callers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from html import escape
from typing import NamedTuple

_WIDTH, _MARGIN, _ROW, _TOP = 1600, 10, 17, 78
_LETTER = 6.3
"""The width of a letter in pixels."""

_NARROWEST = 1.0

_ROOMS = (
    ("rules", "#b7d77a", ("engine/",)),
    ("gunicorn", "#d0b5e5", ("gunicorn/", "skye_server/worker/")),
    ("the server", "#f4c95d", ("skye_server/",)),
    ("Flask, Werkzeug", "#9fc9eb", ("flask/", "werkzeug/", "blinker/")),
    ("redis-py", "#f2a48f", ("redis/", "hiredis/")),
    ("gevent, the kernel's sockets", "#d9d4c8", ("gevent/",)),
    ("marshmallow", "#8fd6c4", ("marshmallow/",)),
)
_REST = ("Python's library", "#e8e8e8")


class Frame(NamedTuple):
    """A function and its file."""

    name: str
    file: str

    @property
    def room(self) -> tuple[str, str]:
        """The name and the colour of the component to which the frame belongs."""
        for name, color, places in _ROOMS:
            if any(place in self.file for place in places):
                return name, color
        return _REST


@dataclass
class Flame:
    """A frame with its samples.

    :param samples: the samples in the frame and its callees.
    :param own: the samples in the frame itself.
    :param beneath: its callees.
    """

    frame: Frame
    samples: int = 0
    own: int = 0
    beneath: dict[Frame, Flame] = field(default_factory=dict)

    def add(self, stack: Iterable[Frame], samples: int) -> None:
        """Add samples of a stack of callees."""
        self.samples += samples
        flame = self
        for frame in stack:
            flame = flame.beneath.setdefault(frame, Flame(frame))
            flame.samples += samples
        flame.own += samples

    def __iter__(self) -> Iterator[Flame]:
        yield self
        for flame in self.beneath.values():
            yield from flame


def drawn(flame: Flame, title: str) -> str:
    """Return the graph as SVG."""
    scale = (_WIDTH - 2 * _MARGIN) / flame.samples
    shapes = list(_shapes(flame, _MARGIN, 0, scale, flame.samples))
    height = _TOP + _ROW * (1 + max(row for row, _ in shapes)) + _MARGIN
    font = 'font-family="DejaVu Sans Mono, Menlo, Consolas, monospace" font-size="10.4"'
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" {font}>',
            "<style>g:hover rect{stroke:#000} rect{stroke:#fff;stroke-width:.6}</style>",
            f'<rect width="{_WIDTH}" height="{height}" fill="#fff"/>',
            f'<text x="{_MARGIN}" y="24" font-size="16">{escape(title, quote=False)}</text>',
            *_legend(flame),
            *(shape for _, shape in shapes),
            "</svg>\n",
        ]
    )


def _legend(flame: Flame) -> Iterator[str]:
    """Yield the legend: the share of each component, without the code that it calls."""
    own = Counter[tuple[str, str]]()
    for each in flame:
        own[each.frame.room] += each.own
    x = float(_MARGIN)
    for (name, color), samples in own.most_common():
        text = f"{name} {samples / flame.samples:.0%}"
        yield f'<rect x="{x:.0f}" y="42" width="14" height="14" fill="{color}"/>'
        yield f'<text x="{x + 19:.0f}" y="53" font-size="12">{escape(text, quote=False)}</text>'
        x += 19 + 7.6 * len(text) + 18


def _shapes(flame: Flame, x: float, row: int, scale: float, whole: int) -> Iterator[tuple[int, str]]:
    width = flame.samples * scale
    if width < _NARROWEST:
        return
    yield row, _shape(flame, x, _TOP + row * _ROW, width, flame.samples / whole)
    for inner in sorted(flame.beneath.values(), key=lambda each: -each.samples):
        yield from _shapes(inner, x, row + 1, scale, whole)
        x += inner.samples * scale


def _shape(flame: Flame, x: float, y: int, width: float, share: float) -> str:
    frame = flame.frame
    letters = int((width - 4) / _LETTER)
    name = frame.name if len(frame.name) <= letters else frame.name.split(".")[-1]
    text = name if len(name) <= letters else f"{name[: letters - 1]}…" if letters > 4 else ""
    label = f'<text x="{x + 2.5:.1f}" y="{y + 12}">{escape(text, quote=False)}</text>' if text else ""
    where = f" ({frame.file})" if frame.file else ""
    return (
        f"<g><title>{escape(frame.name)}{escape(where)} {share:.1%}</title>"
        f'<rect x="{x:.1f}" y="{y}" width="{width:.1f}" height="{_ROW - 1}" fill="{frame.room[1]}"/>'
        f"{label}</g>"
    )
