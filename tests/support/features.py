"""What the tests of each feature of the server add to the tables of the other tests."""

from importlib import import_module

from skye_server.features import FEATURES
from tests.support.launcher import ROOT


def modules_of_features(name):
    """Return the modules of a name beside the tests of each feature, such as `tests.matchmaking.provoked`."""
    folders = [feature.split(".")[-2] for feature in FEATURES]
    has_one = [folder for folder in folders if (ROOT / "tests" / folder / f"{name}.py").exists()]
    return [import_module(f"tests.{folder}.{name}") for folder in has_one]
