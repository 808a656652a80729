"""Bodies that a worker builds at their first request, while it serves other requests."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from skye import BASE
from skye.svg import tile_sheet_svg
from skye_server import cooperative_yield
from skye_server.openapi import contract_of
from skye_server.openapi.text import as_yaml
from tests.support import documents


@pytest.fixture
def pauses(monkeypatch):
    """The pauses of a worker whose time slices have no length."""
    taken = []
    monkeypatch.setattr(cooperative_yield, "_SLICE_S", 0)
    monkeypatch.setattr(cooperative_yield.time, "sleep", taken.append)
    return taken


def test_worker_yields_between_the_tiles_of_the_sheet(service, pauses):
    tile_sheet_svg.cache_clear()
    assert service.call("GET", "/v1/tiles/pictures.svg").status_code == 200
    assert len(pauses) >= len(BASE.tiles.rotated)


def test_worker_yields_between_the_tiles_of_a_territory(service, pauses):
    game = service.begin(scenario="largest_territory")
    territory = service.get(game.path("territory", 0))
    pauses.clear()
    assert game.call("GET", "territory/picture.svg", seat=0).status_code == 200
    assert len(pauses) >= len(territory["tiles"]) > 10


def test_contract_is_generated_once_while_the_worker_serves_others(service, pauses, monkeypatch):
    generated = []
    documents.texts.clear()
    monkeypatch.setattr(
        "skye_server.openapi.as_yaml", lambda document: generated.append(document) or as_yaml(document)
    )
    with ThreadPoolExecutor(3) as threads:
        texts = list(threads.map(contract_of(service.app).written, ["openapi.yaml"] * 3))
    assert texts[0] == texts[1] == texts[2]
    assert len(generated) == 1
    assert len(pauses) > 1_000
