"""The API reference of the engine and of skye-gym is built from the docstrings, without a network."""

import re

import skye
import skye_gym
from tests.support.reference import is_importable, public_modules, write


def test_reference_has_a_page_for_each_public_module(tmp_path):
    write(tmp_path, skye, skye_gym)
    pages = {str(page.relative_to(tmp_path)): page.read_text("utf-8") for page in tmp_path.rglob("*.html")}
    modules = [*filter(is_importable, public_modules(skye) + public_modules(skye_gym))]
    assert pages.keys() == {f"{name.replace('.', '/')}.html" for name in modules} | {"index.html"}
    assert all(f'id="{name}"' in pages["skye.html"] for name in skye.__all__)
    assert not re.findall(r'<(?:script|img|link)[^>]*(?:src|href)="http[^"]*"', "".join(pages.values()))
