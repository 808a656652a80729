"""Collect the web client and the TypeScript client, which are folders of their own, as package data."""

import shutil
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

ROOT = Path(__file__).resolve().parents[1]
COLLECTED = ("web", "clients/typescript/src")


class BuildWithBrowserFiles(build_py):
    """Build the package with the files that browsers load, in `skye_server/browser/`."""

    def run(self) -> None:
        """Build, then copy; an editable installation finds the files in the checkout."""
        super().run()
        if not self.editable_mode:
            for folder in COLLECTED:
                target = Path(self.build_lib, "skye_server", "browser", folder)
                shutil.copytree(ROOT / folder, target, dirs_exist_ok=True)


setup(cmdclass={"build_py": BuildWithBrowserFiles})
