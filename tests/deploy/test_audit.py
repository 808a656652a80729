"""The audit of packages in `make lint`: results for known vulnerabilities."""

from deploy.audit import LOCK, summarize


def package(name, **found):
    return {"name": name, "version": "1.0"} | found


def report(*packages):
    return {"dependencies": list(packages), "fixes": []}


FLAW = {"id": "PYSEC-1", "fix_versions": ["1.1"], "aliases": [], "description": ""}


def test_audit_of_a_vulnerable_package_names_it_and_fails():
    status, received = summarize(report(package("sound", vulns=[]), package("flawed", vulns=[FLAW])))
    assert status == 1
    assert "flawed 1.0: PYSEC-1, fixed in ['1.1']" in received
    assert "sound" not in received


def test_audit_with_unknown_packages_still_reports_vulnerabilities():
    packages = [package("strange", skip_reason="not found"), package("flawed", vulns=[FLAW])]
    assert summarize(report(*packages))[0] == 1


def test_audit_without_findings_prints_nothing():
    assert summarize(report(package("sound", vulns=[]))) == (0, "")


def test_audit_of_unknown_packages_or_without_an_index_warns():
    assert "1 of 2" in summarize(report(package("a", vulns=[]), package("b", skip_reason="not found")))[1]
    assert "NOT audited" in summarize(None)[1]


def test_audited_lock_contains_every_shipped_package():
    def pinned(lock):
        return {line.split(" ")[0] for line in lock.read_text().splitlines() if "==" in line}

    assert pinned(LOCK.with_name("requirements.lock")) <= pinned(LOCK)
