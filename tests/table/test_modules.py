"""The page of the table asks for its modules at once, not for one after the other."""

import re
from itertools import chain

from tests.support.launcher import ROOT

WEB = ROOT / "web"


def static_imports(module):
    """Return the modules without which a module does not run, and itself."""
    found, open_ = set(), [module]
    while open_:
        module = open_.pop()
        if module in found:
            continue
        found.add(module)
        named = re.findall(r'^import [^;]* from "(\.[^"]+)";', (WEB / module).read_text(), re.MULTILINE)
        open_ += [str((WEB / module).parent.joinpath(name).relative_to(WEB)) for name in named]
    return found


def test_page_preloads_the_modules_of_an_open_table_and_no_others():
    page = (WEB / "index.html").read_text()
    preloaded = re.findall(r'<link rel="modulepreload" href="/play/-/([^"]+)">', page)
    needed = set(chain(*map(static_imports, ["main.js", "open-table.js", "table.js"]))) - {"main.js"}
    assert sorted(preloaded) == sorted(needed)
