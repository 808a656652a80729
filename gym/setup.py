"""Build the pure wheel or, with SKYE_COMPILE=1, one for this platform, whose search bot mypyc compiled."""

import os
from pathlib import Path

from setuptools import Extension, setup

COMPILE = os.environ.get("SKYE_COMPILE") == "1"


def extensions() -> list[Extension]:
    """Return the compiled modules: those in which the expert spends its time."""
    from mypyc.build import mypycify  # noqa: PLC0415 - only needed to compile

    modules = [path for path in sorted(Path("skye_gym", "bots").glob("*.py")) if path.name != "__init__.py"]
    # mypy reads the types of the engine, which lies beside the gym, or is named by the caller.
    os.environ.setdefault("MYPYPATH", str(Path("..", "engine").resolve()))
    # The name of the common library: mypyc takes a hash otherwise, which may begin with a digit.
    return mypycify([str(path) for path in modules], group_name="skye_gym")


setup(
    ext_modules=extensions() if COMPILE else [],
    setup_requires=["mypy>=1.18"] if COMPILE else [],
)
