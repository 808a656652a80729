"""The versions of the encodings of actions and observations, which results and data sets name.

An encoding of a version never changes: a network that was trained with a version can play with every release
that has this version. When the meaning, the place or the scale of a number changes, the version
becomes higher in that release. A new encoding beside the others changes no version.

| version                | encodings                                                                         |
|------------------------|-----------------------------------------------------------------------------------|
| `ACTIONS_VERSION`      | `skye_gym.encoding`; `factored`, `list`, `list+gains`, `grid` of environments     |
| `OBSERVATIONS_VERSION` | `dict`, `flat`, `summary` of environments                                         |
"""

from __future__ import annotations

from typing import Final

ACTIONS_VERSION: Final = 1
OBSERVATIONS_VERSION: Final = 1
