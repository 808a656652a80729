"""Write the API reference of the engine and of skye-gym, `make reference`: HTML pages, offline."""

import importlib
import inspect
import pkgutil
import re
import subprocess
import sys
from pathlib import Path


def public_modules(package):
    """Return the names of the public modules of a package, which its docstring lists."""
    name = package.__name__
    return [name, *re.findall(rf"`({name}\.[\w.]+)`", package.__doc__ or "")]


def functions_without_example(name):
    """Return the names of the public functions of a module whose docstrings have no example."""
    module = importlib.import_module(name)
    listed = getattr(module, "__all__", ())
    return [
        name
        for name, thing in inspect.getmembers(module, inspect.isfunction)
        if name in listed or (thing.__module__ == module.__name__ and name[0] != "_")
        if ">>>" not in (inspect.getdoc(thing) or "")
    ]


def write(folder, *packages):
    """Write a page for each public module whose framework is installed, and the index of their search."""
    modules = [name for package in packages for name in public_modules(package) if is_importable(name)]
    others = {
        module.name
        for package in packages
        for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}.", _skip)
    } - set(modules)
    hidden = [f"!{re.escape(name)}$" for name in others]
    options = ["--docformat", "restructuredtext", "--output-directory", str(folder)]
    subprocess.run(
        [sys.executable, "-W", "ignore", "-m", "pdoc", *options, *modules, *sorted(hidden)], check=True
    )


def is_importable(module):
    """Whether a module can be imported: the framework that it adapts may not be installed."""
    try:
        importlib.import_module(module)
    except ImportError:
        return False
    return True


def _skip(_package):
    """Go on after a package that cannot be imported."""


if __name__ == "__main__":
    write(Path(sys.argv[1]), *map(importlib.import_module, sys.argv[2:]))
