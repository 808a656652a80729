"""Configuration files, each checked by the tool that reads files of its kind."""

import subprocess
import sys
from pathlib import Path

import pytest
import redis
import yaml

from tests.deploy import manifests
from tests.deploy.facts import DEPLOY, ROOT
from tests.deploy.servers import copy_nginx_files, nginx_program
from tests.support.missing_programs import NO_KUBECTL, NO_NGINX
from tests.support.waiting import MAX_RUN_S, waited_for

TOOLS = Path(sys.executable).parent


def findings(*command):
    """Run a tool; return its exit status and its output."""
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=MAX_RUN_S)
    return done.returncode, done.stdout + done.stderr


@pytest.mark.parametrize("folder", [ROOT, ROOT / "gym" / "openenv"])
def test_dockerfile_passes_hadolint(folder):
    status, printed = findings(TOOLS / "hadolint", folder / "Dockerfile")
    assert status == 0, printed


def test_compose_file_matches_the_schema_of_compose():
    check = (TOOLS / "check-jsonschema", "--builtin-schema", "vendor.compose-spec")
    status, printed = findings(*check, DEPLOY / "compose.yaml")
    assert status == 0, printed


@pytest.mark.parametrize("overlay", manifests.OVERLAYS)
def test_overlay_matches_the_schemas_of_kubernetes(overlay, tmp_path):
    if manifests.kubectl() is None:
        pytest.skip(NO_KUBECTL)
    (tmp_path / "resources.yaml").write_text(yaml.safe_dump_all(manifests.built(overlay)))
    status, printed = findings(TOOLS / "kubernetes-validate", "--strict", tmp_path / "resources.yaml")
    assert status == 0, printed
    assert "WARN" not in printed


def test_nginx_accepts_its_configuration(folder):
    program = nginx_program() or pytest.skip(NO_NGINX)
    copy_nginx_files(folder)
    status, printed = findings(program, "-t", "-p", folder, "-c", folder / "nginx.conf")
    assert status == 0, printed


def test_redis_accepts_its_configuration_and_keeps_every_write(redis_program, folder):
    path = folder / "redis.sock"
    text = (DEPLOY / "kubernetes" / "redis" / "redis.conf").read_text()
    (folder / "redis.conf").write_text(text.replace("/data", str(folder)).replace("6379", "0"))
    with (
        subprocess.Popen([redis_program, folder / "redis.conf", "--unixsocket", path]) as process,
        redis.Redis(unix_socket_path=str(path)) as client,
    ):
        try:
            assert waited_for(path.exists)
            assert client.config_get("appendonly") == {"appendonly": "yes"}
            assert client.config_get("maxmemory-policy") == {"maxmemory-policy": "noeviction"}
        finally:
            process.terminate()
