"""The witness of each defect of bug hunts: it shows its own defect, and no other."""

from itertools import product

import msgspec
import pytest

from skye_hunts.comparing import comparable
from skye_hunts.defects import DEFECTS, concurrency
from skye_hunts.enums import DEFECT_CLASSES
from skye_hunts.evidence import requests_of
from skye_hunts.hunts import Hunt
from skye_hunts.replay import part_of
from skye_hunts.reports import Replays
from skye_server.http.framework import collaborators
from tests.support.playing import Service


@pytest.fixture(scope="module")
def lab():
    with Service(lab=True) as service:
        yield service


@pytest.fixture(autouse=True)
def _no_window(monkeypatch):
    monkeypatch.setattr(concurrency, "_WINDOW_S", 0)  # a replay depends on no duration


def replays_of(lab, defect):
    """Return the replays of the witness of a defect, as a context manager."""
    hunt = Hunt("a" * 12, "", "", None, "", [], 0)
    apps = collaborators(lab.app).features["hunts"].judge.apps
    return Replays(apps, requests_of(hunt, [*defect.witness]), float("inf"))


def part_shown(answer, shows):
    """Return the part of a comparable response that a witness looks at; see `Defect.shows`."""
    if shows.startswith("header:"):
        return answer["headers"].get(shows.removeprefix("header:").lower())
    if shows in ("status", "slow"):
        return answer[shows]
    try:
        return part_of(msgspec.json.decode(answer["body"]), shows) if shows else answer["body"]
    except msgspec.DecodeError:
        return answer["body"]


def shown(replays, defect, answers):
    """Return the part of the last response that the witness of a defect looks at, and check all statuses."""
    assert not [answer for answer in answers if answer.status >= 500]
    return part_shown(comparable(replays.requests, answers)[-1], defect.shows)


def operations_of(replays, answers):
    """Return the operation of each request."""
    requests = zip(replays.requests, answers, strict=True)
    return [replays.apps.operation(request.method, answer.path) for request, answer in requests]


@pytest.mark.parametrize("name", DEFECTS)
def test_witness_shows_its_defect_at_the_last_response(lab, name):
    """A report of the witness is accepted: correct replays agree, and the one with the defect differs."""
    defect = DEFECTS[name]
    with replays_of(lab, defect) as replays:
        correct = replays.correct()
        assert correct is not None
        answers = replays.defective([name])
        assert len(answers) - 1 in replays.differing(answers, correct)
    assert shown(replays, defect, answers) not in [part_shown(each[-1], defect.shows) for each in correct]
    assert operations_of(replays, answers)[-1] == defect.operation
    assert all(answer["status"] < 500 for answer in correct[0])


@pytest.mark.parametrize("name", DEFECTS)
def test_no_other_defect_shows_in_a_witness(lab, name):
    """Only a defect that changes an operation of the witness could."""
    defect = DEFECTS[name]
    with replays_of(lab, defect) as replays:
        answers = replays.run(())
        correct, used = shown(replays, defect, answers), {*operations_of(replays, answers)}
        others = [other for other in DEFECTS if other != name and used.intersection(DEFECTS[other].changes)]
        showing = [other for other in others if shown(replays, defect, replays.defective([other])) != correct]
    assert showing == []


def test_each_class_has_a_defect_of_each_difficulty():
    found = {(defect.kind, defect.difficulty) for defect in DEFECTS.values()}
    assert found == {*product(DEFECT_CLASSES, ("easy", "medium", "hard"))}
