"""The build of a release: what it refuses, and that it depends on the commit only."""

import subprocess
import tarfile
import time

import pytest

from deploy.release import build, package_pages, play, versions
from deploy.release.versions import ROOT, ReleaseError


@pytest.fixture
def copy(tmp_path):
    """A repository with copies of the files that state the version, and a changelog."""
    for file in (*versions.STATED, "CHANGELOG.md"):
        path = tmp_path / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text((ROOT / file).read_text())
    git = ("git", "-c", "user.name=Ann", "-c", "user.email=ann@example.org")
    for command in (["init", "--quiet"], ["add", "."], ["commit", "--quiet", "--message", "Copy"]):
        subprocess.run([*git, *command], cwd=tmp_path, check=True)
    return tmp_path


def test_files_of_the_checkout_state_one_version():
    assert versions.version()


def test_written_version_is_in_all_files(copy):
    versions.write("7.8.9", copy)
    assert set.union(*versions.stated(copy).values()) == {"7.8.9"}
    assert versions.version() not in (copy / "deploy" / "README.md").read_text()


@pytest.mark.parametrize("file", versions.STATED)
def test_version_that_differs_in_one_file_is_refused(copy, file):
    path = copy / file
    path.write_text(path.read_text().replace(versions.version(), "7.8.9"))
    with pytest.raises(ReleaseError, match=rf"{file}: 7\.8\.9"):
        versions.version(copy)


def test_committed_tree_is_accepted(copy):
    build.check_tree(copy)


@pytest.mark.parametrize("file", ["new.txt", "CHANGELOG.md"])
def test_tree_with_changes_is_refused(copy, file):
    (copy / file).write_text("changed")
    with pytest.raises(ReleaseError, match=file):
        build.check_tree(copy)


def test_release_notes_are_the_section_of_the_version(copy):
    (copy / "CHANGELOG.md").write_text(
        "# Changelog\n\n## [2.0.0] - 2027-01-02\n- New.\n\n## [1.0.0] - 2026-12-31\n- Old.\n"
    )
    assert build.release_notes("2.0.0", copy) == "## [2.0.0] - 2027-01-02\n- New.\n\n"


@pytest.mark.parametrize(
    "text", ["", "## [2.0.0]\n- No date.\n", "## [2.0.0] - 2027-01-02\n\n## [1.0.0] - 2026-12-31\n- Old.\n"]
)
def test_changelog_without_the_version_is_refused(copy, text):
    (copy / "CHANGELOG.md").write_text(text)
    with pytest.raises(ReleaseError, match=r"no section `## \[2\.0\.0\]"):
        build.release_notes("2.0.0", copy)


def test_archives_of_the_same_files_have_the_same_bytes(tmp_path):
    archives, seconds = [], int(time.time()) - 9
    for number, mode in enumerate((0o600, 0o644)):
        folder = tmp_path / str(number)
        folder.mkdir()
        for name in ("b.py", "a.py")[:: 1 - 2 * number]:
            (folder / name).write_text(name)
            (folder / name).chmod(mode)
        with tarfile.open(folder / "made.tar.gz", "w:gz") as archive:
            for path in folder.glob("*.py"):
                archive.add(path, path.name)
        build.same_bytes(folder / "made.tar.gz", seconds)
        archives.append((folder / "made.tar.gz").read_bytes())
    assert archives[0] == archives[1]


def test_compiled_wheels_lie_apart_from_those_that_pip_finds_in_dist(monkeypatch, tmp_path):
    built = []
    monkeypatch.setattr(build, "run", lambda *command, **environ: built.append((command, environ)))
    build.build_python(tmp_path, tmp_path / "dist", {"SOURCE_DATE_EPOCH": "1700000000"})
    folders = {True: set(), False: set()}
    for command, environ in built:
        folders["SKYE_COMPILE" in environ].add(command[command.index("--outdir") + 1])
    assert folders == {True: {tmp_path / "dist" / "compiled"}, False: {tmp_path / "dist"}}


def test_two_builds_of_a_distribution_have_the_same_bytes(tmp_path):
    python = ROOT / ".venv-release" / "bin" / "python"
    if not python.exists():
        pytest.skip("the tools of a release are not installed (`make release` installs them)")
    program = """
import sys
from pathlib import Path
from deploy.release import build
build.DISTRIBUTIONS = {"skye-client": build.DISTRIBUTIONS["skye-client"]}
environ = {"SOURCE_DATE_EPOCH": "1700000000"}
build.build_python(Path(sys.argv[1]), Path(sys.argv[2]), environ, is_compiled=False)
"""
    made = []
    for name in ("one", "another/deeper"):
        folder, dist = tmp_path / name, tmp_path / name / "dist"
        dist.mkdir(parents=True)
        files = subprocess.run(
            ["git", "archive", "HEAD"], cwd=ROOT, stdout=subprocess.PIPE, check=True
        ).stdout
        subprocess.run(["tar", "--extract", "--directory", folder], input=files, check=True)
        subprocess.run([python, "-c", program, folder, dist], cwd=ROOT, check=True)
        made.append({path.name: path.read_bytes() for path in dist.iterdir()})
    assert made[0] == made[1]
    assert len(made[0]) == 2


@pytest.mark.parametrize("package", package_pages.PACKAGES)
@pytest.mark.parametrize("address", [None, "https://example.org/ann/skye"])
def test_package_page_needs_no_repository(package, address):
    page = (ROOT / package / "README.md").read_text()
    package_pages.check(package, package_pages.published(page, package, address, "1.0.0"))


def test_links_of_a_package_page_lead_to_files_of_its_tag():
    text = "[words](../engine/README.md#glossary), [here](#here), [there](https://example.org)"
    published = package_pages.published(text, "gym", "https://example.org/ann/skye", "1.2.3")
    address = "https://example.org/ann/skye/blob/v1.2.3/engine/README.md#glossary"
    assert published == f"[words]({address}), [here](#here), [there](https://example.org)"
    assert package_pages.published(text, "gym", None, "1.2.3").startswith("words, [here](#here)")


@pytest.mark.parametrize("command", ["pip install ./engine", "npm install ./clients/typescript", "[x](y.md)"])
def test_package_page_that_needs_the_repository_is_refused(command):
    with pytest.raises(ReleaseError, match="needs the repository"):
        package_pages.check("skye-gym", f"# skye-gym\n\n    {command}\n")


def test_trial_of_a_release_whose_build_failed_says_what_is_there(tmp_path):
    with pytest.raises(ReleaseError, match="no artefacts"):
        play.try_all(tmp_path / "dist", ROOT)
    (tmp_path / "skye_engine-1.0.0.tar.gz").write_bytes(b"")
    with pytest.raises(ReleaseError, match="1 files but no SHA256SUMS, so its build has failed"):
        play.try_all(tmp_path, ROOT)
