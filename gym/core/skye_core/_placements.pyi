from array import array

from skye import Place
from skye_core.tables import Bounds

class _Tables: ...

def load(
    turned: array[int],
    counts: array[int],
    kinds: array[int],
    values: array[int],
    area_points: array[int],
    per_point: array[int],
    castles: int,
    bounds: Bounds,
    /,
) -> _Tables: ...
def answer(
    tables: _Tables,
    starts: bytes | array[int],
    placed: bytes | array[int],
    golds: bytes | array[int],
    queries: bytes | array[int],
    rivals: int,
    slots: int,
    /,
) -> tuple[bytes, bytes, bytes]: ...
def pack(territories: list[tuple[Place, ...]], numbers: dict[str, int], /) -> tuple[bytes, bytes]: ...
