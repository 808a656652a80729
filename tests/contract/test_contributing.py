"""CONTRIBUTING.md is correct: what it names exists, and every package is in its table."""

import fnmatch
import importlib
import re
import subprocess
from functools import cache
from pathlib import Path

import pytest

from tests.support.launcher import ROOT

TEXT = (ROOT / "CONTRIBUTING.md").read_text()
SERVER = ROOT / "service" / "skye_server"

_FENCE = re.compile(r"^```\w*\n(.*?)^```$|^(    .*)$", re.MULTILINE | re.DOTALL)
_PATH = r"(?<![\w/.])[\w.*-]+(?:/[\w.*-]+)+/?"
_FILE = r"[\w*-]+/|[\w*-]+\.(?:py|js|md|toml|txt|tsv|json|yaml|lua)"
_PACKAGES = "skye|skye_server|skye_gym|skye_client|tests|bench|deploy|hunts"

NEITHER_PATHS_NOR_MODULES = {
    "GAME/PLAYER", "NAME.txt",  # placeholders
    "skye_server.plugins",  # a group of entry points
}  # fmt: skip


@cache
def files():
    """Return the paths of all files of the checkout, except those that git ignores."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    return listed.stdout.split()


def unknown_to_the_code(names):
    """Return those of some names that are in no program of the checkout, and in no name of a file."""
    left = {name for name in names if not any(name in path for path in files())}
    for path in files():
        if left and path.endswith((".py", ".js", ".lua", ".toml", "Makefile")) and (ROOT / path).exists():
            text = (ROOT / path).read_text()
            left = {name for name in left if name not in text}
    return left


def blocks():
    """Return the fenced and the indented blocks of the page."""
    return [fenced or indented for fenced, indented in _FENCE.findall(TEXT)]


def spans():
    """Return the words that the page sets as code, outside of blocks."""
    return re.findall(r"`([^`\n]+)`", _FENCE.sub("", TEXT))


@cache
def endings():
    """Return the paths of all files and folders, and all ends of these paths."""
    paths = {each for file in files() for each in (Path(file), *Path(file).parents)}
    return {"/".join(path.parts[number:]) for path in paths for number in range(len(path.parts))}


def exists(path):
    """Return whether this ends the path of a file or folder, or names a module or something in one.

    What git ignores exists once it is built.
    """
    module, _, names = path.partition(".")
    if path.rstrip("/") in endings() or fnmatch.filter(endings() if "*" in path else (), path):
        return True
    if f"{module}.py" in endings() and not unknown_to_the_code(names.split(".")):
        return True
    return subprocess.run(["git", "check-ignore", "--quiet", path], cwd=ROOT, check=False).returncode == 0


def resolves(name):
    """Return whether a dotted name is that of a module, or of something in one."""
    parts = name.split(".")
    for number in range(len(parts), 0, -1):
        try:
            found = importlib.import_module(".".join(parts[:number]))
        except ModuleNotFoundError:
            continue
        for part in parts[number:]:
            found = getattr(found, part, None)
        return found is not None
    return False


def test_every_path_that_the_page_names_exists():
    named = {*re.findall(r"\]\(([^)]+)\)", TEXT)}
    named |= {span for span in spans() if re.fullmatch(rf"{_PATH}|{_FILE}", span)}
    named |= {path for block in blocks() for path in re.findall(_PATH, block)}
    named -= NEITHER_PATHS_NOR_MODULES
    assert named
    assert [path for path in sorted(named) if not exists(path)] == []


def test_every_module_that_the_page_names_exists():
    named = {span for span in spans() if re.fullmatch(rf"(?:{_PACKAGES})(?:\.\w+)+", span)}
    named |= set(re.findall(r"python -m ([\w.]+)", TEXT)) - {"pytest"}
    named -= NEITHER_PATHS_NOR_MODULES
    assert named
    assert [name for name in sorted(named) if not resolves(name)] == []


def test_every_name_that_the_page_sets_as_code_is_a_word_of_the_code():
    named = {span for span in spans() if re.fullmatch(r"\w*[a-z]_\w+|[A-Z_]{4,}", span)}
    named |= {word for block in blocks() for word in re.findall(r"\b[a-z]+_\w+\b", block)}
    assert named
    assert unknown_to_the_code(named) == set()


def test_every_make_target_that_the_page_names_exists():
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    code = [*spans(), *blocks()]
    named = {
        name
        for text in code
        for names in re.findall(r"make ((?:[a-z-]+ ?)+)", text)
        for name in names.split()
    }
    assert named
    assert named - targets == set()


@pytest.mark.parametrize("package", sorted({path.parent.name for path in SERVER.glob("*/*.py")}))
def test_every_package_is_in_the_table(package):
    assert f"| `service/skye_server/{package}/` |" in TEXT
