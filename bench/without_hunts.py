"""The API without the code of bug hunts: what these cost a server that is no lab.

gunicorn serves `bench.without_hunts:app`.
"""

from __future__ import annotations

from unittest.mock import patch

from flask import Blueprint

from skye_server import app as application
from skye_server.routes import BLUEPRINTS, hunts

__all__ = ["app"]

with (
    patch.object(application, "BLUEPRINTS", [each for each in BLUEPRINTS if each is not hunts.blueprint]),
    patch.object(hunts, "api_blueprint", Blueprint("None", __name__)),
):
    from skye_server.wsgi import app
