"""The witness of each defect of bug hunts: it shows its own defect, and no other."""

from collections import Counter

import msgspec
import pytest

from skye_server.commands.hunts import Hunt
from skye_server.contract.enums.hunts import DEFECT_CLASSES
from skye_server.http.framework import collaborators
from skye_server.hunts.comparing import comparable
from skye_server.hunts.defects import DEFECTS
from skye_server.hunts.evidence import requests_of
from skye_server.hunts.replay import part_of
from skye_server.hunts.reports import Replays
from tests.support.playing import Service


@pytest.fixture(scope="module")
def lab():
    with Service(lab=True) as service:
        yield service


def replays_of(lab, defect):
    """Return the replays of the witness of a defect, as a context manager."""
    hunt = Hunt("a" * 12, "", "", None, "", [], 0)
    apps = collaborators(lab.app).hunts.judge.apps
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


@pytest.mark.parametrize("name", DEFECTS)
def test_witness_finds_its_defect_and_passes_on_a_correct_server(lab, name):
    defect = DEFECTS[name]
    with replays_of(lab, defect) as replays:
        correct = shown(replays, defect, replays.run(()))
        assert shown(replays, defect, replays.run(())) == correct
        assert shown(replays, defect, replays.run([name])) != correct
        last = replays.run(())[-1]
    apps = replays.apps
    assert apps.operation(replays.requests[-1].method, last.path) == defect.operation


@pytest.mark.slow
@pytest.mark.parametrize("name", DEFECTS)
def test_no_other_defect_shows_in_a_witness(lab, name):
    defect = DEFECTS[name]
    with replays_of(lab, defect) as replays:
        correct = shown(replays, defect, replays.run(()))
        showing = [
            other
            for other in DEFECTS
            if other != name and shown(replays, defect, replays.defective([other])) != correct
        ]
    assert showing == []


def test_there_are_forty_defects_in_ten_classes_at_three_difficulties():
    assert len(DEFECTS) >= 40
    counted = Counter((defect.kind, defect.difficulty) for defect in DEFECTS.values())
    assert {kind for kind, _ in counted} == set(DEFECT_CLASSES)
    assert len(counted) == 3 * len(DEFECT_CLASSES)


def test_each_defect_says_what_it_breaks():
    sentences = [defect.breaks for defect in DEFECTS.values()]
    assert len(set(sentences)) == len(sentences)
    assert all(sentence.endswith(".") for sentence in sentences)
