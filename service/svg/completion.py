"""Which parts of which tiles lie in completed areas."""

from __future__ import annotations

from skye import FORMS, Form, Territory

_Position = tuple[int, int]


def completed_regions(territory: Territory) -> dict[_Position, list[int]]:
    """Return, for the tile at each position, the regions (as in `Form.regions`) in completed areas.

    The engine's `Area` has its cells but not which of a tile's regions it takes; so from every edge with
    nothing beyond, follow what is open. All the rest is completed.
    """
    forms = {(x, y): FORMS[tile, rotation] for tile, x, y, rotation in territory.placed}
    open_ones: set[tuple[_Position, int]] = set()
    for position, form in forms.items():
        for side, neighbour in enumerate(_beside(position)):
            if neighbour not in forms:
                _follow(forms, position, form.region_at[side], open_ones)
    return {
        position: [i for i in range(len(form.regions)) if (position, i) not in open_ones]
        for position, form in forms.items()
    }


def _follow(
    forms: dict[_Position, Form], position: _Position, region: int, seen: set[tuple[_Position, int]]
) -> None:
    """Add to `seen` everything that one region is joined to."""
    border = [(position, region)]
    while border:
        here = border.pop()
        if here in seen:
            continue
        seen.add(here)
        position, region = here
        neighbours = _beside(position)
        for side in forms[position].regions[region].sides:
            neighbour = neighbours[side]
            if neighbour in forms:
                border.append((neighbour, forms[neighbour].region_at[side - 2]))


def _beside(position: _Position) -> tuple[_Position, ...]:
    """Return the positions north, east, south and west."""
    x, y = position
    return ((x, y - 1), (x + 1, y), (x, y + 1), (x - 1, y))
