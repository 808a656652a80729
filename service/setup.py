"""Collect the web client and the TypeScript client, which are folders of their own, as package data.

esbuild bundles the modules and the style sheet of the web client, if `npm ci --prefix web` has installed it:
a first game then needs a fifth of the requests. Without it, the distribution has the files as they are.
"""

import shutil
import subprocess
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py
from setuptools.command.sdist import sdist

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
BROWSER = Path("skye_server", "browser")
COLLECTED = ("web", "clients/typescript/src")
BUNDLED = ("main.js", "style.css")


class BuildWithBrowserFiles(build_py):
    """Build the package with the files that browsers load."""

    def run(self) -> None:
        """Build, then add the files; an editable installation finds them in the checkout."""
        super().run()
        if not self.editable_mode:
            collect(Path(self.build_lib) / BROWSER)


class ArchiveWithBrowserFiles(sdist):
    """Write a source archive with the files that browsers load, which are not below this folder."""

    def make_release_tree(self, base_dir: str, files: list[str]) -> None:
        """Copy the files of the distribution, then add the others."""
        super().make_release_tree(base_dir, files)
        collect(Path(base_dir) / BROWSER)


def collect(browser: Path) -> None:
    """Copy and bundle the files that browsers load into a folder; a source archive has them already."""
    if (HERE / BROWSER).exists():
        shutil.copytree(HERE / BROWSER, browser, dirs_exist_ok=True)
        return
    for folder in COLLECTED:
        ignored = shutil.ignore_patterns(".*", "node_modules", "package*.json", "tsconfig.json", "*.mjs")
        shutil.copytree(ROOT / folder, browser / folder, ignore=ignored, dirs_exist_ok=True)
    bundle(browser / "web")


def bundle(target: Path) -> None:
    """Replace all modules by one file, and all style sheets by another."""
    esbuild = next(ROOT.glob("web/node_modules/@esbuild/*/bin/esbuild"), None)
    if esbuild is None:
        return
    for part in [*target.rglob("*.js"), *target.rglob("*.css")]:
        part.unlink()
    for name in BUNDLED:
        options = ("--bundle", "--format=esm", "--minify", "--log-level=warning", "--allow-overwrite")
        subprocess.run([esbuild, ROOT / "web" / name, *options, f"--outfile={target / name}"], check=True)  # noqa: S603 - a program of this checkout


setup(cmdclass={"build_py": BuildWithBrowserFiles, "sdist": ArchiveWithBrowserFiles})
