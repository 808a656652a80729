"""The page asks for its modules at once, not for one after the other."""

import posixpath
import re
from itertools import chain

from tests.support.launcher import ROOT

WEB = ROOT / "web"


def static_imports(module):
    """Return the modules without which a module does not run, and itself."""
    found, open_ = set(), [module]
    while open_:
        module = posixpath.normpath(open_.pop())
        if module in found:
            continue
        found.add(module)
        named = re.findall(r'^import [^;]* from "(\.[^"]+)";', (ROOT / module).read_text(), re.MULTILINE)
        open_ += [posixpath.join(posixpath.dirname(module), name) for name in named]
    return found


def test_modules_of_an_open_game_and_no_others_are_preloaded():
    page = (WEB / "index.html").read_text()
    by_page = re.findall(r'<link rel="modulepreload" href="/play/-/([^"]+)">', page)
    page_modules = re.search(r"const GAME_PAGE = (\[.*?\n\]);", (WEB / "main.js").read_text(), re.DOTALL)[1]
    by_main = [posixpath.normpath(f"web/{name}.js") for name in re.findall(r'"([^"]+)"', page_modules)]
    needed = set(
        chain(*map(static_imports, ["web/main.js", "web/game/open-game.js", "web/game/game-page.js"]))
    ) - {"web/main.js"}
    assert sorted(by_page + by_main) == sorted(needed)
