"""Each enumeration has one home for its words and their meanings."""

import ast

import pytest

from skye.words import Word
from skye_server.contract.enums import enumerations
from tests.support.tiers import ROOT

SOURCES = ["engine/skye", "service/skye_server", "hunts/skye_hunts", "gym/skye_gym"]
CLIENTS = ["terminal.py"]
"""Modules that play by HTTP only, and share no code with the server."""


def strings(nodes):
    """Return the strings of nodes; None if one is anything else."""
    values = [node.value if isinstance(node, ast.Constant) else None for node in nodes]
    return tuple(values) if all(isinstance(value, str) for value in values) else None


def word_of(member):
    """Return the word of a member of an enumeration."""
    value = member.value.elts[0] if isinstance(member.value, ast.Tuple) else member.value
    return value.value if isinstance(value, ast.Constant) else None


def written_in(tree):
    """Yield the lists of words that a module defines: as members, as collections, and as types."""
    for node in ast.walk(tree):
        match node:
            case ast.ClassDef(bases=[ast.Name(id="Word" | "StrEnum"), *_]):
                yield tuple(word_of(member) for member in node.body if isinstance(member, ast.Assign))
            case ast.Subscript(value=ast.Name(id="Literal"), slice=ast.Tuple(elts=elements)):
                yield strings(elements)
            case ast.Assign(value=ast.Tuple(elts=elements) | ast.List(elts=elements)):
                yield strings(elements)
            case ast.AnnAssign(value=ast.Tuple(elts=elements) | ast.List(elts=elements)):
                yield strings(elements)


WORDS = {name: frozenset(map(str, kind.choices)) for name, kind in enumerations().items()}


@pytest.fixture(scope="module")
def places():
    """The modules that define a list of words, by the words."""
    found = {}
    for path in [path for folder in SOURCES for path in sorted(ROOT.joinpath(folder).rglob("*.py"))]:
        text = path.read_text()
        may_list = any(all(f'"{word}"' in text for word in words) for words in WORDS.values())
        for words in written_in(ast.parse(text)) if may_list and path.name not in CLIENTS else ():
            found.setdefault(frozenset(words or ()), []).append(path.relative_to(ROOT).as_posix())
    return found


@pytest.mark.parametrize("name", WORDS)
def test_words_of_an_enumeration_are_written_once(name, places):
    assert len(places.get(WORDS[name], [])) <= 1


OF_WORDS = [name for name, kind in enumerations().items() if isinstance(kind.choices, type)]


@pytest.mark.parametrize("name", OF_WORDS)
def test_class_of_the_contract_repeats_no_word_of_its_enumeration(name):
    kind = enumerations()[name]
    assert issubclass(kind.choices, Word)
    assert [word for word in kind.choices if f"`{word}`" in kind.__doc__] == []


def test_words_belong_to_one_enumeration_of_the_contract():
    homes = [enumerations()[name].choices for name in OF_WORDS]
    assert len(set(homes)) == len(homes)
