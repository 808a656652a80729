"""Replays of the witnesses of defects on a lab server."""

import msgspec

from skye_server.commands.hunts import Hunt
from skye_server.http.framework import collaborators
from skye_server.hunts.evidence import requests_of
from skye_server.hunts.replay import part_of
from skye_server.hunts.reports import Replays

HUNT = Hunt("a" * 12, "", "", None, "", [], 0)


def replays_of(lab, defect):
    """Return the replays of the witness of a defect, as a context manager."""
    return Replays(apps_of(lab), requests_of(HUNT, [*defect.witness]), float("inf"))


def apps_of(lab):
    """Return the applications of the hunts of a lab server."""
    return collaborators(lab.app).hunts.judge.apps


def part_shown(answer, shows):
    """Return the part of a comparable response that a witness looks at; see `Defect.shows`."""
    if shows.startswith("header:"):
        return answer["headers"].get(shows.removeprefix("header:").lower())
    if shows in ("status", "slow"):
        return answer[shows]
    if not shows:
        return answer["body"]
    try:
        return part_of(msgspec.json.decode(answer["body"]), shows)
    except msgspec.DecodeError:
        return answer["body"]
