"""The roads of a tile: they meet edges in the middle and at a right angle, and never meet water."""

from __future__ import annotations

from skye.svg.curves import HALF, Curve, bend, line, toward
from skye.svg.terrain import detour
from skye.tiles import RotatedTile


def roads_of(rotated: RotatedTile) -> tuple[Curve, ...]:
    """Return the roads of a tile in reference orientation."""
    way = detour(rotated)
    return tuple(curve for road in rotated.roads for curve in _road(road, way, rotated.tile.is_castle))


def _road(road: tuple[int, ...], way: int | None, castle: bool) -> list[Curve]:
    gates = [HALF * toward(side) for side in road]
    if castle:
        return [line(gate, 0j) for gate in gates]
    if len(road) == 1:
        return [bend(gates[0], gates[0] * 0.7, gates[0] * (0.45 + 0.1j), gates[0] * 0.3)]
    if len(road) == 3:
        return _fork(next(side for side in road if (side + 2) % 4 not in road), way)
    a, b = gates
    if (road[0] - road[1]) % 2:
        return [bend(a, a * 0.65, b * 0.65, b)]
    if way is not None:
        return [_around(a, b, toward(way) * 110)]
    sway = a * 0.12j
    return [bend(a, a * 0.62, a * 0.3 + sway, 0j) + bend(0j, b * 0.3 - sway, b * 0.62, b)]


def _fork(third: int, way: int | None) -> list[Curve]:
    """Return the road that joins all sides but one; it keeps off the side left out."""
    meeting = toward(third) * (26 if way is None else 110)
    through = _around(HALF * toward(third - 1), HALF * toward(third + 1), meeting)
    return [through, line(HALF * toward(third), meeting)]


def _around(a: complex, b: complex, peak: complex) -> Curve:
    """Return a road between opposite sides by way of a point beside the middle."""
    return bend(a, a * 0.55, peak + a * 0.4, peak) + bend(peak, peak + b * 0.4, b * 0.55, b)
