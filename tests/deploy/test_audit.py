"""What `make lint` makes of the answers about known vulnerabilities."""

from deploy.audit import LOCK, verdict


def package(name, **found):
    return {"name": name, "version": "1.0"} | found


def report(*packages):
    return {"dependencies": list(packages), "fixes": []}


FLAW = {"id": "PYSEC-1", "fix_versions": ["1.1"], "aliases": [], "description": ""}


def test_a_vulnerable_package_is_named_and_fails_the_check():
    status, told = verdict(report(package("sound", vulns=[]), package("flawed", vulns=[FLAW])))
    assert status == 1
    assert "flawed 1.0: PYSEC-1, mended in ['1.1']" in told
    assert "sound" not in told


def test_a_vulnerability_is_told_though_other_packages_are_unknown():
    assert (
        verdict(report(package("strange", skip_reason="not found"), package("flawed", vulns=[FLAW])))[0] == 1
    )


def test_sound_packages_pass_in_silence():
    assert verdict(report(package("sound", vulns=[]))) == (0, "")


def test_packages_that_nobody_knows_and_a_silent_index_are_told_aloud():
    assert "1 of 2" in verdict(report(package("a", vulns=[]), package("b", skip_reason="not found")))[1]
    assert "NOT audited" in verdict(None)[1]


def test_the_audited_lock_holds_every_package_that_is_shipped():
    def pinned(lock):
        return {line.split(" ")[0] for line in lock.read_text().splitlines() if "==" in line}

    assert pinned(LOCK.with_name("requirements.lock")) <= pinned(LOCK)
