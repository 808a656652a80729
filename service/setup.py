"""Collect the web client and the TypeScript client, which are folders of their own, as package data.

esbuild bundles the modules and the style sheet of the web client, if `npm ci --prefix web` has installed it:
a first game then needs a fifth of the requests. Without it, the distribution has the files as they are.
What no first game needs (`RARE`) is in a file of its own, which is loaded when it is first needed.
"""

import json
import os
import re
import shutil
import subprocess
from itertools import count
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py
from setuptools.command.sdist import sdist

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
BROWSER = Path("skye_server", "browser")
COLLECTED = ("web", "clients/typescript/src")
RARE = (
    "game/bag.js",
    "game/fork.js",
    "game/guide.js",
    "game/help.js",
    "game/hotseat.js",
    "game/menu-items.js",
    "game/points.js",
    "game/rematch.js",
    "game/replay.js",
    "game/result-picture.js",
    "game/rules.js",
    "home/bot-at-url.js",
    "home/host-token.js",
    "home/hunts.js",
    "home/lobby.js",
    "home/past-games.js",
    "home/player-key.js",
    "ladder/changes.js",
    "ladder/pages.js",
    "ladder/rated.js",
)
"""The modules that are loaded when they are first needed, all together."""

PALETTE = Path("shared/palette.css")
"""The style sheet that the pages of the guide use too."""

_DOCUMENTATION = re.compile(r"/\*\*.*?\*/", re.DOTALL)
_DYNAMIC_IMPORT = re.compile(r'\bimport\("(\.[^"]+)"\)')


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
    """Minify the texts, and replace the style sheets by one file.

    The modules become `main.js`, `rare.js`, and what both need.
    """
    esbuild = next(ROOT.glob("web/node_modules/@esbuild/*/bin/esbuild"), None)
    if esbuild is None:
        return
    for texts in target.glob("lang/*.json"):
        texts.write_text(json.dumps(json.loads(texts.read_text()), ensure_ascii=False, separators=(",", ":")))
    for source in target.rglob("*.js"):
        source.write_text(_with_few_dynamic_imports(target, source))
    exports = (f'export * as {_name(part)} from "./{part}";' for part in RARE)
    (target / "rare.js").write_text("\n".join(exports))
    built = target.parent / "bundled"
    options = ("--bundle", "--splitting", "--format=esm", "--minify", "--log-level=warning")
    names = ("--entry-names=[name]", "--chunk-names=shared-[hash]", f"--outdir={built}")
    entries = (target / "main.js", target / "rare.js", target / "style.css")
    subprocess.run([esbuild, *entries, *options, *names], check=True)  # noqa: S603 - a program of this checkout
    for part in {*target.rglob("*.js"), *target.rglob("*.css")} - {target / PALETTE}:
        part.unlink()
    shutil.copytree(built, target, dirs_exist_ok=True)
    shutil.rmtree(built)


def _with_few_dynamic_imports(target: Path, source: Path) -> str:
    """Return a module that imports others statically, and those that are rarely needed by `rare.js`."""
    numbers = count()
    imports: list[str] = []

    def imported(found: re.Match[str]) -> str:
        part = os.path.relpath(source.parent / found[1], target)
        if part in RARE:
            rare = os.path.relpath(target / "rare.js", source.parent)
            return f'import("./{rare}").then((all) => all.{_name(part)})'
        name = f"module_{next(numbers)}"
        imports.append(f'import * as {name} from "{found[1]}";')
        return f"Promise.resolve({name})"

    text = _DYNAMIC_IMPORT.sub(imported, _DOCUMENTATION.sub("", source.read_text()))
    return "\n".join([*imports, text])


def _name(part: str) -> str:
    """Return the name of a module in `rare.js`."""
    return re.sub(r"\W", "_", part)


setup(cmdclass={"build_py": BuildWithBrowserFiles, "sdist": ArchiveWithBrowserFiles})
