"""Annotations of compiled classes, with a module that only claims to be compiled."""

import sys
from types import ModuleType

import pytest

from skye.annotations import restore_annotations

SOURCE = "class Pair:\n    names: tuple[str, ...]\n    age: int | None = None\n"


@pytest.fixture
def pair(tmp_path, monkeypatch):
    """A class of a module with erased annotations, whose source lies beside it."""
    (tmp_path / "pairs.py").write_text(SOURCE)
    module = ModuleType("pairs")
    module.__file__ = str(tmp_path / "pairs.cpython-311-x86_64-linux-gnu.so")
    exec(SOURCE, vars(module))
    monkeypatch.setitem(sys.modules, "pairs", module)
    module.Pair.__annotations__.update(names=tuple, age=type)
    return module.Pair


def test_erased_annotations_are_those_of_the_source(pair):
    restore_annotations(pair)
    assert pair.__annotations__ == {"names": "tuple[str, ...]", "age": "int | None"}


def test_annotations_of_a_pure_module_stay(pair):
    sys.modules["pairs"].__file__ = "pairs.py"
    restore_annotations(pair)
    assert pair.__annotations__ == {"names": tuple, "age": type}
