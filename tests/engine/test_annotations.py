"""Annotations of compiled classes, with a module that only claims to be compiled."""

import inspect
import sys
from pathlib import Path
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


METHODS = '''class Pair:
    def first(self, name: str) -> str:
        """Return the first."""

    @classmethod
    def of(cls, names: tuple[str, ...]) -> "Pair":
        """Return a pair."""
'''


class Compiled:
    """What mypyc makes of a method of a named tuple: it has no name."""

    def __call__(self, *arguments):
        return arguments

    def __get__(self, instance, owner):
        return self if instance is None else lambda *arguments: self(instance, *arguments)


def test_compiled_methods_get_the_names_docstrings_and_signatures_of_the_source(pair):
    Path(sys.modules["pairs"].__file__).with_name("pairs.py").write_text(METHODS)
    pair.first, pair.of = Compiled(), classmethod(Compiled())
    restore_annotations(pair)
    assert (pair.first.__name__, pair.of.__qualname__) == ("first", "Pair.of")
    assert (inspect.getdoc(pair.first), inspect.getdoc(pair.of)) == ("Return the first.", "Return a pair.")
    assert str(inspect.signature(pair.first)) == "(self, name: 'str') -> 'str'"
    assert str(inspect.signature(pair.of)) == "(names: 'tuple[str, ...]') -> \"'Pair'\""
    one = pair()
    assert one.first("a") == (one, "a")
    assert pair.of("a") == (pair, "a")
