"""The examples in docstrings give the results that they show."""

import doctest
import importlib
import pkgutil

import pytest

import skye
import skye_server

LOADED_BY_GUNICORN = ("skye_server.wsgi", "skye_server.worker.worker", "skye_server.worker.gunicorn_conf")
MODULES = [
    module.name
    for package in (skye, skye_server)
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
    if module.name not in LOADED_BY_GUNICORN
]


@pytest.mark.parametrize("name", MODULES)
def test_docstring_examples_of_a_module_pass(name):
    assert doctest.testmod(importlib.import_module(name)).failed == 0
