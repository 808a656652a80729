"""Curves as values: points are complex numbers (x east, y south), a tile is 400 units wide.

Points are relative to the middle of their tile. They are rounded when made, so that a tile turned by a
quarter is the same art to the last digit, and shapes that share a curve share it exactly.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Final

SIZE: Final = 400
"""Width and height of a tile."""
HALF: Final = SIZE // 2

Segment = tuple[complex, ...]
"""Two points are a straight line, four a cubic Bézier."""
Curve = tuple[Segment, ...]


def toward(side: int) -> complex:
    """Return the unit vector from the middle of a tile toward a side."""
    return (-1j, 1 + 0j, 1j, -1 + 0j)[side % 4]


def corner(index: int) -> complex:
    """Return a corner of the tile: `index` is the side that begins there, going clockwise."""
    return HALF * (toward(index) + toward(index - 1))


def rounded(point: complex) -> complex:
    """Return the nearest point with whole coordinates."""
    return complex(round(point.real), round(point.imag))


def line(*points: complex) -> Curve:
    """Return the straight lines from point to point."""
    return tuple(pairwise(points))


def smooth(nodes: Sequence[complex]) -> Curve:
    """Return a curve through all nodes; it is closed smoothly when the last node is the first."""
    closed = nodes[0] == nodes[-1]
    before = nodes[-2] if closed else nodes[0]
    after = nodes[1] if closed else nodes[-1]
    path = [rounded(node) for node in (before, *nodes, after)]
    return tuple(
        (b, rounded(b + (c - a) / 6), rounded(c - (d - b) / 6), c)
        for a, b, c, d in zip(path, path[1:], path[2:], path[3:], strict=False)
    )


def bend(start: complex, out: complex, into: complex, end: complex) -> Curve:
    """Return one Bézier from `start` to `end` with the two handles between them."""
    return ((rounded(start), rounded(out), rounded(into), rounded(end)),)


def backwards(curve: Curve) -> Curve:
    """Return the curve drawn from its end to its start."""
    return tuple(segment[::-1] for segment in reversed(curve))


def turned(curve: Curve, rotation: int) -> Curve:
    """Return the curve turned clockwise about the middle of the tile."""
    factor = quarter(rotation)
    return tuple(tuple(point * factor for point in segment) for segment in curve)


def quarter(rotation: int) -> complex:
    """Return what to multiply a point by to turn it clockwise about the middle of the tile."""
    return (1 + 0j, 1j, -1 + 0j, -1j)[rotation // 90]


def sampled(curve: Curve, steps: int = 8) -> list[complex]:
    """Return points along a curve, `steps` for each segment, the very last point left out."""
    return [_along(segment, step / steps) for segment in curve for step in range(steps)]


def edge_gap(point: complex) -> float:
    """Return how far a point is from the nearest edge of the tile."""
    return HALF - max(abs(point.real), abs(point.imag))


def inside(outline: Sequence[complex], point: complex) -> bool:
    """Whether a point lies inside a closed outline of points."""
    x, y = point.real, point.imag
    hit = False
    last = outline[-1]
    for here in outline:
        if (here.imag > y) != (last.imag > y):
            cut = here.real + (y - here.imag) * (last.real - here.real) / (last.imag - here.imag)
            hit ^= x < cut
        last = here
    return hit


def path(curves: Iterable[Curve], *, closed: bool = False) -> str:
    """Return SVG path data for the curves, relative to the middle of the tile.

    Text after `M x y` draws it anywhere: `m` first, and relative throughout.
    """
    words = []
    here = 0j
    for curve in curves:
        start = curve[0][0]
        words.append("m" + joined([start - here]))
        for segment in curve:
            words.append(
                ("l" if len(segment) == 2 else "c") + joined([to - segment[0] for to in segment[1:]])
            )
        here = curve[-1][-1]
        if closed:
            words.append("z")
            here = start
    return "".join(words)


def _along(segment: Segment, t: float) -> complex:
    if len(segment) == 2:
        return segment[0] * (1 - t) + segment[1] * t
    a, b, c, d = segment
    s = 1 - t
    return a * s * s * s + b * 3 * s * s * t + c * 3 * s * t * t + d * t * t * t


def joined(steps: Iterable[complex]) -> str:
    """Return the coordinates of steps as path data, in which a minus sign needs no other separator.

    >>> joined([3 - 4j, 5 + 6j, -1 + 0j])
    '3-4 5 6-1 0'
    """
    numbers = [str(round(number)) for step in steps for number in (step.real, step.imag)]
    return " ".join(numbers).replace(" -", "-")
