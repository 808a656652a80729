"""The contract: the OpenAPI document, made from the routes and their schemas."""

from __future__ import annotations

from flask import Flask
from flask_smorest import Api

_TITLE = "Isle of Skye"
_VERSION = "1.0.0"


class Contract(Api):
    """Collects the operations of the app; refusals are written by `problems`, not here."""

    def __init__(self, app: Flask) -> None:
        app.config |= {"API_TITLE": _TITLE, "API_VERSION": _VERSION, "OPENAPI_VERSION": "3.1.0"}
        super().__init__(app)

    def _register_error_handlers(self) -> None:
        """Register none: `problems.register` does."""
