"""The version of the project, in each file that states it.

python -m deploy.release.versions            # print it
python -m deploy.release.versions 1.0.0      # write it
"""

import re
import sys
from pathlib import Path

from deploy.release.commands import ReleaseError

ROOT = Path(__file__).resolve().parents[2]

_VERSION = r"(\d+\.\d+\.\d+[^\"\s]*)"

STATED = {
    "engine/skye/__init__.py": rf'__version__ = "{_VERSION}"',
    "service/pyproject.toml": rf'\nversion = "{_VERSION}"',
    "gym/pyproject.toml": rf'(?:\nversion = "|skye-engine==){_VERSION}',
    "hunts/pyproject.toml": rf'(?:\nversion = "|skye-server==){_VERSION}',
    "clients/python/skye_client/version.py": rf'__version__: Final = "{_VERSION}"',
    "clients/mcp/pyproject.toml": rf'\nversion = "{_VERSION}"',
    "gym/openenv/pyproject.toml": rf'\nversion = "{_VERSION}"',
    "gym/openenv/openenv.yaml": rf"\nversion: {_VERSION}",
    "gym/verifiers/pyproject.toml": rf'\nversion = "{_VERSION}"',
    "clients/typescript/package.json": rf'\n  "version": "{_VERSION}"',
    "clients/typescript/package-lock.json": rf'"name": "skye-client",\s+"version": "{_VERSION}"',
    "clients/typescript/src/transport.js": rf'VERSION = "{_VERSION}"',
    "deploy/compose.yaml": rf"image: skye-(?:server|mcp):{_VERSION}",
    "deploy/kubernetes/base/kustomization.yaml": rf"newTag: {_VERSION}",
    "deploy/README.md": r"skye-(?:server|mcp)[:-](\d+\.\d+\.\d+\S*?)(?:\.docker|\s)",
}
"""Patterns of the version by file; each occurs at least once."""


def stated(root=ROOT):
    """Return the sets of versions by file."""
    return {file: set(re.findall(pattern, (root / file).read_text())) for file, pattern in STATED.items()}


def version(root=ROOT):
    """Return the version that all files state.

    :raises ReleaseError: if they disagree.
    """
    found = stated(root)
    versions = set().union(*found.values())
    if len(versions) == 1 and all(found.values()):
        return versions.pop()
    lines = [f"  {file}: {', '.join(sorted(of_file)) or 'none'}" for file, of_file in found.items()]
    remedy = "Write one with `python -m deploy.release.versions VERSION`."
    raise ReleaseError("\n".join(["The files state different versions:", *lines, remedy]))


def write(new, root=ROOT):
    """Write a version into all files."""
    for file, pattern in STATED.items():
        path = root / file
        path.write_text(re.sub(pattern, lambda found: found[0].replace(found[1], new), path.read_text()))


if __name__ == "__main__":
    if len(sys.argv) > 1:
        write(sys.argv[1])
    print(version())  # noqa: T201 - a command
