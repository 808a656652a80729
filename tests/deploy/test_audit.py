"""The audit of packages in `make lint` and in releases: what is vulnerable, and what could not be audited."""

import pytest

from deploy.audit import ROOT, locks, read_npm, read_pip, summarize
from deploy.release import build
from deploy.release.commands import ReleaseError


def package(name, **found):
    return {"name": name, "version": "1.0"} | found


def report(*packages):
    return read_pip({"dependencies": list(packages), "fixes": []})


FLAW = {"id": "PYSEC-1", "fix_versions": ["1.1"], "aliases": [], "description": ""}
SOUND = package("sound", vulns=[])
UNKNOWN = package("strange", skip_reason="not found")


def test_audit_of_a_vulnerable_package_names_it_and_fails():
    status, received = summarize({"a": report(SOUND), "b": report(SOUND, package("flawed", vulns=[FLAW]))})
    assert status == 1
    assert "flawed 1.0: PYSEC-1, fixed in ['1.1']" in received
    assert "sound" not in received


def test_audit_of_a_vulnerable_npm_package_names_it_and_fails():
    flaw = {"name": "flawed", "severity": "high", "range": "<2"}
    found = {"vulnerabilities": {"flawed": flaw}, "metadata": {"dependencies": {"total": 9}}}
    status, received = summarize({"a": read_npm(found)})
    assert (status, "flawed <2: high" in received) == (1, True)


def test_audit_with_unknown_packages_still_reports_vulnerabilities():
    assert summarize({"a": report(UNKNOWN, package("flawed", vulns=[FLAW]))})[0] == 1


def test_audit_without_findings_prints_nothing():
    assert summarize({"a": report(SOUND)}, is_complete=True) == (0, "")


@pytest.mark.parametrize("is_complete", [False, True])
@pytest.mark.parametrize(
    ("missed", "line"),
    [
        (None, "b: all, since the package index does not respond"),
        (report(SOUND, UNKNOWN), "b: 1 of 2, not in the index: strange"),
    ],
)
def test_audit_says_what_it_missed_and_fails_if_it_must_be_complete(missed, line, is_complete):
    status, message = summarize({"a": report(SOUND), "b": missed}, is_complete=is_complete)
    assert (status, message) == (is_complete, f"Locked packages were NOT audited:\n{line}")


def test_every_lock_of_python_packages_is_audited():
    tracked = build.run("git", "ls-files", "*requirements*.lock", cwd=ROOT).split()
    assert {ROOT / name for name in tracked} == set(locks())


def test_release_needs_a_complete_audit(monkeypatch):
    message = "Locked packages were NOT audited:\na.lock: all"

    def audited(*command, **_):
        assert command[1] == ROOT / "deploy" / "audit.py"
        if "--complete" in command:
            raise ReleaseError(message)
        return message

    monkeypatch.setattr(build, "run", audited)
    with pytest.raises(ReleaseError, match="UNAUDITED=yes"):
        build.audit_packages(is_accepted=False)
    assert message in build.audit_packages(is_accepted=True)
