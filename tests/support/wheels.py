"""Build wheels from copies of the sources, and install them into environments of their own."""

import shutil
import sys
import sysconfig
from pathlib import Path

from deploy.release.commands import run
from tests.support.launcher import ROOT

COLLECTED = ("web", "clients/typescript/src")
"""The folders that the wheel of the server collects."""


def built(project, folder, **environ):
    """Build the wheel of a distribution from a copy of its sources, and return its path.

    :param environ: Additional environment variables of the build.
    """
    source = folder / "source"
    copy = source / project.relative_to(ROOT)
    ignored = shutil.ignore_patterns(
        ".*", "build", "*.egg-info", "__pycache__", "node_modules", "tests", "data"
    )
    for path in (project, *(ROOT / name for name in COLLECTED)):
        shutil.copytree(path, source / path.relative_to(ROOT), ignore=ignored, dirs_exist_ok=True)
    if (packages := ROOT / "web/node_modules").exists():  # with esbuild, which bundles the web client
        (source / "web/node_modules").symlink_to(packages)
    options = ("--no-deps", "--no-build-isolation", "--no-index", "--disable-pip-version-check", "--quiet")
    run(sys.executable, "-m", "pip", "wheel", *options, "--wheel-dir", folder, copy, cwd=folder, **environ)
    [wheel] = folder.glob("*.whl")
    return wheel


def installed(project, folder):
    """Build and install the wheel of a distribution alone; return the folder of its packages."""
    install = ("install", "--no-deps", "--no-index", "--target", folder / "site", built(project, folder))
    run(sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", *install, cwd=folder)
    return folder / "site"


def environment(folder, *wheels):
    """Create a virtual environment that holds these wheels alone, and return its Python."""
    run(sys.executable, "-m", "venv", "--without-pip", folder, cwd=folder.parent)
    python = folder / "bin" / "python"
    options = ("--no-deps", "--no-index", "--disable-pip-version-check", "--quiet")
    run(sys.executable, "-m", "pip", "--python", python, "install", *options, *wheels, cwd=folder)
    return python


def third_party_packages(folder):
    """Link to the installed packages except this project's distributions; return the folder."""
    folder.mkdir()
    for package in Path(sysconfig.get_path("purelib")).iterdir():
        if not package.name.startswith(("skye", "__editable__")) and package.suffix != ".pth":
            (folder / package.name).symlink_to(package)
    return folder
