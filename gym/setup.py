"""Build the pure wheel or, with SKYE_COMPILE=1, one for this platform with modules that mypyc compiled."""

import os
import sys
from pathlib import Path

from setuptools import Extension, setup

ENVIRONMENTS = ("gains.py", "planes.py")
"""The modules of the environments that are compiled. They need no NumPy; their objects are not pickled."""

COMPILE = os.environ.get("SKYE_COMPILE") == "1"


def extensions() -> list[Extension]:
    """Return the compiled modules: those in which the expert and the environments spend their time."""
    # mypy reads the types of the engine, which lies beside the gym, or is named by the caller.
    engine = os.environ.setdefault("MYPYPATH", str(Path("..", "engine").resolve()))
    sys.path += engine.split(os.pathsep)
    from compiled_docstrings import keep_docstrings  # noqa: PLC0415 - only needed to compile
    from mypyc.build import mypycify  # noqa: PLC0415

    modules = sorted(Path("skye_gym", "bots").rglob("*.py"))
    modules += [Path("skye_gym", "envs", module) for module in ENVIRONMENTS]
    sources = [path.as_posix() for path in modules if path.name != "__init__.py"]
    # The name of the common library: mypyc takes a hash otherwise, which may begin with a digit.
    compiled = mypycify(sources, group_name="skye_gym")
    keep_docstrings(sources, [each for extension in compiled for each in extension.sources])
    return compiled


setup(ext_modules=extensions() if COMPILE else [])
