"""Build the pure wheel of the engine or, with SKYE_COMPILE=1, one for this platform, compiled by mypyc."""

import os
from pathlib import Path

from setuptools import Extension, setup

PACKAGES = ("bots", "rules", "scoring", "territory", "tiles")
"""The packages that are compiled: those in which games and bots spend their time."""

MODULES = ("draws.py", "rulesets/base_scoring.py", "visibility/observation.py")

PURE = ("__init__.py", "setup.py")
"""Files of the packages that stay as they are: `rules/setup.py` checks options of any type."""

COMPILE = os.environ.get("SKYE_COMPILE") == "1"


def extensions() -> list[Extension]:
    """Return the compiled modules."""
    from compiled_docstrings import keep_docstrings  # noqa: PLC0415 - only needed to compile
    from mypyc.build import mypycify  # noqa: PLC0415

    in_packages = [path for package in PACKAGES for path in sorted(Path("skye", package).glob("*.py"))]
    modules = [path for path in in_packages if path.name not in PURE]
    modules += [Path("skye", module) for module in MODULES]
    # The name of the common library: mypyc takes a hash otherwise, which may begin with a digit.
    sources = [path.as_posix() for path in modules]
    compiled = mypycify(sources, group_name="skye")
    keep_docstrings(sources, [each for extension in compiled for each in extension.sources])
    return compiled


setup(ext_modules=extensions() if COMPILE else [])
