"""`skye-server serve` with defects of bug hunts in its API: those that the environment names, if any.

DETECTION_DEFECTS=game_without_last_event python -m hunts.tests.detection.defective
"""

import os
import sys
from pathlib import Path

from skye_hunts.defects import DEFECTS
from skye_hunts.seams import install, wrapped
from skye_server.server import api_process, launcher

NAMES = "DETECTION_DEFECTS"
"""Their names, with commas between them."""

REQUESTED = "DETECTION_REQUESTED"
"""The file into which the server writes the names of the operations that are requested."""

COMMAND = ["-m", "hunts.tests.detection.defective"]
"""What Python runs; see `tests.support.launcher.COMMAND`."""


def application():
    """Return the application of the server, with the defects."""
    from skye_server.wsgi import app  # noqa: PLC0415 - it connects to the store: only a worker imports it

    for name in filter(None, os.environ.get(NAMES, "").split(",")):
        install(app, DEFECTS[name])
    if path := os.environ.get(REQUESTED):
        for endpoint, view in app.view_functions.items():
            app.view_functions[endpoint] = wrapped(view, _noting(endpoint.rpartition(".")[2], path))
    return app


def _noting(operation, path):
    def noted(view, **_):
        with open(path, "a") as file:  # noqa: PTH123 - one write, so that processes do not mix theirs
            file.write(f"{operation}\n")
        return view()

    return noted


if __name__ == "__main__":
    os.environ["PYTHONPATH"] = str(Path.cwd())
    api_process.APPLICATION = "hunts.tests.detection.defective:application()"
    sys.exit(launcher.serve())
