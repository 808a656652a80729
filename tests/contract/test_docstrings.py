"""What docstrings show is what happens."""

import doctest
import importlib
import pkgutil

import pytest

import service
import skye

MODULES = [
    module.name
    for package in (skye, service)
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
    if module.name not in ("service.wsgi", "service.server.worker")  # which only gunicorn can load
]


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_of_a_module_are_true(name):
    assert doctest.testmod(importlib.import_module(name)).failed == 0


def test_there_are_examples():
    found = [doctest.DocTestFinder().find(importlib.import_module(name)) for name in MODULES]
    assert sum(len(test.examples) for tests in found for test in tests) >= 10
