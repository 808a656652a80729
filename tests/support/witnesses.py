"""Replays of the witnesses of defects on a lab server."""

from skye_server.commands.hunts import Hunt
from skye_server.http.framework import collaborators
from skye_server.hunts.evidence import requests_of
from skye_server.hunts.reports import Replays

HUNT = Hunt("a" * 12, "", "", None, "", [], 0)


def replays_of(lab, defect):
    """Return the replays of the witness of a defect, as a context manager."""
    recorded = [request | {"status": None, "response_body": None} for request in defect.witness]
    return Replays(apps_of(lab), requests_of(HUNT, recorded), float("inf"))


def apps_of(lab):
    """Return the applications of the hunts of a lab server."""
    return collaborators(lab.app).hunts.judge.apps
