"""The API reference of the engine is built from the docstrings, without a network."""

import re

import skye
from tests.engine.reference import public_modules, write


def test_reference_has_a_page_for_each_public_module(tmp_path):
    write(tmp_path)
    pages = {str(page.relative_to(tmp_path)): page.read_text("utf-8") for page in tmp_path.rglob("*.html")}
    assert pages.keys() == {f"{name.replace('.', '/')}.html" for name in public_modules()} | {"index.html"}
    assert all(f'id="{name}"' in pages["skye.html"] for name in skye.__all__)
    assert not re.findall(r'<(?:script|img|link)[^>]*(?:src|href)="http[^"]*"', "".join(pages.values()))
