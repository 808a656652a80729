"""Who may import whom, read from the code itself."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def modules(room):
    return sorted((ROOT / room).rglob("*.py"))


def imported(module):
    """Return the names of the modules that a file imports, in full."""
    names = set()
    for node in ast.walk(ast.parse(module.read_bytes())):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            names.add(node.module)
    return names


@pytest.mark.parametrize("module", modules("engine"), ids=lambda path: path.stem)
def test_the_engine_imports_the_standard_library_and_itself(module):
    tops = {name.partition(".")[0] for name in imported(module)}
    assert tops <= sys.stdlib_module_names | {"skye"}


@pytest.mark.parametrize("module", modules("service"), ids=lambda path: path.stem)
def test_the_service_knows_the_engine_by_its_public_face(module):
    assert not {name for name in imported(module) if name.startswith("skye.")}


def test_the_launcher_and_gunicorns_master_load_no_part_of_the_application():
    """The launcher for its speed; the master since what it loads escapes gevent's patches of the workers."""
    code = "import sys, service.server.launcher, service.server.worker; print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert not {"flask", "redis", "marshmallow", "skye", "service.storage.redis_store"} & set(
        loaded.stdout.split()
    )
