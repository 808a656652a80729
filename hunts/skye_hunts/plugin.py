"""The plug-in: what bug hunts add to a server; nothing here imports a defect before a lab server is built."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final

from skye_server.features import ErrorCode, Feature, Joined

if TYPE_CHECKING:
    from flask import Blueprint

    from skye_server.http.framework import Host

NAME: Final = "hunts"


def _blueprints() -> Mapping[Blueprint, str]:
    from skye_hunts import routes  # noqa: PLC0415 - it depends on what this module adds

    return {
        routes.blueprint: "For those who practise API testing, only on servers with `SKYE_LAB=on`: an API "
        "with known defects, reports of them, and a score. `GET /docs/hunts` is a guide.",
        routes.api_blueprint: "",
    }


def _join(host: Host) -> Joined | None:
    """Add the hunts to a lab server. Other servers do not import the defects."""
    if not host.settings.lab:
        return None
    from skye_hunts.apps import HuntApps  # noqa: PLC0415 - as said

    apps = HuntApps(host)
    return Joined(apps.hunts, apps.dispatcher)


FEATURE: Final = Feature(
    name=NAME,
    errors={
        "hunt_key_required": ErrorCode(
            401, "This needs the key of the hunt, or of the hunt that it is a copy of, as the Bearer token."
        ),
        "hunt_not_found": ErrorCode(404, "There is no such bug hunt, or it has expired."),
        "too_many_hunts": ErrorCode(409, "The server has the maximum number of bug hunts."),
        "too_many_reports": ErrorCode(409, "The bug hunt has the maximum number of reports."),
        "hunt_ended": ErrorCode(410, "The bug hunt was revealed; its API is gone."),
    },
    pages={"hunts": "skye_hunts.docs"},
    enumerations=("skye_hunts.enums",),
    parameters={"hunt": ("The id of the bug hunt.", {"type": "string", "minLength": 1, "maxLength": 64})},
    schemas={
        "ScoreTable": {
            "type": "string",
            "description": "Scores as CSV (RFC 4180), with names of columns in the first line.",
            "contentMediaType": "text/csv",
            "maxLength": 262_144,
        },
    },
    security_schemes={
        "hunt": {
            "type": "http",
            "scheme": "bearer",
            "description": "The key of a bug hunt, from `POST /v1/lab/hunts`, on lab servers only.",
        },
    },
    examples=Path(__file__).with_name("examples.json"),
    blueprints=_blueprints,
    join=_join,
)
