"""Write the API reference of the engine, `make reference`: its public modules as HTML pages, offline."""

import importlib
import pkgutil
import re
import subprocess
import sys
from pathlib import Path

import skye


def public_modules() -> list[str]:
    """Return the names of the public modules, which the docstring of `skye` lists."""
    return ["skye", *re.findall(r"`(skye\.[\w.]+)`", skye.__doc__ or "")]


def write(folder: Path) -> None:
    """Write a page for each public module whose framework is installed, and the index of their search."""
    modules = [name for name in public_modules() if _is_importable(name)]
    others = {module.name for module in pkgutil.walk_packages(skye.__path__, "skye.", _skip)} - set(modules)
    hidden = [f"!{re.escape(name)}$" for name in others]
    options = ["--docformat", "restructuredtext", "--output-directory", str(folder)]
    subprocess.run(
        [sys.executable, "-W", "ignore", "-m", "pdoc", *options, *modules, *sorted(hidden)], check=True
    )


def _is_importable(module: str) -> bool:
    try:
        importlib.import_module(module)
    except ImportError:
        return False
    return True


def _skip(_package: str) -> None:
    """Go on after a package that cannot be imported."""


if __name__ == "__main__":
    write(Path(sys.argv[1]))
