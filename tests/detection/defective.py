"""`skye-server serve` with one defect of bug hunts in its API: the one that the environment names, if any.

DETECTION_DEFECT=game_without_last_event python -m tests.detection.defective
"""

import os
import sys
from pathlib import Path

from skye_server.server import api_process, launcher

NAMES = "DETECTION_DEFECTS"
"""Their names, with commas between them."""

REQUESTED = "DETECTION_REQUESTED"
"""The file into which the server writes the names of the operations that are requested."""

COMMAND = ["-m", "tests.detection.defective"]
"""What Python runs; see `tests.support.launcher.COMMAND`."""


def application():
    """Return the application of the server, with the defects."""
    from skye_server.http.framework import collaborators  # noqa: PLC0415 - the launcher needs none of them
    from skye_server.hunts.defects import DEFECTS  # noqa: PLC0415
    from skye_server.hunts.seams import Seams  # noqa: PLC0415
    from skye_server.wsgi import app  # noqa: PLC0415

    seams = Seams(app, collaborators(app).games.store.hunt_memory)
    for name in filter(None, os.environ.get(NAMES, "").split(",")):
        DEFECTS[name].install(seams)
    if path := os.environ.get(REQUESTED):
        for endpoint in app.view_functions:
            _note(seams, endpoint.rpartition(".")[2], path)
    return app


def _note(seams, operation, path):
    @seams.view(operation)
    def noted(view, **_):
        with open(path, "a") as file:  # noqa: PTH123 - one write, so that processes do not mix theirs
            file.write(f"{operation}\n")
        return view()


if __name__ == "__main__":
    os.environ["PYTHONPATH"] = str(Path.cwd())
    api_process.APPLICATION = "tests.detection.defective:application()"
    sys.exit(launcher.serve())
