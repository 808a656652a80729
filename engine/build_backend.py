"""The build backend: that of setuptools; compiled wheels (SKYE_COMPILE=1) require the compiler."""

import os
from typing import Any

from setuptools.build_meta import *  # noqa: F403 - the hooks of PEP 517 and PEP 660

COMPILER = "mypy>=2.4,<3"
"""mypyc is a part of mypy."""


def _requirements(_settings: Any = None) -> list[str]:
    return [COMPILER] if os.environ.get("SKYE_COMPILE") == "1" else []


get_requires_for_build_wheel = get_requires_for_build_editable = get_requires_for_build_sdist = _requirements
