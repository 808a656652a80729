"""Build a release from the committed files into `dist/`: `make release`, `make release-images`.

The same commit gives the same bytes in every folder: times are those of the commit (SOURCE_DATE_EPOCH), and
names, owners and permissions in archives do not depend on the machine. The compiled wheels and the image also
need the same compiler and base image.
"""

import gzip
import hashlib
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

from deploy.install import find_installer
from deploy.release import package_pages
from deploy.release.commands import SUMS, ReleaseError, run
from deploy.release.versions import ROOT, version

DISTRIBUTIONS = {
    "skye-engine": ("engine", ()),
    "skye-client": ("clients/python", ()),
    "skye-server": ("service", ("skye-engine", "skye-client")),
    "skye-gym": ("gym", ("skye-engine",)),
    "skye-hunts": ("hunts", ("skye-engine", "skye-client", "skye-server")),
    "skye-mcp": ("clients/mcp", ("skye-engine", "skye-client", "skye-gym")),
}
"""The Python distributions: the folder, and the other distributions of this project that it needs."""

COMPILED = ("engine", "gym")
"""The folders of the distributions that also have a compiled wheel for this platform.

These wheels lie in a folder of their own, `dist/compiled/`: pip prefers a wheel for the platform to a pure
one, so `pip install --find-links dist` would choose them without being asked.
"""

IMAGES = {"skye-server": (), "skye-mcp": ("--target", "mcp")}
"""The images, with the options of their builds."""

NPM_PACKAGE = "clients/typescript"
UNAUDITED = "--unaudited"
"""The option of a release whose packages could not all be audited."""

ONLY_IMAGES = "--images"
"""The option that adds the images to a release that has been built."""

_NPX = ("npx", "--yes", "--package", "publint@0.3.25", "--package", "@arethetypeswrong/cli@0.18.5", "--")


def release_notes(number, root=ROOT):
    """Return the section of a version in the changelog.

    :raises ReleaseError: if there is none.
    """
    text = (root / "CHANGELOG.md").read_text()
    heading = rf"^## \[{re.escape(number)}\] - \d{{4}}-\d\d-\d\d\n"
    found = re.search(rf"{heading}(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    if found is None or not found[1].strip():
        raise ReleaseError(f"CHANGELOG.md has no section `## [{number}] - YYYY-MM-DD` with text: write it.")
    return found[0]


def check_tree(root=ROOT):
    """Check that the committed files are all there is.

    :raises ReleaseError: if there are changes or new files.
    """
    if changed := run("git", "status", "--porcelain", cwd=root):
        raise ReleaseError(f"There are files that are not committed: commit or remove them.\n{changed}")


def audit_packages(*, is_accepted):
    """Check that no locked package is known to be vulnerable, and that all could be audited.

    :param is_accepted: whether to build the release although some could not be audited.
    :returns: what the release notes say about these.
    :raises ReleaseError: if a package is vulnerable, or some could not be audited.
    """
    audit = (sys.executable, ROOT / "deploy" / "audit.py")
    if is_accepted:
        missed = run(*audit)
        return f"\n```\n{missed}```\n" if missed else ""
    try:
        return run(*audit, "--complete")
    except ReleaseError as error:
        raise ReleaseError(f"{error}\nUNAUDITED=yes accepts packages that cannot be audited.") from error


def export(folder, root=ROOT):
    """Copy the committed files of the checkout into a folder."""
    archive = subprocess.run(["git", "archive", "HEAD"], cwd=root, stdout=subprocess.PIPE, check=True).stdout  # noqa: S607 - git of the path
    with tarfile.open(fileobj=io.BytesIO(archive)) as files:
        files.extractall(folder, filter="data")


def install_bundlers(folder):
    """Install what bundles the web client and writes the types of the TypeScript client."""
    for package in ("web", NPM_PACKAGE):
        run("npm", "ci", "--silent", "--no-audit", "--no-fund", cwd=folder / package)


def same_bytes(archive, epoch):
    """Write a tar archive again, with nothing in it of the machine or the time of the build."""
    plain = io.BytesIO()
    with (
        tarfile.open(archive) as found,
        tarfile.open(fileobj=plain, mode="w", format=tarfile.PAX_FORMAT) as new,
    ):
        for member in sorted(found.getmembers(), key=lambda one: one.name):
            content = found.extractfile(member) if member.isfile() else None
            member.mtime, member.uid, member.gid, member.uname, member.gname = epoch, 0, 0, "", ""
            member.mode, member.pax_headers = 0o755 if member.isdir() else 0o644, {}
            new.addfile(member, content)
    if archive.suffix != ".gz":
        archive.write_bytes(plain.getbuffer())
        return
    with archive.open("wb") as file, gzip.GzipFile("", "wb", 9, file, epoch) as packed:
        packed.write(plain.getbuffer())


def build_python(folder, dist, environ, *, is_compiled=True):
    """Build the source archives and wheels, and the compiled wheels."""
    build = (sys.executable, "-m", "build", "--no-isolation", "--outdir")
    for project, _ in DISTRIBUTIONS.values():
        run(*build, dist, folder / project, **environ)
    for archive in dist.glob("*.tar.gz"):
        same_bytes(archive, int(environ["SOURCE_DATE_EPOCH"]))
    if is_compiled:
        # The code of mypyc names its own files, which lie in the environment of the release.
        maps = f"-ffile-prefix-map={folder}=. -ffile-prefix-map={ROOT}=."
        compiling = environ | {"SKYE_COMPILE": "1", "CFLAGS": f"-g0 {maps}"}
        for project in COMPILED:
            run(*build, dist / "compiled", "--wheel", folder / project, **compiling)


def build_npm(folder, dist, environ):
    """Pack the npm package."""
    run("npm", "pack", "--silent", "--pack-destination", dist, cwd=folder / NPM_PACKAGE, **environ)


def build_images(folder, dist, number, environ):
    """Build archives of the images for `docker load`."""
    # Isolation by chroot works also in a container and as a user without rights.
    isolation = {"BUILDAH_ISOLATION": os.environ.get("BUILDAH_ISOLATION", "chroot")}
    epoch = environ["SOURCE_DATE_EPOCH"]
    for name, target in IMAGES.items():
        image, archive = f"docker.io/library/{name}:{number}", dist / f"{name}-{number}.docker.tar"
        options = ("--format", "oci", "--timestamp", epoch, "--tag", image, *target)
        run("buildah", "build", *options, folder, cwd=folder, **isolation)
        run("buildah", "push", image, f"docker-archive:{archive}:{name}:{number}", cwd=folder)
        same_bytes(archive, int(epoch))


def list_components(dist, number):
    """Write a CycloneDX document for each distribution: what the locks install with it."""
    locks = "requirements.lock", "requirements-test.lock", "requirements-full.lock"
    locked = "".join((ROOT / "deploy" / lock).read_text() for lock in locks)
    for name, (project, needed) in DISTRIBUTIONS.items():
        wheels = [
            one for part in (name, *needed) for one in dist.glob(f"{part.replace('-', '_')}-*-none-any.whl")
        ]
        with tempfile.TemporaryDirectory() as folder:
            constraints = Path(folder, "constraints.txt")
            constraints.write_text("\n".join(re.findall(r"^\S+==\S+(?: ;[^\\\n]*)?", locked, re.MULTILINE)))
            run(sys.executable, "-m", "venv", "--without-pip", f"{folder}/env")
            install_into(f"{folder}/env/bin/python", "--constraint", constraints, *wheels)
            document = run(
                *(Path(sys.executable).with_name("cyclonedx-py"), "environment", "--output-reproducible"),
                *("--pyproject", ROOT / project / "pyproject.toml", f"{folder}/env/bin/python"),
            )
        described = json.loads(document.replace(folder, "").replace(f"{dist}/", ""))
        described["metadata"]["component"]["version"] = number  # pyproject.toml may name the file that has it
        _write_json(dist / f"{name}-{number}.cdx.json", described)
    options = ("--package-lock-only", "--omit", "dev", "--sbom-format", "cyclonedx")
    document = json.loads(run("npm", "sbom", *options, cwd=ROOT / NPM_PACKAGE))
    del document["serialNumber"], document["metadata"]["timestamp"]
    _write_json(dist / f"skye-client-npm-{number}.cdx.json", document)


def install_into(python, *arguments):
    """Install packages into the environment of a Python, by uv where this environment has it."""
    installer = find_installer()
    if "uv" in installer:
        run(*installer[:-1], python, "--quiet", *arguments)
    else:
        run(*installer[:-1], "--quiet", "--python", python, "install", *arguments)


def _write_json(path, document):
    path.write_text(json.dumps(document, indent=1, sort_keys=True) + "\n")


def check_artefacts(dist, folder):
    """Check what users would stumble over.

    :raises ReleaseError: if an artefact has a fault.
    """
    wheels, archives = sorted(dist.rglob("*.whl")), sorted(dist.glob("*.tar.gz"))
    tool = Path(sys.executable).with_name
    run(sys.executable, "-m", "twine", "check", "--strict", *wheels, *archives)
    # The compiled wheels have, as those of mypy and black, the common library of mypyc beside the package.
    run(tool("check-wheel-contents"), "--ignore", "W009", *wheels)
    for wheel in wheels:
        with zipfile.ZipFile(wheel) as files:
            for name in files.namelist():
                if "/tests/" in name or name.endswith((".pyc", "conftest.py")):
                    raise ReleaseError(f"{wheel.name} contains {name}")
                if any(str(path).encode() in files.read(name) for path in (folder, ROOT)):
                    raise ReleaseError(f"{wheel.name}: {name} contains a path of this machine")
                if name.endswith("/METADATA"):
                    package_pages.check(wheel.name, files.read(name).decode())
    [package] = dist.glob("*.tgz")
    run(*_NPX, "publint", "--strict", package)
    # The package has ES modules only: CommonJS programs of old versions of Node cannot load it.
    run(*_NPX, "attw", "--profile", "esm-only", package)


def main():
    """Build the packages or the images; return the exit code."""
    options = {UNAUDITED, ONLY_IMAGES} & {*sys.argv[1:]}
    folders = [each for each in sys.argv[1:] if each not in options]
    dist = Path(folders[0] if folders else ROOT / "dist").resolve()
    try:
        if ONLY_IMAGES in options:
            add_images(dist)
        else:
            release(dist, is_unaudited_accepted=UNAUDITED in options)
    except ReleaseError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    return 0


def release(dist, *, is_unaudited_accepted=False):
    """Build and check all packages.

    :param is_unaudited_accepted: whether to build them although packages could not be audited.
    :raises ReleaseError: if it is not possible, or an artefact has a fault.
    """
    number = version()
    notes = release_notes(number)
    check_tree()
    if shutil.which("npm") is None:
        raise ReleaseError("There is no npm, which bundles the web client and packs the TypeScript client.")
    notes += audit_packages(is_accepted=is_unaudited_accepted)
    os.umask(0o022)
    environ = _environ()
    shutil.rmtree(dist, ignore_errors=True)
    dist.mkdir(parents=True)
    with tempfile.TemporaryDirectory(prefix="skye-release-") as name:
        folder = Path(name)
        export(folder)
        install_bundlers(folder)
        package_pages.publish(folder, package_pages.repository(ROOT), number)
        build_python(folder, dist, environ)
        build_npm(folder, dist, environ)
        check_artefacts(dist, folder)
        list_components(dist, number)
    (dist / "RELEASE-NOTES.md").write_text(notes)
    write_sums(dist)


def add_images(dist):
    """Build the images, and add them to the artefacts of the same commit.

    :raises ReleaseError: if it is not possible.
    """
    check_tree()
    if shutil.which("buildah") is None:
        raise ReleaseError("There is no buildah, which builds the images.")
    if not (dist / SUMS).exists():
        raise ReleaseError(f"There is no whole release in {dist}: build it with `make release`.")
    with tempfile.TemporaryDirectory(prefix="skye-release-") as name:
        export(Path(name))
        build_images(Path(name), dist, version(), _environ())
    write_sums(dist)


def write_sums(dist):
    """Write and print the checksums of all artefacts; the file says that the release is whole."""
    artefacts = sorted(path for path in dist.rglob("*") if path.is_file() and path.name != SUMS)
    sums = [
        f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.relative_to(dist)}\n" for path in artefacts
    ]
    (dist / SUMS).write_text("".join(sums))
    sys.stdout.write("".join(sums))


def _environ():
    """Return the environment of builds whose bytes depend on the commit only."""
    committed = run("git", "log", "-1", "--format=%ct", cwd=ROOT).strip()
    return {"SOURCE_DATE_EPOCH": committed, "PYTHONHASHSEED": "0"}


if __name__ == "__main__":
    sys.exit(main())
