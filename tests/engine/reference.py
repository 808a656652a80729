"""Write the API reference of the engine, `make reference`: its public modules as HTML pages, offline."""

import re
import subprocess
import sys
from pathlib import Path

import skye

FOLDER = Path(skye.__path__[0])


def public_modules() -> list[str]:
    """Return the names of the public modules, which the docstring of `skye` lists."""
    return ["skye", *re.findall(r"`(skye\.\w+)`", skye.__doc__ or "")]


def write(folder: Path) -> None:
    """Write a page for each public module, and the index of their search."""
    modules = public_modules()
    others = {f"skye.{path.stem}" for path in FOLDER.iterdir()} - set(modules)
    hidden = [f"!{re.escape(name)}$" for name in others] + [f"!{re.escape(name)}\\." for name in modules[1:]]
    options = ["--docformat", "restructuredtext", "--output-directory", str(folder)]
    subprocess.run(
        [sys.executable, "-W", "ignore", "-m", "pdoc", *options, *modules, *sorted(hidden)], check=True
    )


if __name__ == "__main__":
    write(Path(sys.argv[1]))
